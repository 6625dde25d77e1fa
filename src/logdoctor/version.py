"""The version of logdoctor: the one place that says it."""

__version__ = "0.4.0"
