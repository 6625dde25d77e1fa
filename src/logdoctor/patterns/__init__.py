"""How a pattern fits a text.

In: a template or a regex, and a text. Out: where it fits, how well, and what its slots hold.
"""
