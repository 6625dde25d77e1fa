"""The database proves itself.

In: a compiled database. Out: faults: examples that do not match, templates that are too alike.
"""
