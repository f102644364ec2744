"""The library's mechanisms that go on answering, as they claim to be, beside broken twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms.counters import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)
from antiphon.protocol.claims import Claim, Pure, Status
from antiphon.protocol.messages import Pair, same
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth
from antiphon.selfcheck.corpus.inputs import one_by_one, saying
from antiphon.selfcheck.corpus.ours.answers import LESS, RHO, as_claimed, broken, gaussian_truth
from antiphon.selfcheck.corpus.ours.slips import ColumnsFromTheEnd

HALF: Final = Fraction(1, 2)


def mechanisms_that_go_on() -> Iterator[Entry]:
    """Sparse vectors and counters."""
    yield from _sparse_vectors()
    yield from _trees()
    yield from _correlated()


def _sparse_vectors() -> Iterator[Entry]:
    crossing = saying("0⁴1 | 1⁴0", [*[Pair(0, 1)] * 4, Pair(1, 0)])
    above = AboveThreshold(epsilon=1, threshold=1)
    yield as_claimed("above threshold", above, crossing, Truth(0.8255))
    rising = AboveThreshold(epsilon=1, threshold=1, monotone=True)
    yield as_claimed(
        "above threshold, monotone", rising, saying("0⁵ | 1⁵", [Pair(0, 1)] * 5), Truth(0.4904)
    )
    yield broken("above threshold, monotone noise for any queries", rising, above.claims[0],
                 crossing, Truth(1.3970))  # fmt: skip
    twice = SparseVector(epsilon=1, threshold=1, tops=2)
    yield as_claimed("sparse vector, two tops", twice, crossing, Truth(), *one_by_one(5))
    yield as_claimed(
        "gap sparse vector", GapSparseVector(epsilon=1, threshold=1), crossing, Truth()
    )
    numeric = NumericSparseVector(epsilon=1, threshold=1)
    yield as_claimed("numeric sparse vector", numeric, crossing, Truth())


def counted(updates: Sequence[object], name: str = "x₁ differs") -> Player:
    """A player that asks for the count after each update."""
    return saying(name, [message for update in updates for message in (update, same(COUNT))])


def _first(rest: int, value: int = 1) -> Player:
    return counted([Pair(value, 0), *[same(0)] * rest])


def _trees() -> Iterator[Entry]:
    forgets = TreeCounter(horizon=8, epsilon=Fraction(4, 3))
    claim = TreeCounter(horizon=8, epsilon=1).claims[0]
    yield broken("tree counter that forgets a level", forgets, claim, _first(7), Truth(4 / 3))
    balanced = BalancedTreeCounter(horizon=4, epsilon=1, arity=3)
    yield as_claimed("balanced tree counter", balanced, _first(3), Truth())
    gaussian = GaussianTreeCounter(horizon=4, rho=RHO, largest=8)
    player = _first(3, 8)
    yield as_claimed("Gaussian tree counter", gaussian, player, gaussian_truth())
    loud = GaussianTreeCounter(horizon=4, rho=RHO / LESS**2, largest=8)
    yield broken("Gaussian tree counter, 30 % too quiet", loud, gaussian.claims[0], player,
                 gaussian_truth(LESS))  # fmt: skip
    refined = RefinedTreeCounter(horizon=4, rho=RHO, largest=8)
    yield as_claimed("refined tree counter", refined, player, Truth())
    epochs = UnboundedCounter(counter=TreeCounter(horizon=1, epsilon=HALF))
    yield as_claimed("unbounded counter", epochs, _first(2), Truth(1.0))
    cheap = Claim(Pure(HALF), epochs.claims[0].verification, Status.PROVED, "")
    yield broken("unbounded counter that pays for epochs only", epochs, cheap, _first(2),
                 Truth(1.0))  # fmt: skip


def _correlated() -> Iterator[Entry]:
    player = _first(7)
    buffered = BufferedToeplitzCounter(horizon=8, rho=RHO)
    yield as_claimed("buffered Toeplitz counter", buffered, player, gaussian_truth())
    normalised = BufferedToeplitzCounter(horizon=8, rho=RHO, normalised=True)
    yield as_claimed("buffered Toeplitz counter, columns normalised", normalised, player,
                gaussian_truth())  # fmt: skip
    wrong = ColumnsFromTheEnd(horizon=8, rho=RHO, normalised=True)
    yield broken("buffered Toeplitz counter, columns from the end", wrong, normalised.claims[0],
                 player, Truth(delta=0.1889))  # fmt: skip
    root = SquareRootCounter(horizon=4, rho=RHO)
    # Its state is an array, so every interaction is played on its own.
    yield attrs.evolve(
        as_claimed("square-root counter", root, _first(3), gaussian_truth()),
        samples=4_000,
        thorough=8_000,
    )
    yield as_claimed("unbounded counter of buffers", UnboundedCounter(counter=attrs.evolve(
        buffered, horizon=2)), _first(5), Truth())  # fmt: skip
