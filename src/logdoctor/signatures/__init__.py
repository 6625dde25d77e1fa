"""Signature files become a SignatureDatabase.

In: YAML. Out: checked signatures; each fault with its file, line and column.
"""
