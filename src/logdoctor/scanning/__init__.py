"""Bytes become regions: the lines worth reading.

In: chunks of a source. Out: a Region for each group of lines that lit up.
"""
