"""What is measured on: makers of logs, of archives and of signatures, all drawn from seeds."""
