"""The command line: what prints, reads the environment and exits."""
