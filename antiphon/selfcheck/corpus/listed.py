"""A specimen of every mechanism and post-processor of the library.

A file for each kind, with a function ``specimens`` that yields them; they are found by listing
the folders ``specimens`` of all rooms. The suites of conformance and laws try them, and the
corpus audits their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from antiphon.numbers.public import found
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
    kinds: list[Any] = found("specimens")
    return tuple(each for kind in kinds for each in kind.specimens())


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
