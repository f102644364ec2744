"""The dominating pair that a measure stands for."""

from __future__ import annotations

from collections.abc import Callable

from antiphon.composition.accounting.pairs.compose import is_known
from antiphon.composition.accounting.pairs.noise import GaussianPair
from antiphon.composition.accounting.pairs.pair import LossPair
from antiphon.composition.accounting.pairs.promises import BoundedRangePair, ResponsePair
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.measures.kinds import (
    BoundedRange,
    Dominated,
    GaussianDP,
    Measure,
    parameters_of,
)

_DIGITS = 60


def pair_of(measure: Measure) -> LossPair | None:
    """A pair of this library that dominates every mechanism with the measure; None if none does.

    (ε, δ): RR_{ε,δ} (CM Thm 2.5). η-BR and μ-GDP: by definition. Rényi divergences bound no
    trade-off function from which they come back, so zCDP and RDP have none. An η or a μ past what
    is accounted for has none either.

    >>> pair_of(GaussianDP(2)), pair_of(BoundedRange(1))
    (GaussianPair(mu=2), BoundedRangePair(eta=1))
    """
    if isinstance(measure, Dominated):
        return measure.pair if is_known(measure.pair) else None
    try:
        if isinstance(measure, GaussianDP):
            return GaussianPair(measure.mu)
        if isinstance(measure, BoundedRange) and measure.eta:
            return BoundedRangePair(exact.bracket(measure.eta, _DIGITS)[1])
    except InvalidArgument:
        return None
    stated = parameters_of(measure)
    return None if stated is None else ResponsePair(*stated)


def dominated(kind: Callable[..., LossPair], *parameters: object) -> tuple[Dominated, ...]:
    """The measure of a pair; nothing where its parameters are past what is accounted for.

    >>> dominated(GaussianPair, 2), dominated(GaussianPair, 10**12)
    ((Dominated(pair=GaussianPair(mu=2)),), ())
    """
    try:
        return (Dominated(kind(*parameters)),)
    except InvalidArgument:
        return ()
