"""Rows of the corpus for what carries its own claim: as it claims to be, and broken."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import ZeroConcentrated
from antiphon.protocol.messages import Pair
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.targets.interactive import gaussian_delta

HALF: Final = Fraction(1, 2)
RHO: Final = Fraction(2)
"""ρ of what is audited with Gaussian noise: a mean apart by two standard deviations."""
DELTA: Final = Fraction(1, 10)
"""The δ at which such a claim is tested: a zCDP claim itself says nothing of single events."""
LESS: Final = Fraction(7, 10)
"""Noise off by 30 %."""
UNKNOWN: Final = Truth()


def as_claimed(
    name: str, system: Any, player: Player, truth: Truth = UNKNOWN, *more: Player
) -> Entry:
    """The system under its own first claim, which is taken at DELTA where it is of zCDP."""
    return Entry(name, system, at_delta(system.claims[0]), (player, *more), truth)


def broken(
    name: str, system: Any, claim: Claim, player: Player, truth: Truth, *more: Player
) -> Entry:
    """A system under a claim that is another's, and that is known to be false of it."""
    false = attrs.evolve(at_delta(claim), status=Status.REFUTED, source=name)
    return Entry(name, system, false, (player, *more), truth)


def at_delta(claim: Claim) -> Claim:
    """A zCDP claim as an (ε, δ) one."""
    return claim.at(DELTA) if isinstance(claim.measure, ZeroConcentrated) else claim


def gaussian_truth(less: Fraction = Fraction(1)) -> Truth:
    """Of noise that ρ-zCDP asks for, or of a part of it: δ at the ε that ρ and DELTA give."""
    epsilon = float(Claim(ZeroConcentrated(RHO), *_ANY).at(DELTA).parameters[0])
    ratio = Fraction(1 / math.sqrt(2 * RHO)) * less
    return Truth(delta=gaussian_delta(ratio, epsilon=epsilon))


_ANY: Any = (None, Status.PROVED, "")


def numbers(a: Any, b: Any) -> Player:
    """A player that says one pair."""
    return saying(f"{a} | {b}", [Pair(a, b)])
