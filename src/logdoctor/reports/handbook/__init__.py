"""The pages of the signatures: one each, and their indexes."""
