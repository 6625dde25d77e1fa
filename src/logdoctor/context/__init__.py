"""Lines become what is known of the run.

In: log lines. Out: frameworks, versions, settings, phases, steps, ends and numbers.
"""
