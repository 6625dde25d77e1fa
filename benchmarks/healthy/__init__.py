"""Text in which nothing is wrong, and what logdoctor does with it: README.md."""
