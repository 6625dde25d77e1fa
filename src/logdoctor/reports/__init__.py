"""Scan results to what people and programs read."""
