"""The implementation of ``antiphon board``."""
