"""Learners of experts: whom of d to follow. Their names are those of the folder above."""
