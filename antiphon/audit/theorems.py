"""The theorems by their first address; they stand in ``antiphon.selfcheck.theorems``, above."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("antiphon.selfcheck.theorems"), name)
