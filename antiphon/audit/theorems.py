"""The theorems by their first address; they stand in ``antiphon.selfcheck.theorems``, above."""

from importlib import import_module


def __getattr__(name: str) -> object:
    return getattr(import_module("antiphon.selfcheck.theorems"), name)
