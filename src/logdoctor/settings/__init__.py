"""What a run is set to, read from scripts, YAML, JSON, Python and command lines.

In: files of people. Out: settings with their places; what could not be resolved is named. Nothing
is executed or evaluated.
"""
