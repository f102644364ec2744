"""Options of ``antiphon preprocess``."""
