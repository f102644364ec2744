"""Learners: what they tell, in every answer or of one sample."""
