"""Options of ``antiphon verify``."""
