"""Files that grow.

In: paths, globs and folders. Out: new bytes, through rotations and restarts, and notes about
silence.
"""
