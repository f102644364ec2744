"""The standard targets of the audit corpus, with known truth."""
