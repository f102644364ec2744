"""The fixed parameters (ε_i, δ_i) of a composition, as multisets."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias, Union

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.numbers.interval import UNIT, Interval, down, outward, probability, up
from antiphon.numbers.symbolic import Symbolic

_SMALL: Final = 1 << 16
"""The largest number of bits for which Π(1-δ_i) is multiplied out exactly."""
_DIGITS: Final = 60
_HALF: Final = Fraction(1, 2)
MANY: Final = 10**15
MOST: Final = Fraction(10**9)
"""The largest ε_i that is accepted."""

GivenPair: TypeAlias = tuple[Union[exact.Epsilon, Symbolic], Union[float, Fraction, Symbolic]]
Given: TypeAlias = Iterable[GivenPair]
"""Parameters (ε, δ) as a caller gives them."""


@attrs.frozen
class Parameters:
    """The fixed parameters (ε_i, δ_i) of a composition Comp[RR_{ε₁,δ₁}, …] (CM Def. 2.3, Thm 2.5).

    Its law splits in two independent parts, so the ε_i and the δ_i are multisets of
    their own: some response is ⊤ w.p. 1-Π(1-δ_i), the *floor*; if none is, the law is that of
    Comp[RR_{ε_i,0}]. Values that change nothing (ε = 0, δ = 0) are left out.
    """

    epsilons: tuple[tuple[exact.ExactEpsilon, int], ...]
    deltas: tuple[tuple[Fraction, int], ...]
    count: int

    @cached_property
    def total(self) -> exact.ExactEpsilon | None:
        """The sum Σε_i exactly, if all ε_i are rational or all are logarithms; else None."""
        rational = [(e, n) for e, n in self.epsilons if isinstance(e, Fraction)]
        if len(rational) == len(self.epsilons):
            numerators: Counter[int] = Counter()
            for e, n in rational:
                numerators[e.denominator] += n * e.numerator
            return sum((Fraction(n, d) for d, n in numerators.items()), Fraction(0))
        logarithms = [(e, n) for e, n in self.epsilons if isinstance(e, exact.Log)]
        bits = sum(n * _bits(e.argument) for e, n in logarithms)
        if rational or bits > _SMALL:
            return None
        return exact.Log(math.prod(e.argument**n for e, n in logarithms))

    @cached_property
    def sum(self) -> tuple[Fraction, Fraction]:
        """Rational bounds on Σε_i, relatively 10^-59 apart."""
        if self.total is not None:
            return exact.bracket(self.total, _DIGITS)
        ends = [(exact.bracket(e, _DIGITS), n) for e, n in self.epsilons]
        low, high = (sum((n * each[i] for each, n in ends), Fraction(0)) for i in (0, 1))
        return low, high

    def sum_at_most(self, epsilon: exact.ExactEpsilon) -> bool:
        """Whether Σε_i <= ε; False where sixty digits cannot decide it."""
        if self.total is not None:
            return exact.at_most(self.total, epsilon)
        return self.sum[1] <= exact.bracket(epsilon, _DIGITS)[0]

    @cached_property
    def floor(self) -> Interval[float]:
        """The least δ at any ε, 1-Π(1-δ_i): the probability that some RR_{ε_i,δ_i} reveals all."""
        exactly = self.exact_floor
        if exactly is not None:
            return Interval(down(exactly), up(exactly))
        value, slack = self._log_survival
        return probability(outward(-math.expm1(value + slack), -math.expm1(value - slack)))

    @cached_property
    def survival(self) -> Interval[float]:
        """The probability Π(1-δ_i) that no RR_{ε_i,δ_i} reveals all."""
        exactly = self.exact_floor
        if exactly is not None:
            return Interval(down(1 - exactly), up(1 - exactly))
        value, slack = self._log_survival
        return probability(outward(math.exp(value - slack), math.exp(value + slack)))

    def with_floor(self, stick: Interval[float]) -> Interval[float]:
        """The interval of δ = floor + Π(1-δ_i)·H, floor = 1-Π(1-δ_i), from the interval ``stick``
        of the divergence H."""
        lower = self.floor.lower + self.survival.lower * stick.lower
        upper = self.floor.upper + self.survival.upper * stick.upper
        ends = outward(lower, upper)
        return probability(Interval(max(ends.lower, self.floor.lower), ends.upper))

    def without_floor(self, delta: Fraction) -> float:
        """The divergence H with floor + Π(1-δ_i)·H = δ, floor = 1-Π(1-δ_i); rounded down."""
        room = float(delta - Fraction(self.floor.upper))
        return max(0.0, room * (1 - 4 * UNIT) / self.survival.upper) if self.survival.upper else 0.0

    @cached_property
    def exact_floor(self) -> Fraction | None:
        """The floor 1-Π(1-δ_i) as a rational number; None if it has too many digits."""
        if any(d == 1 for d, _ in self.deltas):
            return Fraction(1)
        if sum(n * _bits(d) for d, n in self.deltas) > _SMALL:
            return None
        return 1 - math.prod(((1 - d) ** n for d, n in self.deltas), start=Fraction(1))

    @property
    def _log_survival(self) -> tuple[float, float]:
        """The logarithm ln Π(1-δ_i), and a bound on its error: twelve roundings of each term."""
        value = math.fsum(n * _log_complement(d) for d, n in self.deltas)
        return value, 12 * UNIT * abs(value)


def _log_complement(delta: Fraction) -> float:
    """The logarithm ln(1-δ) for δ < 1, within five units in the last place."""
    if delta <= _HALF:
        return math.log1p(-float(delta))
    return math.log(max(float(1 - delta), 5e-324))


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def parameters(given: Parameters | Given, times: int = 1) -> Parameters:
    """Check and normalise pairs (ε, δ); ``times`` repeats the whole list. Raises: as ``pairs``.

    >>> parameters([(0.1, 0), (0.1, 0.5)], times=3)
    Parameters(epsilons=((Fraction(1, 10), 6),), deltas=((Fraction(1, 2), 3),), count=6)
    """
    if isinstance(given, Parameters):
        if type(times) is int and times == 1:
            return given
        exact.whole(times, "times")
        return Parameters(
            tuple((e, n * times) for e, n in given.epsilons),
            tuple((d, n * times) for d, n in given.deltas),
            given.count * times,
        )
    counts = pairs(given, times)
    epsilons: Counter[exact.ExactEpsilon] = Counter()
    deltas: Counter[Fraction] = Counter()
    for (epsilon, delta), number in counts.items():
        epsilons[epsilon] += number
        deltas[delta] += number
    del epsilons[Fraction(0)], deltas[Fraction(0)]
    return Parameters(
        tuple(sorted(epsilons.items(), key=_place)), tuple(sorted(deltas.items())), counts.total()
    )


def single(epsilon: exact.ExactEpsilon, delta: Fraction) -> Parameters:
    """The normalised parameters (ε, δ) of one mechanism, from its claim. Raises: as ``pairs``."""
    value = _bounded(epsilon)
    return Parameters(((value, 1),) if value else (), ((delta, 1),) if delta else (), 1)


def _place(group: tuple[exact.ExactEpsilon, int]) -> tuple[float, bool, Fraction]:
    """The sort key of an ε, so that figures do not depend on the order of parameters."""
    value, _ = group
    if isinstance(value, exact.Log):
        return float(value), True, value.argument
    return float(value), False, value


def pairs(given: Given, times: int = 1) -> Counter[tuple[exact.ExactEpsilon, Fraction]]:
    """The normalised multiset of the given pairs (ε, δ), each with its number.

    Raises: InvalidArgument for anything but pairs, ε < 0 or past 10^9, δ outside [0, 1], NaN,
    infinities, or an empty list; CompositionError for a filter or another object whose parameters
    are not fixed.
    """
    exact.whole(times, "times")
    if isinstance(given, Mapping):
        raise InvalidArgument(
            "list every pair (epsilon, delta) as often as it occurs, or use times"
        )
    try:
        listed = list(given)
    except TypeError:
        raise CompositionError(_ADAPTIVE.format(of_kind(given))) from None
    counts: Counter[tuple[exact.ExactEpsilon, Fraction]] = Counter()
    for (_, epsilon, _, delta), number in _distinct(listed).items():
        counts[_bounded(epsilon), exact.probability(delta)] += times * number
    if counts.total() > MANY:
        raise InvalidArgument("at most 10^15 mechanisms are accounted for at once")
    if not counts:
        raise InvalidArgument("no parameters: give at least one pair (epsilon, delta), so k >= 1")
    return counts


def _distinct(listed: list[GivenPair]) -> Counter[tuple[type, object, type, object]]:
    """The multiset of the pairs as given, counted before they are checked, as this is faster.

    Types are compared as well: 0.1, which is read as 1/10, and ``Fraction(0.1)`` are equal in
    Python.
    """
    try:
        return Counter((type(e), e, type(d), d) for e, d in map(_pair, listed))
    except TypeError:
        raise InvalidArgument(_PAIRS) from None


def _bounded(epsilon: object) -> exact.ExactEpsilon:
    value = exact.epsilon(epsilon)
    if not (value <= MOST if isinstance(value, Fraction) else exact.at_most(value, MOST)):
        raise InvalidArgument(
            f"an epsilon is more than {float(MOST):g}, the most that is accounted for: such a "
            "mechanism promises nothing, nor does a composition with it; give a smaller one"
        )
    return value


@attrs.frozen
class Kind:
    """A class of equal (ε, δ): ``count`` are created, and at most ``slots`` may see a
    difference."""

    epsilon: exact.ExactEpsilon
    delta: Fraction
    slots: int
    count: int


@attrs.frozen
class Created:
    """The creations of a session: ``number`` mechanisms, of which ``asks`` may see a difference.

    Where the number of each kind is unknown, the adversary chooses it adaptively, and every count
    is its upper bound ``number``.
    """

    kinds: tuple[Kind, ...]
    number: int
    asks: int
    known: bool


def created(given: Given, k: int, times: int, creations: int | Given) -> Created:
    """Read ``creations``, an argument of ``sparse``: a number of mechanisms, or their parameters.

    Raises: InvalidArgument as ``pairs``, for a k or a number below 1, for k above the number of
    fixed parameters, and for created parameters that are not fixed. If k exceeds the number
    created, that number counts.
    """
    exact.whole(k, "k")
    fixed = pairs(given, times)
    if k > fixed.total():
        raise InvalidArgument(
            f"k = {k:,} mechanisms cannot differ where {fixed.total():,} parameters are fixed: "
            "give k or more of them, or use times"
        )
    if not isinstance(creations, Iterable):
        number, known = exact.whole(creations, "creations"), len(fixed) == 1
        if number > MOST_CREATED:
            raise InvalidArgument(f"creations is at most {MOST_CREATED:.0e}: no session is longer")
        kinds = [Kind(e, d, slots, number) for (e, d), slots in fixed.items()]
        return Created(tuple(kinds), number, min(k, number), known)
    counts = pairs(creations)
    if counts.keys() - fixed.keys():
        raise InvalidArgument(
            "a created mechanism has parameters that are not among the fixed ones, so it never "
            "gets a differing pair: leave it out, or give its (epsilon, delta) as fixed"
        )
    kinds = [Kind(e, d, fixed[e, d], n) for (e, d), n in counts.items()]
    return Created(tuple(kinds), counts.total(), min(k, (fixed & counts).total()), True)


def is_true(statement: object, name: str) -> bool:
    """The argument ``statement`` named ``name``. Raises: InvalidArgument unless it is a bool."""
    if type(statement) is not bool:
        raise InvalidArgument(f"{name} is True or False, not {of_kind(statement)}")
    return statement


MOST_CREATED: Final = 10**15
_ADAPTIVE: Final = (
    "the parameters of this theorem are fixed in advance, as pairs (epsilon, delta), not {}; "
    "where they are chosen adaptively use a filter of antiphon.composition.filters"
)


_PAIRS: Final = (
    "parameters are pairs (epsilon, delta) of numbers, one for every mechanism: [(0.1, 1e-6)]; "
    "dominating pairs and mechanisms go into compose([…])"
)


def _pair(each: GivenPair) -> GivenPair:
    try:
        epsilon, delta = each
    except (TypeError, ValueError):
        raise InvalidArgument(_PAIRS) from None
    return epsilon, delta
