"""Spaces whose ``contains`` and ``enumerate`` disagree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from antiphon.audit.check.examples import ALIENS
from antiphon.audit.check.report import Finding, Trial, Tried
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.watch import where
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.spaces import Space

_LISTED: Final = 2000


def check(subject: Subject) -> Trial:
    """The exact engine lists a space; sessions, chains and verifiers ask whether it contains."""
    signature, starts = subject.system.signature, subject.system.initial_states
    own = (signature.queries, signature.answers, signature.updates, starts)
    spaces = dict.fromkeys(own)
    for space in spaces:
        for what in faults(space):
            yield Finding(
                "alphabets",
                f"{type(space).__name__}: {what}",
                where(space, "contains"),
                "contains(x) is True for exactly what enumerate() lists, by exact type, and "
                "never raises: compare with antiphon.protocol.identical",
            )
    return Tried(len(spaces), "space")


def faults(space: Space) -> Iterator[str]:
    """What is wrong with a space, for values that it lists and for others of many types."""
    listed = list(islice(space.enumerate(), _LISTED + 1)) if space.finite else []
    known = {fingerprint(each) for each in listed}
    for value in (*ALIENS, *listed):
        try:
            inside = space.contains(value)
        except Exception as error:
            yield f"contains raises {type(error).__name__} for {value!r:.40}"
            return
        if not space.finite or len(listed) > _LISTED:
            continue
        enumerated = fingerprint(value) in known
        if bool(inside) is not enumerated:
            yield (
                f"contains says {bool(inside)} of {value!r:.40}, a {type(value).__name__}, which "
                f"enumerate {'lists' if enumerated else 'does not list'}"
            )
            return
