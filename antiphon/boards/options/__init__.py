"""Options of ``antiphon board``."""
