"""Where the code of libraries lies: LIBRARY_PATH."""

INSTALLED = r"(?:site|dist)-packages"
"""The folder of what pip installs."""

LIBRARY_PATH = (
    rf"{INSTALLED}/(?P<name>\w+)|/lib/python\d[\d.]*/(?!{INSTALLED})(?P<standard>\w+)"
    r"|<(?P<frozen>frozen [\w.]+|string|stdin)>"
)
"""A file that is not the run's own, and the name of its library: a package, a module of Python's
own, or code without a file.
"""
