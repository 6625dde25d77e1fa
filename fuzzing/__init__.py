"""Coverage-guided fuzzing of what logdoctor reads: `python -m fuzzing`; see README.md."""
