"""Regions become log lines, and these become events.

In: regions of one source. Out: whole messages, each with its writer.
"""
