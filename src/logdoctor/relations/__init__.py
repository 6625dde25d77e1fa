"""What must hold between settings, as data: formulas, what breaks them, what would fit.

In: relation files and a configuration. Out: judgements.
"""
