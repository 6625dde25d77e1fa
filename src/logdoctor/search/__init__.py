"""The database becomes an automaton, which is kept as bytes.

In: a SignatureDatabase. Out: engines that find in one pass all that any stage reacts to.
"""
