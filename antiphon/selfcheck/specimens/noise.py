"""Examples ("specimens") of noise on numbers, whole and real, of noisy descent, and of sparse
vectors, for the self-check."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.mechanisms import AboveThreshold, GapSparseVector, NumericSparseVector, SparseVector
from antiphon.mechanisms.noise.continuous import AlongGradients, Gaussian, Laplace, NoisyDescent
from antiphon.mechanisms.noise.discrete import DiscreteGaussian, DiscreteLaplace
from antiphon.mechanisms.noise.grid import GridGaussian, GridLaplace, RoundToGrid
from antiphon.protocol import Coins, Pair, Reals, register
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Truth, one_by_one, saying
from antiphon.selfcheck.corpus.specimen import (
    NOT_REALS,
    Example,
    Specimen,
    as_claimed,
    numbers,
    slow,
)

_NOT_INTS: Final = (*specimen.NOT_INTS, np.array([1, 2]))
_NOT_ROWS: Final = (0, (0, 1), np.array([0]), np.array([0.0, 1.0]), np.array([[0, 1]]), "12")
_FAINT: Final = Fraction(1, 10**300)


def specimens() -> Iterator[Specimen]:
    """The examples of noise on integers, grids and doubles, of descent, and of sparse vectors."""
    yield from _discrete()
    yield from _on_a_grid()
    yield from _in_doubles()
    yield _descent()
    yield from _sparse_vectors()


def _discrete() -> Iterator[Specimen]:
    whole = DiscreteLaplace(epsilon=specimen.HALF)
    loud = DiscreteLaplace(epsilon=specimen.HALF / specimen.LESS)
    yield Specimen(
        Example(whole, _NOT_INTS),
        Example(DiscreteLaplace(epsilon=_FAINT), _NOT_INTS),
        Example(DiscreteLaplace(epsilon=3, sensitivity=2, dimension=2), _NOT_ROWS),
        *specimen.beside(
            "discrete Laplace", whole, Truth(0.5), "discrete Laplace, 30 % too quiet", loud,
            Truth(0.5 / 0.7), numbers(1, 0),
        ),
    )  # fmt: skip
    yield Specimen(
        Example(DiscreteGaussian(rho=0.5), _NOT_INTS),
        Example(DiscreteGaussian(rho=Fraction(1, 10**30), dimension=2), _NOT_ROWS),
        *specimen.of_gaussian("discrete Gaussian", DiscreteGaussian, numbers(8, 0), sensitivity=8),
    )


def _on_a_grid() -> Iterator[Specimen]:
    grid = GridLaplace(epsilon=specimen.HALF, step_size=0.625)
    near = GridLaplace(epsilon=specimen.HALF, step_size=0.625, sensitivity=0.625)
    yield Specimen(
        Example(GridLaplace(epsilon=1, step_size=0.1), NOT_REALS),
        Example(GridLaplace(epsilon=1, step_size=1e300), NOT_REALS),
        Example(GridLaplace(epsilon=_FAINT, step_size=1e300), NOT_REALS),
        *specimen.beside(
            "Laplace on a grid", grid, Truth(0.5), "Laplace on a grid, rounding forgotten", near,
            Truth(1.0), numbers(0.3, 1.3),
        ),
    )  # fmt: skip
    name, kind, player = "Gaussian on a grid", GridGaussian, numbers(1.0, 0.0)
    yield Specimen(
        Example(kind(rho=0.5, sensitivity=3, step_size=1e-300), NOT_REALS),
        *specimen.of_gaussian(name, kind, player, step_size=0.125),
    )


def _in_doubles() -> Iterator[Specimen]:
    yield Specimen(*(Example(Laplace(epsilon=epsilon), NOT_REALS) for epsilon in (1, _FAINT)))
    yield Specimen(
        Example(Gaussian(rho=0.5), NOT_REALS),
        *specimen.of_gaussian("Gaussian", Gaussian, numbers(1.0, 0.0)),
    )
    rounded = RoundToGrid(1.0) @ Laplace(epsilon=specimen.HALF)
    grids = (RoundToGrid(), RoundToGrid(0.1), RoundToGrid(1e300), RoundToGrid(1e-300))
    yield Specimen(
        *(
            specimen.Link(part=grid, right=Laplace(epsilon=1), queries=Reals(), answers=Reals())
            for grid in grids
        ),
        as_claimed("Laplace, rounded", rounded, numbers(1.0, 0.0), Truth(0.5)),
    )


def _descent() -> Specimen:
    """The specimen of noisy descent, with one step on two points; its broken twin does not clip."""
    shape: dict[str, Any] = {"points": 2, "dimension": 1, "steps": 1}
    right, wild = NoisyDescent(rho=specimen.RHO, **shape), Unclipped(rho=specimen.RHO, **shape)
    near, far = np.array([[9.0], [0.0]]), np.array([[-9.0], [0.0]])
    outside = (0.0, near.tolist(), np.zeros(2), np.full((2, 1), np.nan), np.zeros((2, 1), int))
    rows = specimen.beside(
        "descent with noise", right, specimen.gaussian_truth(), "descent with noise, unclipped",
        wild, specimen.gaussian_truth(Fraction(1, 9)), numbers(near, far),
    )  # fmt: skip
    return Specimen(
        Example(NoisyDescent(rho=0.5, points=3, dimension=2, steps=2),
                (*outside, np.zeros((2, 2)), np.full((3, 2), 2e6))),
        *slow(*rows),
    )  # fmt: skip


@register("antiphon.corpus.Unclipped/1")
@attrs.frozen(kw_only=True)
class Unclipped(AlongGradients):
    """A broken noisy descent whose gradients are not clipped."""

    def respond(self, dataset: Any, coins: Coins) -> Any:
        noise = np.array([coins.gaussian(self.sigma) for _ in range(self.dimension)])
        return self.rate * (dataset.mean(axis=0) - noise)


def _sparse_vectors() -> Iterator[Specimen]:
    """The specimens of AboveThreshold, and of the plain, gap and numeric sparse vectors."""
    yield _above_threshold()
    crossing = saying("0⁴1 | 1⁴0", [*[Pair(0, 1)] * 4, Pair(1, 0)])
    twice = SparseVector(epsilon=1, threshold=1, tops=2)
    yield Specimen(
        Example(SparseVector(epsilon=1, tops=3, share=Fraction(1, 5)), _NOT_INTS),
        as_claimed("sparse vector, two tops", twice, crossing, Truth(), *one_by_one(5)),
    )
    yield Specimen(
        Example(GapSparseVector(epsilon=1, tops=2, sensitivity=3), _NOT_INTS),
        as_claimed("gap sparse vector", GapSparseVector(epsilon=1, threshold=1), crossing),
    )
    numeric = NumericSparseVector(epsilon=1, threshold=1)
    yield Specimen(
        Example(NumericSparseVector(epsilon=1, tops=2, threshold=1), _NOT_INTS),
        as_claimed("numeric sparse vector", numeric, crossing),
    )


def _above_threshold() -> Specimen:
    crossing = saying("0⁴1 | 1⁴0", [*[Pair(0, 1)] * 4, Pair(1, 0)])
    up = saying("0⁵ | 1⁵", [Pair(0, 1)] * 5)
    above = AboveThreshold(epsilon=1, threshold=1)
    rising = AboveThreshold(epsilon=1, threshold=1, monotone=True)
    low = AboveThreshold(epsilon=Fraction(1, 3), threshold=-2, monotone=True)
    return Specimen(
        Example(AboveThreshold(epsilon=1), _NOT_INTS),
        Example(low, _NOT_INTS),
        as_claimed("above threshold", above, crossing, Truth(0.8255)),
        as_claimed("above threshold, monotone", rising, up, Truth(0.4904)),
        specimen.broken("above threshold, monotone noise for any queries", rising, above.claims[0],
               crossing, Truth(1.3970)),
    )  # fmt: skip
