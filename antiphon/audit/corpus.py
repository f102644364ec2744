"""The corpus by its first address; it stands in ``antiphon.selfcheck.corpus``, above."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("antiphon.selfcheck.corpus"), name)
