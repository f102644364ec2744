"""What the best adversary gains from a composition of laws, and how it depends on each.

All views at once: the histories of n mechanisms are an array of n axes, for each choice of
lengths. Backwards, U = max{0, Π x_j⁰ - e^ε Π x_j¹} where the adversary stops, and the best of
Σ_answers U where it asks mechanism j pair m. Forwards along the best choices, the views of the
distinguishing event are found; given these, the gain is linear in each law.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.audit.conjectures.shape import Doubles, Ints, Mask, Shape

Lengths: TypeAlias = tuple[int, ...]
"""How often each mechanism has been asked."""
_MORE: float = 1e-12
"""A gain that is no more than this is rounding."""


class Best(NamedTuple):
    """What the best adversary gains, and where it accuses: views, by lengths."""

    gain: float
    event: dict[Lengths, Mask]


def best(shape: Shape, laws: list[Doubles], growth: float) -> Best:
    """max over adversaries of Pr_0[S] - growth·Pr_1[S], for mechanisms of these laws."""
    sides = [shape.sides(law) for law in laws]
    count, rounds = len(laws), shape.rounds
    order = sorted(product(range(rounds + 1), repeat=count), key=sum, reverse=True)
    values: dict[Lengths, Doubles] = {}
    choices: dict[Lengths, Ints] = {}
    for lengths in order:
        own = _joint(sides, 0, lengths) - growth * _joint(sides, 1, lengths)
        value, choice = np.maximum(own, 0.0), np.zeros(own.shape, np.int64)
        for mechanism in range(count):
            if lengths[mechanism] < rounds:
                for pair, gain in enumerate(_asked(shape, values, lengths, mechanism)):
                    better = gain > value + _MORE
                    value = np.where(better, gain, value)
                    choice[better] = 1 + mechanism * len(shape.pattern.pairs) + pair
        values[lengths], choices[lengths] = value, choice
    root = (0,) * count
    event = _followed(shape, choices, list(reversed(order)))
    for lengths, stops in event.items():
        stops &= _joint(sides, 0, lengths) > growth * _joint(sides, 1, lengths)
    return Best(values[root].item(), event)


def gains(
    shape: Shape, laws: list[Doubles], event: dict[Lengths, Mask], mechanism: int, growth: float
) -> Doubles:
    """What each entry of the law of one mechanism adds to Pr_0[S] - growth·Pr_1[S]."""
    sides = [shape.sides(law) for law in laws]
    found = np.zeros(shape.size)
    axes = "abcdefgh"[: len(laws)]
    others = [j for j in range(len(laws)) if j != mechanism]
    sums = f"{','.join([axes, *(axes[j] for j in others)])}->{axes[mechanism]}"
    for lengths, stops in event.items():
        if not stops.any():
            continue
        level = shape.levels[lengths[mechanism]]
        for bit, sign in ((0, 1.0), (1, -growth)):
            factors = [sides[j][bit][lengths[j]] for j in others]
            mass = np.einsum(sums, stops.astype(np.float64), *factors)
            np.add.at(found, level.heard[bit], sign * mass)
    return found


def _joint(
    sides: list[tuple[list[Doubles], list[Doubles]]], bit: int, lengths: Lengths
) -> Doubles:
    """Π_j x_j^b of all histories of these lengths."""
    joint: Doubles = np.ones(())
    for side, length in zip(sides, lengths, strict=True):
        joint = joint[..., None] * side[bit][length]
    return joint


def _asked(
    shape: Shape, values: dict[Lengths, Doubles], lengths: Lengths, mechanism: int
) -> list[Doubles]:
    """What follows from each pair said to a mechanism; minus infinity where it is not valid."""
    after = _one_more(lengths, mechanism)
    allowed = _opened(shape, _valid(shape, after), mechanism)
    following = _opened(shape, values[after], mechanism).sum(axis=mechanism + 2)
    one_answer = allowed.take(0, axis=mechanism + 2)  # f' looks at what is said
    each = np.where(one_answer, following, -np.inf)
    return list(np.moveaxis(each, mechanism + 1, 0))


def _valid(shape: Shape, lengths: Lengths) -> Mask:
    """Whether f' allows what is said to each, and at most k of them have met a difference."""
    valid: Mask = np.ones((), np.bool_)
    differing: Ints = np.zeros((), np.int64)
    for length in lengths:
        level = shape.levels[length]
        valid = valid[..., None] & level.valid
        differing = differing[..., None] + level.differs
    return valid & (differing <= shape.pattern.sparse)


def _opened(shape: Shape, array: npt.NDArray[np.generic], mechanism: int) -> npt.NDArray[np.generic]:
    """With the axis of a mechanism as (its history before, the pair, the answer)."""
    pairs, answers = len(shape.pattern.pairs), shape.answers
    before, size, after = (
        array.shape[:mechanism], array.shape[mechanism], array.shape[mechanism + 1 :],
    )  # fmt: skip
    return array.reshape(*before, size // (pairs * answers), pairs, answers, *after)


def _one_more(lengths: Lengths, mechanism: int) -> Lengths:
    return (*lengths[:mechanism], lengths[mechanism] + 1, *lengths[mechanism + 1 :])


def _followed(
    shape: Shape, choices: dict[Lengths, Ints], order: list[Lengths]
) -> dict[Lengths, Mask]:
    """Where the adversary stops, by its choices from the beginning on."""
    met = {lengths: np.zeros(choice.shape, np.bool_) for lengths, choice in choices.items()}
    met[order[0]][...] = True
    pairs = len(shape.pattern.pairs)
    for lengths in order:
        here, choice = met[lengths], choices[lengths]
        for mechanism, length in enumerate(lengths):
            if length == shape.rounds:
                continue
            opened = _opened(shape, met[_one_more(lengths, mechanism)], mechanism)
            for pair in range(pairs):
                asks = here & (choice == 1 + mechanism * pairs + pair)
                if asks.any():
                    where = (slice(None),) * (mechanism + 1) + (pair,)
                    opened[where] |= np.expand_dims(asks, mechanism + 1)
    return {lengths: met[lengths] & (choices[lengths] == 0) for lengths in order}
