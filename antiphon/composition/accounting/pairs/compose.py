"""The composition of dominating pairs."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeGuard, Union

from antiphon.composition.accounting.pairs import noise, pairs_curve
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair
from antiphon.composition.accounting.parameters import MANY
from antiphon.composition.accounting.renyi import RenyiCurve
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, of_kind, with_article, written_as
from antiphon.protocol import ContinualMechanism, Status, message_label
from antiphon.protocol.measures import kinds

KINDS: Final = (
    noise.DiscreteGaussianPair,
    noise.DiscreteLaplacePair,
    noise.GaussianPair,
    noise.ResponsePair,
    noise.BoundedRangePair,
    FinitePair,
    MixturePair,
)

Pairs = Iterable[Union[pairs_curve.LossPair, kinds.Measure, ContinualMechanism]]


def pair_multiset(pairs: Pairs, times: int = 1) -> pairs_curve.Counted:
    """The multiset of dominating pairs; a measure, or a mechanism through its claims, is turned
    into a pair.

    Raises: InvalidArgument for an empty list, or an object that no pair of this library dominates.
    """
    exact.whole(times, "times")
    if isinstance(pairs, pairs_curve.LossPair):
        raise InvalidArgument("give a list of dominating pairs: [pair]")
    try:
        listed: list[Any] = [_as_pair(each) for each in pairs]
    except TypeError:
        raise InvalidArgument(f"a list of dominating pairs, not {of_kind(pairs)}") from None
    for each in listed:
        stranger = _stranger(each)
        if stranger is not None:
            names = ", ".join(kind.__name__ for kind in KINDS)
            raise InvalidArgument(
                f"a dominating pair is one of {names}, not "
                + (of_kind(each) if type(each) is stranger else with_article(stranger.__name__))
                + "; (ε, δ) are composed by optimal([(0.1, 1e-6)]), beside pairs as "
                "ResponsePair(0.1, 1e-6)" * (stranger is tuple)
            )
    counts = Counter(listed)
    if not counts:
        raise InvalidArgument("no pairs: give at least one dominating pair, so k >= 1")
    if counts.total() * times > MANY:
        raise InvalidArgument("at most 10^15 mechanisms are accounted for at once")
    return tuple((pair, count * times) for pair, count in counts.items())


def _as_pair(given: object) -> object:
    """The dominating pair of a measure, or of a mechanism's claims; any other object unchanged."""
    measures: list[kinds.Measure]
    if isinstance(given, ContinualMechanism):
        measures = [each.measure for each in given.claims if each.status is not Status.REFUTED]
        # Measures that are dominating pairs themselves are tried first.
        measures.sort(key=lambda each: not isinstance(each, kinds.Dominated))
    elif isinstance(given, kinds.MEASURES):
        measures = [given]
    else:
        return given
    found = next(filter(None, map(dominating_pair, measures)), None)
    if found is None:
        raise InvalidArgument(
            f"no dominating pair is known of {message_label(given, 80)}: give a pair, or ask "
            "ap.guarantee of its composition"
        )
    return found


def is_known(pair: object) -> TypeGuard[pairs_curve.LossPair]:
    """Whether an object is exactly a pair of this library, and so is each part of a mixture."""
    return _stranger(pair) is None


def _stranger(pair: object) -> type | None:
    """The type of the first part of a pair that is not of this library; None if there is no such
    part."""
    found: type = type(pair)
    if not any(found is kind for kind in KINDS):
        return found
    mixed = pair.pairs if type(pair) is MixturePair else ()
    return next(filter(None, map(_stranger, mixed)), None)


@written_as("compose([GaussianPair(mu=1)], times=10)")
def compose(pairs: Pairs, *, times: int = 1, width: float = 1e-6) -> pairs_curve.PairsCurve:
    """The tight privacy curve of mechanisms dominated by these pairs, fixed in advance.

    ``times`` repeats the list. For losses on one lattice (discrete Gaussians of commensurable σ²,
    equal responses) and rational atoms, intervals have relative width 1e-9 or less; for others
    about ``width``, in nats of ε and relative to δ (see ``fourier_inversion``), more where the law
    has atoms. Both ends are always certified; ``.width`` is their distance.

    Raises: InvalidArgument for an empty list, or an object that is no pair of this library;
    Intractable, with the cure, for a ``width`` that takes too long.

    >>> curve = compose([noise.DiscreteGaussianPair(10)], times=1000)
    >>> f"{curve.delta_at(5):.9f}"  # .383835801507776
    '0.383835802'
    """
    return pairs_curve.PairsCurve(
        pair_multiset(pairs, times), float(exact.positive(width, "width"))
    )


def divergence(pairs: Pairs, order: float, *, times: int = 1) -> float:
    """The Rényi divergence D_α(P‖Q) of a product of pairs, order >= 1, in nats, rounded up.

    It bounds the Rényi divergence of the views in both orders of worlds, as it is an integral over
    s of sup_T P(T) - sQ(T) (Sason and Verdú 2016). It is infinite if a loss may be infinite; at
    order 1, the value at an order slightly above. Raises: InvalidArgument as ``compose``, or for an
    order below 1.

    >>> round(divergence([noise.GaussianPair(1)], 2), 9)
    1.0
    >>> divergence([FinitePair((1, 0), (0, 1))], 2)
    inf
    """
    return pairs_curve.product_divergence(pair_multiset(pairs, times), order)


def renyi_curve(pairs: Pairs, *, times: int = 1) -> RenyiCurve:
    """The privacy curve implied by ``divergence`` at all orders; never below that of
    ``compose``."""
    composed = pair_multiset(pairs, times)
    return RenyiCurve(
        lambda order: pairs_curve.product_divergence(composed, order),
        "RDP of pairs",
        "Mironov 2017",
    )


def dominating_pair(measure: kinds.Measure) -> pairs_curve.LossPair | None:
    """A pair of this library that dominates every mechanism with the measure; None if there is
    none.

    (ε, δ): RR_{ε,δ} (CM Thm 2.5). η-BR and μ-GDP: by definition. No pair is known that dominates
    zCDP or RDP and loses nothing. An η or a μ past 10^9 has none either.

    >>> dominating_pair(kinds.GaussianDP(2)), dominating_pair(kinds.BoundedRange(1))
    (GaussianPair(mu=2), BoundedRangePair(eta=1))
    """
    if isinstance(measure, kinds.Dominated):
        return measure.pair if is_known(measure.pair) else None
    try:
        if isinstance(measure, kinds.GaussianDP):
            return noise.GaussianPair(measure.mu)
        if isinstance(measure, kinds.BoundedRange) and measure.eta:
            return noise.BoundedRangePair(exact.bracket(measure.eta, 60)[1])
    except InvalidArgument:
        return None
    stated = kinds.parameters_of(measure)
    return None if stated is None else noise.ResponsePair(*stated)


_MOST_POINTS: Final = 256
"""The largest number of points of a product of finite pairs that is multiplied out."""


def exact_product(measures: Iterable[kinds.Measure]) -> tuple[kinds.Dominated, ...]:
    """The product of the measures' dominating pairs as one measure, in a tuple; empty unless it has
    few points, all rational.

    >>> exact_product([kinds.Dominated(FinitePair((0.75, 0.25), (0.25, 0.75)))] * 2)[0].pair.zero
    (Fraction(9, 16), Fraction(3, 8), Fraction(1, 16))
    """
    law: dict[Fraction | None, tuple[Fraction, Fraction]] = {None: (Fraction(1), Fraction(1))}
    for measure in measures:
        pair = dominating_pair(measure)
        if pair is None or pair.atoms is None or len(law) * len(pair.atoms) > _MOST_POINTS**2:
            return ()
        found: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
        for (p, q), (a, b) in product(law.values(), pair.atoms):
            ratio = p * a / (q * b) if q * b else None
            before = found.get(ratio, (Fraction(0), Fraction(0)))
            found[ratio] = before[0] + p * a, before[1] + q * b
        law = found
    points = [each for each in law.values() if any(each)]
    if len(points) > _MOST_POINTS:
        return ()
    return dominated_measure(FinitePair, *zip(*points, strict=True))


def largest_loss(measure: kinds.Measure) -> exact.ExactEpsilon | None:
    """The ε for which a measure implies (ε, 0)-DP by its dominating pair; None if there is none.

    >>> largest_loss(kinds.Dominated(FinitePair((0.75, 0.25), (0.25, 0.75))))
    Log(3)
    """
    stated, pair = kinds.parameters_of(measure), dominating_pair(measure)
    if stated is not None or pair is None or pair.infinite:
        return stated[0] if stated is not None and not stated[1] else None
    if pair.atoms is None or isinstance(pair, noise.ResponsePair):
        return pair.epsilon if isinstance(pair, noise.ResponsePair) else pair.losses(1).most
    return exact.epsilon(exact.Log(max(p / q for p, q in pair.atoms if p)))


def dominated_measure(
    kind: Callable[..., pairs_curve.LossPair], *parameters: object
) -> tuple[kinds.Dominated, ...]:
    """The measure ``Dominated`` by the pair that ``kind`` makes of these parameters, in a tuple;
    empty if they are too large.

    >>> dominated_measure(noise.GaussianPair, 2), dominated_measure(noise.GaussianPair, 10**12)
    ((Dominated(pair=GaussianPair(mu=2)),), ())
    """
    try:
        return (kinds.Dominated(kind(*parameters)),)
    except InvalidArgument:
        return ()
