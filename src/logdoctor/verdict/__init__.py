"""Matches and histories become the verdict: what went wrong first, and why.

In: matches, unknown errors and the run's context. Out: ranked diagnoses and the answer.
"""
