"""Multisets of parameters fixed in advance: (ε, δ), or amounts of one other measure."""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar, Union

import attrs

from antiphon.composition.accounting.parameters import GivenPair
from antiphon.composition.accounting.summed_measures import told_apart
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact
from antiphon.protocol.measures import kinds

Parameters: TypeAlias = "tuple[ExactEpsilon, Fraction]"
GivenPairs: TypeAlias = Iterable[Union[GivenPair, kinds.Pure, kinds.Approximate]]
GivenMeasures: TypeAlias = Iterable[
    Union[
        kinds.BoundedRange, kinds.ZeroConcentrated, kinds.GaussianDP, kinds.Renyi, kinds.Dominated
    ]
]

Given = TypeVar("Given")
Amount: TypeAlias = Union[Parameters, kinds.Measure]
"""An amount fixed in advance: (ε, δ), or another measure."""

_MEASURES: Final = tuple(
    each for each in kinds.MEASURES if each is not kinds.Pure and each is not kinds.Approximate
)
_NAMES: Final = (
    ", ".join(each.__name__ for each in _MEASURES[:-1]) + f" or {_MEASURES[-1].__name__}"
)


def pairs(parameters: Any) -> tuple[Parameters, ...]:
    """Check parameters (ε, δ), or measures that state one, and convert them to exact numbers."""
    if any(type(parameters) is each for each in kinds.MEASURES):
        raise InvalidArgument(f"give a list of measures: [{type(parameters).__name__}(…)]")
    found: dict[int, tuple[Any, ...]]
    try:
        given = list(parameters)
        # An object that occurs several times is read once.
        found = {id(each): _pair(each) for each in given}
    except TypeError:
        given, found = [], {0: ()}
    if any(len(pair) != 2 for pair in found.values()):
        raise InvalidArgument(
            "parameters are pairs (epsilon, delta), or measures of one kind: Pure and "
            f"Approximate, or one of {_NAMES}; write [(1, 0)] for one of ε = 1"
        )
    exactly = {at: (exact.epsilon(e), exact.probability(d)) for at, (e, d) in found.items()}
    return tuple(exactly[id(each)] for each in given)


def _pair(value: Any) -> tuple[Any, ...]:
    if type(value) is kinds.Pure:
        return value.epsilon, 0
    return (value.epsilon, value.delta) if type(value) is kinds.Approximate else tuple(value)


def of_one_kind(given: Any) -> tuple[kinds.Measure, ...]:
    """Check a list of measures of one kind other than (ε, δ). Raises: InvalidArgument."""
    found = tuple(given)
    if not found or not all(type(each) is type(found[0]) for each in found) or not _known(found[0]):
        told = ", ".join(dict.fromkeys(type(each).__name__ for each in found)) or "none"
        raise InvalidArgument(
            f"fixed parameters are measures of one kind, one of {_NAMES} (or pairs (epsilon, "
            f"delta), as which Pure and Approximate count); here they are {told}"
        )
    return found


def _known(value: object) -> bool:
    return any(type(value) is kind for kind in _MEASURES)


def as_tuple(given: Given) -> Given:
    """An iterable as a tuple; anything else unchanged."""
    return tuple(given) if isinstance(given, Iterable) else given  # type: ignore[return-value]


def is_measured(given: GivenPairs | GivenMeasures) -> TypeGuard[GivenMeasures]:
    """Whether any of the given objects is a measure other than (ε, δ)."""
    return isinstance(given, tuple) and any(map(_known, given))


@attrs.frozen
class Unit:
    """A unit of fixed amounts, such as ρ: how they are read from claims, compared and stated."""

    name: str
    read: Callable[[kinds.Measure], Amount | None]
    """The function that reads the amount of a claim in this unit; None if the claim has none."""
    key: Callable[[Any], Hashable]
    """The function that gives an amount's key, equal for amounts with equal figures only."""
    stated: Callable[[Any], kinds.Measure]


def _stated(pair: Parameters) -> kinds.Measure:
    epsilon, delta = pair
    return kinds.Approximate(epsilon, delta) if delta else kinds.Pure(epsilon)


def _unit(kind: type[kinds.Measure]) -> Unit:
    """The unit for measures of exactly this kind; a user's curve or pair equals only itself."""

    def read(measure: kinds.Measure) -> kinds.Measure | None:
        return measure if type(measure) is kind else None

    return Unit(kind.__name__, read, told_apart, lambda measure: measure)


PARAMETERS: Final = Unit("(ε, δ)", kinds.parameters_of, lambda pair: pair, _stated)
UNITS: Final = {
    **{kind: _unit(kind) for kind in _MEASURES},
    kinds.Pure: PARAMETERS,
    kinds.Approximate: PARAMETERS,
}
