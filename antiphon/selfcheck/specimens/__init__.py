"""A specimen of every mechanism and post-processor of the library.

A file for each kind, with a function ``specimens`` that yields them; they are found by listing
this folder and those in it. The suites of conformance and laws try them, and the corpus audits
their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    Dominated,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.selfcheck.corpus.specimen import Specimen

_PROMISES: Final = {
    Pure: "ε", Approximate: "(ε, δ)", BoundedRange: "η-BR", ZeroConcentrated: "ρ-zCDP",
    GaussianDP: "μ-GDP", Renyi: "RDP", Dominated: "f-DP",
}  # fmt: skip


@cache
def specimens() -> tuple[Specimen, ...]:
    """All of them, kind by kind."""
    return tuple(each for name in sorted(_kinds()) for each in _of(name))


def _kinds() -> Iterator[str]:
    return (each.name for each in walk_packages(__path__, f"{__name__}.") if not each.ispkg)


def _of(name: str) -> Iterator[Specimen]:
    kind = import_module(name)
    found: Iterator[Specimen] = kind.specimens()
    return found


def table() -> str:
    """What each mechanism claims, of what status and by which source: a table in Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| mechanism | claim | status | source |"
    yield "|---|---|---|---|"
    for each in specimens():
        claims = getattr(each.examples[0].part, "claims", ())
        for claim in claims[:1]:
            said = _PROMISES[type(claim.measure)]
            yield f"| `{each.name}` | {said} | {claim.status.value} | {claim.source} |"
