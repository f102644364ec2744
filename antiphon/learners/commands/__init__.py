"""The code of the commands ``antiphon learn`` and ``antiphon mistakes``."""
