"""Finds what went wrong first in an LLM training log, why, and what to change."""

__version__ = "0.1.0"
