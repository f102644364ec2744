"""Positions where each created mechanism has one message left: answers are summed at once.

Then a view is a product, and views with the same likelihood ratio are merged. Their masses are
summed once, in decreasing order of the ratio; in each belief the adversary accuses on the prefix
that gains.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from antiphon.audit.exact.beliefs import Move

Ratios: TypeAlias = dict[tuple[int, int], int]
"""A map (p, q) without a common divisor -> n: views of masses n·p and n·q in the two worlds."""


def product_of(ratios: Ratios, law: Iterable[tuple[int, int]]) -> Ratios:
    """The likelihood ratios of views after one more answer, whose law is given by masses in the
    two worlds."""
    found: Ratios = {}
    for mass0, mass1 in law:
        for (zero, one), number in ratios.items():
            own, other = zero * mass0, one * mass1
            common = math.gcd(own, other)
            if common:
                key = own // common, other // common
                found[key] = found.get(key, 0) + number * common
    return found


class Settled(NamedTuple):
    """The value of a position in which all remaining messages are sent, as a function of the two
    worlds' weights."""

    ratios: list[tuple[int, int]]
    """The likelihood ratios, from the likeliest in the first world on."""
    sums: tuple[list[int], list[int]]
    """The total masses of the first 0, 1, 2, … of the ratios, in both worlds."""
    denominator: int

    def value(self, ahead: int, behind: int) -> int:
        """Σ max(0, ahead·p − behind·q) over the remaining views, times the denominator."""
        first = bisect_left(self.ratios, True, key=lambda r: r[0] * ahead <= r[1] * behind)
        return ahead * self.sums[0][first] - behind * self.sums[1][first]


def settled(moves: Iterable[Move]) -> Settled:
    """The summed outcomes of the last messages to several created mechanisms."""
    ratios, denominator = {(1, 1): 1}, 1
    for move in moves:
        ratios = product_of(ratios, [branch[:2] for branch in move.branches])
        denominator *= move.denominator
    bits = 2 * max(one for _, one in ratios).bit_length()  # two ratios differ by at least 2^-bits

    def place(ratio: tuple[int, int]) -> tuple[bool, int]:
        zero, one = ratio
        return one > 0, -((zero << bits) // one) if one else 0

    ordered = sorted(ratios, key=place)
    zeros = accumulate((ratios[each] * each[0] for each in ordered), initial=0)
    ones = accumulate((ratios[each] * each[1] for each in ordered), initial=0)
    return Settled(ordered, (list(zeros), list(ones)), denominator)
