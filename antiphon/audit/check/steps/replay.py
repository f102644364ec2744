"""A step that answers differently on the same state, message and coins (law 2)."""

from __future__ import annotations

from itertools import chain

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.taken_steps import take
from antiphon.numbers.errors import ReplayMismatch
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.messages import identical

CURE = (
    "keep all that a step remembers in the state it returns, and draw all randomness from "
    "coins: nothing in self, globals, the clock or the order of a set"
)


def check(subject: Subject) -> Trial:
    """Repeats every step on its own tape, twice: what alternates may be as before in between."""
    for taken in chain.from_iterable(zip(subject.taken, subject.taken, strict=True)):
        if taken.changed or taken.result is None:
            continue  # the other checks say so
        again = take(subject.player.step, taken.before, taken.inputs, ReplayedCoins(taken.tape))
        if again.result is None and isinstance(again.error, ReplayMismatch):
            what = "a step asks for other coins when it is repeated"
        elif again.result is None or not identical(again.result[1:], taken.result[1:]):
            what = "a step answers differently when it is repeated with the same coins"
        else:
            continue
        yield Finding("replay", what, subject.where(), CURE)
    return subject.tried
