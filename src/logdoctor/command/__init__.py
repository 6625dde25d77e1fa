"""A command on its terminal, for `logdoctor run`.

In: a command line. Out: its output as it comes, and its exit code.
"""
