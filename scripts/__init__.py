"""What is run from a checkout."""
