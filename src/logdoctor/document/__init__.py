"""The JSON document, version 1: one shape for a scan, an archive and a page.

In: a ScanResult. Out: plain data as `--format json` prints it.
"""
