"""Events become matches.

In: a LogEvent. Out: the signatures that recognise it, best first.
"""
