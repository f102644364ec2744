"""Breakpoints (cuts) of an interval: its ends, and roots where a polynomial changes its sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

import attrs

from antiphon.numbers.polynomials import Polynomial, Root, real_roots
from antiphon.numbers.symbolic import Unknown

_FINEST: Final = 64
"""The largest number of times that the interval of a cut is halved."""


@attrs.define(eq=False, repr=False)
class CutPoint:
    """A cut: an end of the symbol's interval, or a root inside, in a short interval of its own.
    Cuts are ordered as their numbers are."""

    root: Root | None
    """The cut's number, as the root of a polynomial; None for an infinite end."""

    def __lt__(self, other: CutPoint) -> bool:
        if self is other or self.root is None or other.root is None:
            return self is not other and other.root is None
        while not (self.root.high <= other.root.low or other.root.high <= self.root.low):
            self.root, other.root = self.root.halved(), other.root.halved()
        return self.root.high <= other.root.low

    def apart(self, later: CutPoint) -> None:
        """Make the intervals of this cut and of a later one so short that they do not touch."""
        assert self < later
        while self.root and later.root and self.root.high == later.root.low:
            self.root, later.root = self.root.halved(), later.root.halved()

    def __le__(self, other: CutPoint) -> bool:
        return self is other or self < other

    def __float__(self) -> float:
        return float("inf") if self.root is None else float(self.root.low + self.root.high) / 2

    @property
    def exact(self) -> Fraction | None:
        """The cut as a number, if it is rational."""
        return self.root.low if self.root and self.root.low == self.root.high else None

    def __repr__(self) -> str:
        if self.root is None:
            return "∞"
        return f"≈{float(self):.9g}" if self.exact is None else str(self.exact)


Signs = list[tuple[CutPoint, int]]
"""A polynomial's signs: for each stretch (its first cut, 1 if it is >= 0 there, or 0 if <= 0)."""


class CutPoints:
    """The cuts of a symbol's interval found so far, and the signs of polynomials between them."""

    def __init__(self, unknown: Unknown) -> None:
        self.unknown = unknown
        self.first = ended(unknown.low)
        self.last = CutPoint(None) if unknown.high is None else ended(unknown.high)
        self.known = dict[Polynomial, Signs]()
        """The signs of each primitive polynomial that was asked about."""
        self._roots = dict[Polynomial, list[CutPoint]]()

    def signs(self, polynomial: Polynomial) -> Signs:
        """Returns the signs of a polynomial on the interval of the symbol."""
        if not polynomial:
            return [(self.first, 0)]
        primitive = polynomial.primitive()
        if primitive not in self.known:
            self.known[primitive] = self._signs(primitive)
        return self.known[primitive]

    def _signs(self, primitive: Polynomial) -> Signs:
        odd = [factor for factor, power in primitive.factors()[1] if power % 2]
        cuts = [self.first, *sorted(cut for factor in odd for cut in self._inside(factor))]
        sign = primitive(self.between(self.first, [*cuts, self.last][1], primitive)) > 0
        return [(cut, int(sign) ^ (place % 2)) for place, cut in enumerate(cuts)]

    def _inside(self, factor: Polynomial) -> list[CutPoint]:
        """Returns the cuts at the roots of an irreducible polynomial that lie strictly inside the
        interval."""
        if factor not in self._roots:
            cuts = [CutPoint(root) for root in real_roots(factor)]
            ends = {self.first.exact, self.last.exact}
            inside = [cut for cut in cuts if cut.exact is None or cut.exact not in ends]
            self._roots[factor] = [cut for cut in inside if self.first < cut < self.last]
        return self._roots[factor]

    def between(
        self, low: CutPoint, high: CutPoint, not_root: Polynomial | None = None
    ) -> Fraction:
        """Returns a number strictly between two cuts; if a polynomial is given, no root of the
        polynomial."""
        low.apart(high)
        assert low.root is not None
        start = low.root.high
        found = (start + high.root.low) / 2 if high.root else 2 * abs(start) + 1
        while not_root is not None and not not_root(found):
            found = (start + found) / 2
        return found


def ended(value: Fraction) -> CutPoint:
    """Returns a cut at a rational number."""
    above, below = value.as_integer_ratio()
    return CutPoint(Root(Polynomial.of([-above, below]), value, value))


def isolated(
    cuts: Sequence[CutPoint], halvings: int
) -> Iterable[tuple[Polynomial, Fraction, Fraction]]:
    """Yields (polynomial, low, high) for each inner cut: in the interval [low, high], apart from
    those of other cuts, the polynomial rises from below 0 to above 0."""
    for one, two in pairwise(cuts):
        one.apart(two)
    for before, cut, after in zip(cuts, cuts[1:], cuts[2:], strict=False):
        assert cut.root is not None
        polynomial, *ends = cut.root
        if cut.exact is None:
            ends = _shorter(before, cut, after, halvings)
        rising = polynomial(ends[1]) >= 0 if cut.exact is None else True
        yield polynomial if rising else -polynomial, ends[0], ends[1]


def _shorter(before: CutPoint, cut: CutPoint, after: CutPoint, halvings: int) -> list[Fraction]:
    """Returns [low, high], an interval around a cut, both with the denominator 2^k for a small k
    that grows with ``halvings``; the neighbouring cuts lie outside."""
    assert cut.root is not None
    _, low, high = cut.root
    room = [low - before.root.high] if before.root else []
    room += [after.root.low - high] if after.root else []
    gap, power = min([*room, Fraction(1)]), halvings
    while Fraction(1, 1 << power) * 4 > gap:
        power += 1
    while high - low > Fraction(1, 1 << power) and power < _FINEST * 4:
        cut.root = cut.root.halved()
        _, low, high = cut.root
    return [
        Fraction(low * (1 << power) // 1, 1 << power),
        -Fraction(-high * (1 << power) // 1, 1 << power),
    ]
