"""The implementation of ``antiphon service``."""
