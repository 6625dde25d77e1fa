"""What programs print, as tables of rows with samples.

In: a line. Out: what its form says: prefix, level, marker, error, bar, table.
"""
