"""Measures: what bounded range and Gaussian DP promise, and who does not keep it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Final

import attrs

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import fixed_parameters
from antiphon.mechanisms.noise.selection import ExponentialMechanism, PermuteAndFlip
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import BoundedRange, GaussianDP
from antiphon.selfcheck.theorems.parts.finite import FiniteResponse
from antiphon.selfcheck.theorems.statements import private
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, twin
from antiphon.verifiers.models import neighbouring_start

SECTION = (5, 9)
ETA: Final = Log(4)
ROOTS: Final = tuple(map(Fraction, ("1", "9/8", "5/4", "3/2")))
"""e^(ε/2) where δ(ε) is compared."""
START: Final = neighbouring_start()


def checks() -> Iterable[Check]:
    """The rows."""
    yield Check("Measures", "one (ln 4)-BR mechanism of any kind: δ(ε), attained", _attained)
    yield Check("Measures", "the exponential mechanism, ε = ln 4, is (ln 4)-BR", _exponential)
    yield Check("Measures", "a (ln 4)-BR mechanism is μ-GDP, μ = 2Φ⁻¹(2/3)", _gaussian)
    yield Check("Measures", "two (ln 4)-BR mechanisms: by a dominating pair", partial(_two, PAIR))
    yield twin(
        "Measures", "two (ln 4)-BR mechanisms: by the best two fixed ones", partial(_two, FIXED)
    )
    yield twin("Measures", "permute-and-flip, ε = ln 4, as if it were (ln 4)-BR", _flips)
    yield twin("Measures", "Laplace noisy max, ε = ln 4, as if it were (ln 4)-BR", _noisy_max)
    yield twin("Measures", "the discrete Gaussian, σ = 1, as if it were 1-GDP", _discrete)


# --- bounded range --------------------------------------------------------------------------------


def of_range() -> tuple[Bound, ...]:
    """(ε, δ(ε)) of η-BR: δ(ε) = (1 - e^((ε-η)/2))²/(1 - e^-η) (Dong, Durfee and Rogers 2020)."""
    growth = ETA.argument
    return tuple((epsilon(Log(root**2)), (1 - root / 2) ** 2 / (1 - 1 / growth)) for root in ROOTS)


def two_answers(top: Fraction) -> FiniteResponse:
    """An η-BR mechanism of losses ln top and ln top - η, the worst where top = e^((η+ε)/2)."""
    growth = ETA.argument
    zero = growth - top, top - 1
    one = (growth - top) / top, growth * (top - 1) / top
    scale = top.numerator * top.denominator
    weights = tuple(tuple(int(scale * weight) for weight in row) for row in (zero, one))
    claim = Claim(BoundedRange(ETA), START, Status.PROVED, "two losses, η apart")
    return attrs.evolve(FiniteResponse(weights, name=f"e^t = {top}"), claims=(claim,))


def _created(tops: Iterable[Fraction], claimed: Iterable[Bound], number: int,
             exactly: bool = False) -> Evidence:  # fmt: skip
    """So many mechanisms of these, each chosen when the answers before it are known."""
    made = [Create(two_answers(top)) for top in tops]
    f = fixed_parameters([(ETA, 0)] * number)
    return private(
        ExtConComp(), f, claimed, 2 * number, exactly=exactly, catalogue=made,
        max_creations=number,
    )  # fmt: skip


WORST: Final = tuple(2 * root for root in ROOTS)


def _attained() -> Evidence:
    return _created(WORST, of_range(), 1, exactly=True)


SCORES: Final = ((0, 1), (1, 0))


def _exponential() -> Evidence:
    mechanism = ExponentialMechanism(epsilon=ETA, candidates=2)
    return private(mechanism, START, of_range(), 1, queries=SCORES)


def _gaussian() -> Evidence:
    gaussian = converted(BoundedRange(ETA), GaussianDP)
    assert gaussian is not None
    return _created(WORST, [(at, gaussian_delta(gaussian.mu, at)[1]) for at, _ in of_range()], 1)


PAIR, FIXED = Fraction(43442, 10**5), Fraction(39008, 10**5)
"""δ(0) of the dominating pair's square; of the best two mechanisms fixed in advance. Rounded up."""
THEN: Final = tuple(map(Fraction, ("2", "17/12", "48/17")))
"""The first is best with 2, the second with about √2 or 2√2, as the first has answered."""


def _two(claimed: Fraction) -> Evidence:
    """.40959, as an adversary who chooses the second mechanism by the first answer attains."""
    return _created(THEN, [(epsilon(0), claimed)], 2)


def _flips() -> Evidence:
    """The scores (0, 1) and (1, 0): (1/4, 3/4) and (3/4, 1/4), of range ln 9."""
    mechanism = PermuteAndFlip(epsilon=ETA, candidates=2)
    return private(mechanism, START, of_range(), 1, queries=SCORES)


NOISY_MAX: Final = FiniteResponse(((20, 32, 11), (11, 20, 32)), name="noisy max")
"""Report noisy max on (0, 1, 0) and (-1, 0, 1), noise of weight 2^-|z|: of range ln 640/121."""


def _noisy_max() -> Evidence:
    return private(NOISY_MAX, START, of_range(), 1)


# --- Gaussian DP ----------------------------------------------------------------------------------

TRUE: Final = 699471
"""P(N_Z(0, 1) <= 0) = (1 + P(0))/2 = .6994711… in millionths, rounded down."""


def discrete_gaussian() -> FiniteResponse:
    """Whether 0 or 1 with discrete Gaussian noise, σ = 1, is at least 1."""
    rest = 10**6 - TRUE
    return FiniteResponse(((TRUE, rest), (rest, TRUE)), name="discrete Gaussian")


def _discrete() -> Evidence:
    claimed: list[tuple[ExactEpsilon, Fraction]] = [
        (epsilon(0), gaussian_delta(Fraction(1), epsilon(0))[1])
    ]
    return private(discrete_gaussian(), START, claimed, 1)
