"""A specimen of every mechanism and post-processor of the library.

A file for each kind, with a function ``specimens`` that yields them; they are found by listing
this folder. The suites of conformance and laws try them, and the corpus audits their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from antiphon.selfcheck.corpus.specimen import Specimen


@cache
def specimens() -> tuple[Specimen, ...]:
    """All of them, kind by kind."""
    return tuple(each for name in sorted(_kinds()) for each in _of(name))


def _kinds() -> Iterator[str]:
    return (found.name for found in iter_modules(__path__))


def _of(name: str) -> Iterator[Specimen]:
    found: Iterator[Specimen] = import_module(f"{__name__}.{name}").specimens()
    return found
