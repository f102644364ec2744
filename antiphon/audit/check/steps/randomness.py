"""Randomness that does not come from the coins (law 9)."""

from __future__ import annotations

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject


def check(subject: Subject) -> Trial:
    """What is drawn elsewhere is in no recording, no enumeration and no privacy figure."""
    for source in sorted(frozenset[str]().union(*(taken.used for taken in subject.taken))):
        yield Finding(
            "randomness",
            f"a step draws from {source}",
            subject.where(),
            "draw from coins: coins.bernoulli(p), coins.discrete_laplace(scale), …",
        )
    return subject.tried
