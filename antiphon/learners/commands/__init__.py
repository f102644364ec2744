"""The implementation of the commands about private learners."""
