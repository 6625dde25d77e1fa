"""Answers for agents: the read-only tools of `logdoctor mcp`, within the folders that the user
named.
"""
