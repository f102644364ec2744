"""Measures of privacy loss, as data.

An adversary w.r.t. a verification function f sends pairs of messages. A mechanism that gets the
first side of each pair (world 0), or the second sides (world 1), has a measure w.r.t. f if the
adversary's views in these two worlds are as close as the measure says, in both directions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias, Union

import attrs

from antiphon.numbers import ExactEpsilon, exact, named
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol.registry import register


@register("antiphon.Pure/1")
@attrs.frozen
class Pure:
    """Pure ε-DP; ε in nats."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)


@register("antiphon.Approximate/1")
@attrs.frozen
class Approximate:
    """(ε, δ)-DP (CM Def. 2.1); ε in nats."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)


@register("antiphon.BoundedRange/1")
@attrs.frozen
class BoundedRange:
    """η-bounded range: the privacy losses of two views with the same coins of the adversary differ
    by at most η nats.

    Privacy losses of views with different coins may differ by up to 2η, also for the exponential
    mechanism, if the adversary draws at random which pair to ask about. Source: Durfee and Rogers
    2019. The ε-DP exponential mechanism has ε-bounded range (Dong, Durfee, Rogers 2020);
    permute-and-flip and Laplace noisy max do not.
    """

    eta: ExactEpsilon = attrs.field(converter=named.epsilon)


@register("antiphon.ZeroConcentrated/1")
@attrs.frozen
class ZeroConcentrated:
    """ρ-zCDP (Bun and Steinke 2016)."""

    rho: Fraction = attrs.field(converter=named.positive)


@register("antiphon.GaussianDP/1")
@attrs.frozen
class GaussianDP:
    """μ-GDP: the two worlds of the privacy game are at least as hard to distinguish as N(0, 1) and
    N(μ, 1) (Dong, Roth and Su 2022, Def. 4)."""

    mu: Fraction = attrs.field(converter=named.positive)


def _function(_: object, __: attrs.Attribute[Callable[[float], float]], value: object) -> None:
    if not callable(value):
        raise InvalidArgument(
            f"a Rényi curve is a function: order > 1 to a bound in nats, not {of_kind(value)}"
        )


@register("antiphon.Renyi/1")
@attrs.frozen
class Renyi:
    """Rényi DP: a curve from the order α > 1 to a Rényi divergence bound in nats (Mironov 2017)."""

    curve: Callable[[float], float] = attrs.field(validator=_function)


class DominatingPair(ABC):
    """Two probability laws (P, Q) that are at least as easy to tell apart as a mechanism's views in
    the two worlds of the privacy game.

    That is, for b = 0 and 1 and every ε, negative ones too, no event S of the views has a larger
    Pr_b(S) - e^ε·Pr_{1-b}(S) than the hockey-stick divergence H_ε(P‖Q) (Zhu, Dong and Wang 2022,
    Def. 7); so (Q, P) dominates, too. The trade-off function of P and Q is then f of f-DP (Dong,
    Roth and Su 2022).
    Data: an attrs class with exact parameters. The pairs that this library knows are in
    ``antiphon.composition.accounting.pairs``.
    """

    __slots__ = ()
    __immutable__ = True

    @abstractmethod
    def delta_at(self, epsilon: exact.Epsilon) -> float:
        """The hockey-stick divergence H_ε(P‖Q), rounded up."""

    @abstractmethod
    def divergence_at(self, order: float) -> float:
        """The Rényi divergence D_α(P‖Q) in nats for α > 1, rounded up; perhaps ``math.inf``."""


def _pair(_: object, __: attrs.Attribute[DominatingPair], value: object) -> None:
    if not isinstance(value, DominatingPair):
        raise InvalidArgument(
            f"a dominating pair is needed, as in accounting.pairs, not {of_kind(value)}"
        )


@register("antiphon.Dominated/1")
@attrs.frozen
class Dominated:
    """f-DP, with f the trade-off function of a pair of laws (see ``DominatingPair``)."""

    pair: DominatingPair = attrs.field(validator=_pair)


Measure: TypeAlias = Union[
    Pure, Approximate, BoundedRange, ZeroConcentrated, GaussianDP, Renyi, Dominated
]
MEASURES: Final = (
    Pure, Approximate, BoundedRange, ZeroConcentrated, GaussianDP, Renyi, Dominated,
)  # fmt: skip


def parameters_of(measure: Measure) -> tuple[ExactEpsilon, Fraction] | None:
    """The (ε, δ) of a pure or approximate measure, and (η, 0) for η-bounded range.

    None for the other measures.
    """
    if isinstance(measure, Pure):
        return measure.epsilon, Fraction(0)
    if isinstance(measure, Approximate):
        return measure.epsilon, measure.delta
    if isinstance(measure, BoundedRange):
        return measure.eta, Fraction(0)
    return None
