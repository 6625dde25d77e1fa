"""The reports of one run: text, Markdown and what a live run tells."""
