"""Texts without knowledge of logs: escapes, masking, fingerprints, and what the program says.

In: any text. Out: the same text comparable, masked or in two languages.
"""
