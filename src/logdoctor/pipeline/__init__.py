"""The stages in their order.

In: sources. Out: a ScanResult; nothing else knows which stage follows which.
"""
