"""The command-line options of ``antiphon preprocess``."""
