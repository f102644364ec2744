"""The corpus by its first address; it stands in ``antiphon.selfcheck.corpus``, above."""

from importlib import import_module


def __getattr__(name: str) -> object:
    return getattr(import_module("antiphon.selfcheck.corpus"), name)
