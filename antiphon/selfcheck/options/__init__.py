"""The command-line options of ``antiphon verify``."""
