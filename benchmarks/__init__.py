"""What measures logdoctor: README.md says which file measures what."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
