"""Pairs with finitely many points, and mixtures of pairs."""

from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.accounting.laws.loss import LossLaw
from antiphon.composition.accounting.laws.values import Mixture, Values, log_ratio
from antiphon.composition.accounting.pairs.pairs_curve import LossPair, Points
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, shown
from antiphon.protocol.registry import register

_LEAST: Final = Fraction(1, 1 << 900)
"""The least nonzero probability that is accepted, so that doubles hold it to full precision."""


def _law(values: Any) -> tuple[Fraction, ...]:
    """Check and convert a tuple of probabilities that sum to one. Raises: InvalidArgument."""
    try:
        listed: list[Any] = list(values)
    except TypeError:
        raise InvalidArgument(f"a law is a tuple of probabilities, not {shown(values)}") from None
    law = tuple(exact.probability(each, "a probability") for each in listed)
    if sum(law) != 1:
        raise InvalidArgument(
            "a dominating pair that does not sum to one: each law, and the weights of a mixture, "
            f"are probabilities with sum 1, not {shown(sum(law))}; give Fractions"
        )
    if any(0 < each < _LEAST for each in law):
        raise InvalidArgument(
            "a probability below 2^-900 is not accounted for: leave the point out, and put its "
            "mass on one where all is revealed (the other law's 0 there)"
        )
    return law


def _listed(pairs: Any) -> tuple[LossPair, ...]:
    try:
        listed: list[Any] = list(pairs)
    except TypeError:
        raise InvalidArgument(f"a mixture is of dominating pairs, not of {shown(pairs)}") from None
    for each in listed:
        if not isinstance(each, LossPair):
            raise InvalidArgument(f"a mixture is of dominating pairs, not of {shown(each)}")
    return tuple(listed)


@register("antiphon.FinitePair/1")
@attrs.frozen
class FinitePair(LossPair):
    """A pair of laws on finitely many points: ``zero`` has their probabilities under P, ``one``
    under Q.

    Where Q is 0 the loss is infinite. The caller asserts that (P, Q) dominates the mechanism in
    both orders of worlds; this is not checked. Raises: InvalidArgument for probabilities outside
    [0, 1], laws of unequal lengths, or one that does not sum to one exactly.

    >>> FinitePair((0.75, 0.25), (0.25, 0.75)).zero
    (Fraction(3, 4), Fraction(1, 4))
    """

    zero: tuple[Fraction, ...] = attrs.field(converter=_law)
    one: tuple[Fraction, ...] = attrs.field(converter=_law)

    def __attrs_post_init__(self) -> None:
        if len(self.zero) != len(self.one):
            raise InvalidArgument(
                f"the laws of a pair are on the same points: {len(self.zero)} probabilities "
                f"against {len(self.one)}"
            )

    @property
    def infinite(self) -> Fraction:
        return sum((p for p, q in self.atoms if not q), Fraction(0))

    @property
    def atoms(self) -> Points:
        return tuple(zip(self.zero, self.one, strict=True))

    def losses(self, count: int) -> LossLaw:
        finite = [(p, q) for p, q in self.atoms if p and q]
        losses = np.array([log_ratio(p / q) for p, q in finite])
        masses = np.array([float(p / (1 - self.infinite)) for p, _ in finite])
        highest = Fraction(float(np.max(losses)))
        return Values(losses, masses, count, highest + abs(highest) / 2**48)


@register("antiphon.MixturePair/1")
@attrs.frozen
class MixturePair(LossPair):
    """A mixture of ``pairs`` with probabilities ``weights``, where the choice is visible to the
    adversary.

    Raises: InvalidArgument for weights that do not sum to one, unequal numbers of weights and
    pairs, or a pair that is not of this library.
    """

    weights: tuple[Fraction, ...] = attrs.field(converter=_law)
    pairs: tuple[LossPair, ...] = attrs.field(converter=_listed)

    def __attrs_post_init__(self) -> None:
        if len(self.weights) != len(self.pairs):
            raise InvalidArgument(
                f"a mixture has one weight for every pair: {len(self.weights)} weights, "
                f"{len(self.pairs)} pairs"
            )

    @property
    def infinite(self) -> Fraction:
        parts = zip(self.weights, self.pairs, strict=True)
        return sum((weight * pair.infinite for weight, pair in parts), Fraction(0))

    @property
    def atoms(self) -> Points | None:
        found: list[tuple[Fraction, Fraction]] = []
        for weight, pair in zip(self.weights, self.pairs, strict=True):
            if (atoms := pair.atoms) is None:
                return None
            found += [(weight * p, weight * q) for p, q in atoms]
        return tuple(found)

    def losses(self, count: int) -> LossLaw:
        finite = [
            (weight * (1 - pair.infinite) / (1 - self.infinite), pair)
            for weight, pair in zip(self.weights, self.pairs, strict=True)
            if weight and pair.infinite < 1
        ]
        laws = [pair.losses(1) for _, pair in finite]
        if len(laws) == 1:
            return finite[0][1].losses(count)
        return Mixture([weight for weight, _ in finite], laws, count)


def reveal(probability: float | Fraction, pair: LossPair) -> MixturePair:
    """The pair that reveals the bit with a given probability, and is ``pair`` otherwise.

    >>> reveal(0.1, FinitePair((0.75, 0.25), (0.25, 0.75))).infinite
    Fraction(1, 10)
    """
    share = exact.probability(probability, "probability")
    return MixturePair((share, 1 - share), (FinitePair((1, 0), (0, 1)), pair))
