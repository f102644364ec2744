"""The command-line options of ``antiphon board``."""
