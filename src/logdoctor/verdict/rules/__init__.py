"""The laws of the verdict, one a file; `registry` is their order."""
