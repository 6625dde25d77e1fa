"""Answers for agents: the read-only tools of `logdoctor mcp`, within what the user named."""
