"""Conversion from and to dp-accounting's events and privacy loss distributions: *not certified*.

Exported figures are rounded towards less privacy, except the masses of a ``FinitePair``, which are
the nearest doubles; dp-accounting then computes in doubles. Imported figures are at most *assumed*.
The releases of dp-accounting up to 0.6 require attrs below 24 but run with newer ones, which this
library requires: docs/interop.md has the way to install both.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from importlib import import_module, metadata
from typing import Any, Final, TypeAlias

import attrs

from antiphon.composition.accounting.pairs import noise
from antiphon.composition.accounting.pairs.pairs_curve import LossPair
from antiphon.composition.accounting.pairs.points import FinitePair
from antiphon.numbers import ExactEpsilon, Log, MissingExtra, down, exact, nearest, up
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind, with_article
from antiphon.protocol import Claim, Status, Verification
from antiphon.protocol.measures import kinds

Counted: TypeAlias = tuple[tuple[kinds.Measure, int], ...]

_CURE: Final = "pip install absl-py dm-tree mpmath scipy && pip install --no-deps dp-accounting"
_SLACK: Final = 1e-12
_DIGITS: Final = 40
_BITS: Final = 256


def _module(name: str) -> Any:
    try:
        return import_module(f"dp_accounting.{name}")
    except ImportError:
        raise MissingExtra("dp-accounting", cure=_CURE) from None


def event(measures: kinds.Measure | Iterable[kinds.Measure], *, times: int = 1) -> Any:
    """A DpEvent that promises no more privacy than the composition of mechanisms with these
    measures, repeated ``times`` times.

    ε becomes randomized response (CM Thm 2.5), μ the Gaussian mechanism with noise 1/μ, ρ a
    ZCDpEvent; pairs of discrete Laplace noise, randomized response and Gaussian noise become the
    corresponding events. Raises: CompositionError for a measure that no event states, such as (ε,
    δ).
    """
    exact.whole(times, "times")
    listed = (measures,) if not isinstance(measures, Iterable) else tuple(measures)
    events, found = _module("dp_event"), [_event_of(each) for each in listed]
    whole = found[0] if len(found) == 1 else events.ComposedDpEvent(found)
    return whole if times == 1 else events.SelfComposedDpEvent(whole, times)


def _event_of(measure: kinds.Measure) -> Any:
    events, pair = _module("dp_event"), measure.pair if type(measure) is kinds.Dominated else None
    stated = kinds.parameters_of(measure)
    if type(pair) is noise.ResponsePair:
        stated = pair.epsilon, pair.delta
    if stated is not None and stated[1] == 0:
        return events.RandomizedResponseDpEvent(_noise(stated[0]), 2)
    mu = measure.mu if type(measure) is kinds.GaussianDP else None
    mu = pair.mu if type(pair) is noise.GaussianPair else mu
    if mu is not None:
        return events.GaussianDpEvent(down(1 / mu))
    if type(measure) is kinds.ZeroConcentrated:
        return events.ZCDpEvent(up(measure.rho))
    if type(pair) is noise.DiscreteLaplacePair:
        return events.DiscreteLaplaceDpEvent(up(1 / pair.scale), pair.shift)
    raise CompositionError(
        f"no DpEvent states {measure}: bring its dominating pair with "
        "antiphon.interop.dp_accounting.pld, as that of "
        "antiphon.composition.accounting.dominating_pair"
    )


def _noise(epsilon: ExactEpsilon) -> float:
    """The noise parameter p = 2/(1+e^ε) of randomized response on bits, rounded down."""
    if isinstance(epsilon, Log):
        return down(2 / (1 + epsilon.argument))
    least = Fraction(exact.exp_bracket(epsilon, _BITS)[0], 1 << _BITS)
    return down(2 * least / (1 + least))


def measures(event: Any) -> Counted:
    """The measures that a DpEvent promises, each with its number of mechanisms; () for a no-op.

    Exact: Gaussian (μ = 1/noise), randomized response (ε), zCDP. Upper bounds: Laplace and discrete
    Laplace, by their ε. A composed event stands for mechanisms fixed in advance. Raises:
    CompositionError for an event that corresponds to no measure; import its privacy loss
    distribution with ``dominating``.
    """
    found: Counter[kinds.Measure] = Counter()
    _gather(event, 1, found)
    return tuple(found.items())


def _gather(event: Any, times: int, found: Counter[kinds.Measure]) -> None:
    kind: Any = type(event)  # pyright: ignore[reportUnknownVariableType]
    name, events = kind.__name__, _module("dp_event")
    if kind is not getattr(events, name, None):
        raise InvalidArgument(f"a DpEvent of dp-accounting is needed, not {with_article(name)}")
    if kind is events.SelfComposedDpEvent:
        _gather(event.event, times * exact.natural(event.count, "count"), found)
    elif kind is events.ComposedDpEvent:
        for each in event.events:
            _gather(each, times, found)
    elif kind is not events.NoOpDpEvent and times:
        if name not in _READ:
            raise CompositionError(
                f"{with_article(name)} has no measure here: account for it in dp-"
                "accounting, and bring its privacy loss distribution with "
                "antiphon.interop.dp_accounting.dominating"
            )
        try:
            found[_READ[name](event)] += times
        except (InvalidArgument, ZeroDivisionError):
            raise CompositionError(
                f"{event} promises nothing: its noise is 0 or no number"
            ) from None


def _response(event: Any) -> kinds.Measure:
    """The pure ε of a randomized-response event, which answers one of k buckets, uniform with
    probability p: e^ε = (1-p+p/k)/(p/k)."""
    p, buckets = Fraction(event.noise_parameter), event.num_buckets
    return kinds.Pure(Log(1 + buckets * (1 - p) / p))


def _zcdp(event: Any) -> kinds.Measure:
    if not event.xi:
        return kinds.ZeroConcentrated(event.rho)
    slope, start = float(event.rho), float(event.xi)
    return kinds.Renyi(lambda order: (start + slope * order) * (1 + _SLACK))


_READ: Final[dict[str, Callable[[Any], kinds.Measure]]] = {
    "RandomizedResponseDpEvent": _response,
    "GaussianDpEvent": lambda event: kinds.GaussianDP(1 / Fraction(event.noise_multiplier)),
    "LaplaceDpEvent": lambda event: kinds.Pure(1 / Fraction(event.noise_multiplier)),
    "DiscreteLaplaceDpEvent": lambda event: kinds.Pure(
        Fraction(event.noise_parameter) * event.sensitivity
    ),
    "ZCDpEvent": _zcdp,
}


def pld(pairs: LossPair | Iterable[LossPair], *, times: int = 1, interval: float = 1e-4) -> Any:
    """A pessimistic PrivacyLossDistribution of dp-accounting, of these pairs composed ``times``
    times.

    ``interval`` is the width of its grid of losses, in nats: the ε of k mechanisms is up to
    k·interval larger. Raises: CompositionError for a pair for which dp-accounting has no
    distribution.
    """
    exact.whole(times, "times")
    listed = [pairs] if isinstance(pairs, LossPair) else list(pairs)
    if not listed:
        raise InvalidArgument("no pairs: give at least one dominating pair")
    counts = Counter(listed)
    each = [_pld_of(pair, interval).self_compose(n * times) for pair, n in counts.items()]
    return reduce(lambda left, right: left.compose(right), each)


def _pld_of(pair: LossPair, interval: float) -> Any:
    laws = _module("pld.privacy_loss_distribution")
    grid = {"value_discretization_interval": interval}
    if type(pair) is noise.GaussianPair:
        return laws.from_gaussian_mechanism(down(1 / pair.mu), **grid)
    if type(pair) is noise.DiscreteGaussianPair:
        return laws.from_discrete_gaussian_mechanism(down(pair.sigma), pair.shift, **grid)
    if type(pair) is noise.DiscreteLaplacePair:
        return laws.from_discrete_laplace_mechanism(up(1 / pair.scale), pair.shift, **grid)
    if type(pair) is noise.ResponsePair:
        stated = up(exact.bracket(pair.epsilon, _DIGITS)[1]), up(pair.delta)
        common = _module("pld.common")
        return laws.from_privacy_parameters(common.DifferentialPrivacyParameters(*stated), **grid)
    if type(pair) is FinitePair:
        lower, upper = (_logs(masses) for masses in (pair.one, pair.zero))
        return laws.from_two_probability_mass_functions(lower, upper, **grid)
    raise CompositionError(
        f"dp-accounting has no distribution of {of_kind(pair)}: compose it here, with "
        "antiphon.composition.accounting.compose"
    )


def _logs(masses: Iterable[Fraction]) -> dict[int, float]:
    """The logarithm of each positive mass by its index, also of one too small for a double."""
    return {place: -nearest(Log(1 / mass)) for place, mass in enumerate(masses) if mass}


@attrs.frozen(eq=False)
class LossDistributionPair(kinds.DominatingPair):
    """The dominating pair behind a PrivacyLossDistribution, with the figures that dp-accounting
    computes.

    *Not certified*: the figures are doubles, pessimistic as far as dp-accounting's rounding is. A
    PrivacyLossDistribution holds one distribution for adding a record and one for removing it; the
    larger figure counts.
    """

    distribution: Any = attrs.field(repr=False)
    source: str

    certified = False

    def delta_at(self, epsilon: exact.Epsilon) -> float:
        least = exact.bracket(exact.epsilon(epsilon), _DIGITS)[0]
        found = float(self.distribution.get_delta_for_epsilon(down(least)))
        return min(max(found, 0.0), 1.0)

    def epsilon_at(self, delta: object) -> float:
        """The ε at which the pair is (ε, δ)-DP; ``math.inf`` if there is no such ε."""
        return float(self.distribution.get_epsilon_for_delta(down(exact.probability(delta))))

    def divergence_at(self, order: float) -> float:
        """Rényi divergence, which is always infinite, as cut-off tails count as infinite losses."""
        return math.inf


def dominating(distribution: Any) -> LossDistributionPair:
    """The dominating pair of a PrivacyLossDistribution, *not certified*.

    Raises: InvalidArgument for anything else.
    """
    kind = _module("pld.privacy_loss_distribution").PrivacyLossDistribution
    if not isinstance(distribution, kind):
        raise InvalidArgument(f"a PrivacyLossDistribution is needed, not {of_kind(distribution)}")
    version = metadata.version("dp-accounting")
    return LossDistributionPair(distribution, f"dp-accounting {version}: not certified")


def claim(distribution: Any, verification: Verification) -> Claim:
    """A claim that a mechanism is dominated by a PrivacyLossDistribution w.r.t. f: *assumed*."""
    found = dominating(distribution)
    return Claim(kinds.Dominated(found), verification, Status.ASSUMED, found.source)
