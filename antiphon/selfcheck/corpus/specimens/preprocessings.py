"""Noise behind a preprocessing that is not private, and descent on points that all may move."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.preprocessing import Preprocessed
from antiphon.mechanisms.imputation import ImputedSum
from antiphon.mechanisms.noise import DiscreteLaplace
from antiphon.mechanisms.noisy_descent import NoisyDescent
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import EMPTY
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Either, Finite, Integers, Tuples
from antiphon.selfcheck.corpus.as_claimed import (
    HALF,
    RHO,
    as_claimed,
    broken,
    gaussian_truth,
    numbers,
)
from antiphon.selfcheck.corpus.entry import Truth
from antiphon.selfcheck.corpus.specimen import Example, Specimen

_HIGH: Final = 9
_THERE: Final = Integers(0, _HIGH)
_RECORDS: Final = Tuples((*(Either((_THERE, Finite((EMPTY,)))),) * 2, _THERE, _THERE))


def specimens() -> Iterator[Specimen]:
    """An imputed sum, with noise; and noisy descent."""
    yield _imputed()
    yield _descent()


def _imputed() -> Specimen:
    """The largest record stands for the missing ones, too; in the twin noise is for it alone."""
    impute = ImputedSum(size=4, missing=2, high=_HIGH)
    right = Preprocessed(DiscreteLaplace(epsilon=HALF, sensitivity=_HIGH), impute)
    asked = numbers((_HIGH, _HIGH, EMPTY, EMPTY), (_HIGH, 0, EMPTY, EMPTY))
    told = Truth((_HIGH + 2 * (_HIGH - _HIGH // 2)) * float(HALF) / _HIGH)
    alone = Preprocessed(DiscreteLaplace(epsilon=3), ImputedSum(size=1, missing=0, high=1))
    naive = Claim(DiscreteLaplace(epsilon=HALF).claims[0].measure, right.verification,
                  right.claims[0].status, "as if nothing had been filled in")  # fmt: skip
    return Specimen(
        Preprocessed,
        (
            Example(right, ((1, 2), (EMPTY,) * 4, (0, 0, 0, 10), [0] * 4, None), queries=_RECORDS),
            Example(alone, ((EMPTY,), 0), queries=Tuples((Integers(0, 1),))),
        ),
        (
            as_claimed("imputed sum", right, asked, told),
            broken("imputed sum at its naive price", right, naive, asked, told),
        ),
    )  # fmt: skip


def _descent() -> Specimen:
    """One step on two points: a Gaussian mechanism; the twin forgets to clip."""
    shape: dict[str, Any] = {"points": 2, "dimension": 1, "steps": 1}
    right, wild = NoisyDescent(rho=RHO, **shape), Unclipped(rho=RHO, **shape)
    near, far = np.array([[9.0], [0.0]]), np.array([[-9.0], [0.0]])
    asked = numbers(near, far)
    outside = (0.0, near.tolist(), np.zeros(2), np.full((2, 1), np.nan), np.zeros((2, 1), int))
    return Specimen(
        NoisyDescent,
        (
            Example(NoisyDescent(rho=0.5, points=3, dimension=2, steps=2),
                    (*outside, np.zeros((2, 2)), np.full((3, 2), 2e6))),
        ),
        (
            as_claimed("descent with noise", right, asked, gaussian_truth()),
            broken("descent with noise, unclipped", wild, right.claims[0], asked,
                   gaussian_truth(Fraction(1, 9))),
        ),
    )  # fmt: skip


@register("antiphon.corpus.Unclipped/1")
@attrs.frozen(kw_only=True)
class Unclipped(NoisyDescent):
    """Descent along whatever gradients there are."""

    def respond(self, dataset: Any, coins: Coins) -> Any:
        noise = np.array([coins.gaussian(self.sigma) for _ in range(self.dimension)])
        return self.rate * (dataset.mean(axis=0) - noise)
