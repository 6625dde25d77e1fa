"""The reports of many runs: text, JSON, rows and tables."""
