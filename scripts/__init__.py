"""What is run by hand or by CI; not installed."""
