"""The command-line options of ``antiphon service``."""
