"""Commands about private learners."""
