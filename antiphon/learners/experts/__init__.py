"""Learners that follow one of d experts. Their public names are those of ``antiphon.learners``."""
