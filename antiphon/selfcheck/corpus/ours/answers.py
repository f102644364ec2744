"""The library's mechanisms that answer once, as they claim to be, beside twins with less noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GridGaussian,
    GridLaplace,
    Laplace,
    PermuteAndFlip,
    ReportNoisyMax,
)
from antiphon.mechanisms.randomized_response import KaryResponse
from antiphon.mechanisms.rounding import RoundToGrid
from antiphon.numbers.exact import Log
from antiphon.protocol.claims import Claim, Status, ZeroConcentrated, zcdp_epsilon
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Pair
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth
from antiphon.selfcheck.corpus.inputs import at_once, saying
from antiphon.selfcheck.corpus.ours.slips import NoisyMaxValue, TruthfulLies
from antiphon.selfcheck.corpus.targets.interactive import gaussian_delta

HALF: Final = Fraction(1, 2)
RHO: Final = Fraction(2)
"""ρ of what is audited with Gaussian noise: a mean apart by two standard deviations."""
DELTA: Final = Fraction(1, 10)
"""The δ at which such a claim is tested: a zCDP claim itself says nothing of single events."""
LESS: Final = Fraction(7, 10)
"""Noise off by 30 %."""


def mechanisms_that_answer_once() -> Iterator[Entry]:
    """Noise, choices and responses."""
    yield from _laplace()
    yield from _gaussian()
    yield from _choices()
    yield from _responses()


def as_claimed(
    name: str, system: ContinualMechanism, player: Player, truth: Truth, *more: Player
) -> Entry:
    """The system under its own first claim, which is taken at DELTA where it is of zCDP."""
    return Entry(name, system, at_delta(system.claims[0]), (player, *more), truth)


def broken(
    name: str, system: ContinualMechanism, claim: Claim, player: Player, truth: Truth, *more: Player
) -> Entry:
    """A system under a claim that is another's."""
    false = attrs.evolve(at_delta(claim), status=Status.REFUTED, source=name)
    return Entry(name, system, false, (player, *more), truth)


def at_delta(claim: Claim) -> Claim:
    """A zCDP claim as an (ε, δ) one."""
    return claim.at(DELTA) if isinstance(claim.measure, ZeroConcentrated) else claim


def gaussian_truth(less: Fraction = Fraction(1)) -> Truth:
    """Of noise that ρ-zCDP asks for, or of a part of it: δ at the ε that ρ and DELTA give."""
    epsilon = float(zcdp_epsilon(RHO, DELTA))
    ratio = Fraction(1 / math.sqrt(2 * RHO)) * less
    return Truth(delta=gaussian_delta(ratio, epsilon=epsilon))


def _numbers(a: object, b: object) -> Player:
    return saying(f"{a} | {b}", [Pair(a, b)])


def _laplace() -> Iterator[Entry]:
    whole = DiscreteLaplace(epsilon=HALF)
    yield as_claimed("discrete Laplace", whole, _numbers(1, 0), Truth(0.5))
    loud = DiscreteLaplace(epsilon=HALF / LESS)
    yield broken("discrete Laplace, 30 % too quiet", loud, whole.claims[0], _numbers(1, 0),
                 Truth(0.5 / 0.7))  # fmt: skip
    grid = GridLaplace(epsilon=HALF, step_size=0.625)
    asked = _numbers(0.3, 1.3)
    yield as_claimed("Laplace on a grid", grid, asked, Truth(0.5))
    near = GridLaplace(epsilon=HALF, step_size=0.625, sensitivity=0.625)
    yield broken("Laplace on a grid, rounding forgotten", near, grid.claims[0], asked, Truth(1.0))
    rounded = RoundToGrid(1.0) @ Laplace(epsilon=HALF)
    yield as_claimed("Laplace, rounded", rounded, _numbers(1.0, 0.0), Truth(0.5))


def _gaussian() -> Iterator[Entry]:
    whole = DiscreteGaussian(rho=RHO, sensitivity=8)
    yield as_claimed("discrete Gaussian", whole, _numbers(8, 0), gaussian_truth())
    loud = DiscreteGaussian(rho=RHO / LESS**2, sensitivity=8)
    yield broken("discrete Gaussian, 30 % too quiet", loud, whole.claims[0], _numbers(8, 0),
                 gaussian_truth(LESS))  # fmt: skip
    grid = GridGaussian(rho=RHO, step_size=0.125)
    yield as_claimed("Gaussian on a grid", grid, _numbers(1.0, 0.0), gaussian_truth())
    yield as_claimed("Gaussian", Gaussian(rho=RHO), _numbers(1.0, 0.0), gaussian_truth())


def _choices() -> Iterator[Entry]:
    apart = _numbers((1, 0, 0, 0, 0), (0, 1, 1, 1, 1))
    choosing = ExponentialMechanism(epsilon=1, candidates=5)
    yield as_claimed("exponential mechanism", choosing, apart, Truth(_exponential(1)))
    twice = ExponentialMechanism(epsilon=2, candidates=5)
    yield broken("exponential mechanism, scores not halved", twice, choosing.claims[0], apart,
                 Truth(_exponential(2)))  # fmt: skip
    yield as_claimed("permute and flip", PermuteAndFlip(epsilon=1, candidates=5), apart, Truth())
    largest = ReportNoisyMax(epsilon=1, candidates=5)
    yield as_claimed("report noisy max", largest, apart, Truth(), *at_once(5))
    told = NoisyMaxValue(epsilon=1, candidates=5)
    yield broken("report noisy max that tells the value", told, largest.claims[0],
                 _numbers((1,) * 5, (0,) * 5), Truth(2.5))  # fmt: skip


def _exponential(epsilon: float) -> float:
    """Of one score of five up, and the four others down."""
    up = math.exp(epsilon / 2)
    return math.log(up * (1 + 4 * up) / (up + 4))


def _responses() -> Iterator[Entry]:
    honest = KaryResponse(epsilon=Log(3), values=4)
    yield as_claimed("k-ary response", honest, _numbers(2, 0), Truth(math.log(3)))
    lies = TruthfulLies(epsilon=Log(3), values=4)
    yield broken("k-ary response whose lie may be true", lies, honest.claims[0], _numbers(2, 0),
                 Truth(math.log(5)))  # fmt: skip
