"""The choice of an adversary among several, on training samples, by successive halving.

Sources: Karnin, Koren and Somekh 2013; Jamieson and Talwalkar 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol import EMPTY, Adversary, Coins, generator, message_label
from antiphon.protocol.records.codec import encode_any, mentions_unregistered
from antiphon.protocol.registry import column_safe, register, set_derived

Vector: TypeAlias = tuple[float, ...]


def _bounds(value: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    found = tuple((float(low), float(high)) for low, high in value)
    if not found or not all(low <= high for low, high in found):
        raise InvalidArgument("bounds are pairs (low, high), one for each parameter, low <= high")
    return found


@attrs.frozen
class AdversaryFamily:
    """A family of adversaries: ``size`` parameter vectors from a box, as a Latin hypercube.

    ``build`` makes an adversary from a vector of floats (round those that are integers).
    """

    build: Callable[[Sequence[float]], Adversary]
    bounds: tuple[tuple[float, float], ...] = attrs.field(converter=_bounds)
    size: int = attrs.field(default=32, converter=named.whole, kw_only=True)

    def members(self, seed: np.random.SeedSequence) -> list[Candidate]:
        """The adversaries of the family that are tried, with names for the report."""
        spread = generator(seed)
        columns = [
            low + (high - low) * (spread.permutation(self.size) + spread.random(self.size))
            / self.size
            for low, high in self.bounds
        ]  # fmt: skip
        vectors = [tuple(float(x) for x in vector) for vector in zip(*columns, strict=True)]
        shown = [", ".join(f"{x:.4g}" for x in vector) for vector in vectors]
        return [
            Candidate(self.member(vector), f"parameters ({text})")
            for vector, text in zip(vectors, shown, strict=True)
        ]

    def member(self, vector: Vector) -> Adversary:
        """The adversary for a vector; a ``FamilyMember`` if its own class is not registered."""
        built = _checked(self.build(vector))
        return FamilyMember(self, vector) if mentions_unregistered(encode_any(built)) else built


@register("antiphon.FamilyMember/1")
@column_safe(of="_built")
@attrs.frozen
class FamilyMember(Adversary):
    """An adversary of a family, which is saved as the family and the parameter vector."""

    family: AdversaryFamily
    vector: Vector
    _built: Adversary = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        set_derived(self, _built=_checked(self.family.build(self.vector)))

    def __reduce__(self) -> tuple[type[FamilyMember], tuple[AdversaryFamily, Vector]]:
        return FamilyMember, (self.family, self.vector)

    @property
    def initial_state(self) -> object:
        return self._built.initial_state

    def step(self, state: object, message: object, coins: Coins) -> tuple[object, object]:
        return self._built.step(state, message, coins)


@attrs.frozen
class Candidate:
    """An adversary to try, and its name in the report."""

    adversary: Adversary
    name: str


Search: TypeAlias = Union[Adversary, Iterable[Adversary], AdversaryFamily]
"""The adversaries to audit with: one, several, or a family."""


def members(search: Search, seed: np.random.SeedSequence) -> list[Candidate]:
    """The adversaries that the argument ``search`` stands for. Raises: InvalidArgument for none, or
    another object."""
    if isinstance(search, AdversaryFamily):
        return search.members(seed)
    if isinstance(search, Adversary):
        return [Candidate(search, name_of(search))]
    try:
        several = [_checked(each) for each in search]
    except TypeError:
        raise InvalidArgument(
            "an audit takes an adversary, several of them, or an AdversaryFamily, "
            f"not {of_kind(search)}"
        ) from None
    if not several:
        raise InvalidArgument("an audit needs an adversary, and this collection has none")
    return [
        Candidate(each, f"number {place} of {len(several)}, {name_of(each)}")
        for place, each in enumerate(several, start=1)
    ]


def name_of(adversary: Adversary) -> str:
    """A short name of an adversary."""
    function = getattr(adversary, "function", None)
    return getattr(function, "__name__", None) or message_label(adversary, 60)


def _checked(adversary: object) -> Adversary:
    if not isinstance(adversary, Adversary):
        raise InvalidArgument(
            f"{message_label(adversary, 40)} is no adversary; one that sends a list of messages is "
            "ap.scripted([…])"
        )
    return adversary  # pyright: ignore[reportUnknownVariableType]


def budgets(candidates: int, views: int) -> list[tuple[int, int]]:
    """The rounds of successive halving: (adversaries left, training views of each) in each round.

    The winner gets half of the views, and the earlier rounds share the other half, so the whole
    search costs no more than one training.

    >>> budgets(4, 12_000)
    [(4, 750), (2, 1500), (1, 6000)]
    """
    sizes = [candidates]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    if len(sizes) == 1:
        return [(1, views)]
    shares = [views // 2 // (len(sizes) - 1) // size for size in sizes[:-1]]
    return [*zip(sizes, shares, strict=False), (1, views // 2)]


@register("antiphon.Coarsened/1")
@column_safe(of="coarsen")
@attrs.frozen
class Coarsened(Adversary[int]):
    """An adversary that plays a strategy for a coarser, finite system against the real one.

    ``coarsen`` maps each answer of the real system to an answer of the coarse system, which the
    strategy receives: ``game.best_adversary`` of the coarse game is a good start if the real game
    is too large for the exact engine. State: the strategy's. Declare ``coarsen`` column-safe if it
    is (arithmetic and comparisons only): populations then need not step replicas one by one.
    """

    strategy: StrategyAdversary
    coarsen: Callable[[Any], object]

    @property
    def initial_state(self) -> int:
        return self.strategy.initial_state

    def step(self, state: int, message: object, coins: Coins) -> tuple[int, object]:
        heard = message if message is EMPTY else self.coarsen(message)
        return self.strategy.step(state, heard, coins)
