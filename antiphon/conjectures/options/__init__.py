"""The command-line options of ``antiphon conjecture``."""
