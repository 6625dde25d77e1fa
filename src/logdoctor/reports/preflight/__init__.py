"""Judgements of configurations to what people and programs read."""
