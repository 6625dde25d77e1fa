"""One page that a person would rather look at than read: `run` for one run, `archive` for many."""
