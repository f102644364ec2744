"""Law 10 of spaces: what a space accepts is what the distance of the claim covers.

A space is compared with its own words, read in Fractions, at the ends of every number format; and
two messages that a mechanism and its f accept are as near as its noise was calibrated for.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
from catalogue import MECHANISMS
from hypothesis import example, given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import spaces
from antiphon.mechanisms import (
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.counters.counter import Counter
from antiphon.protocol.verification import Refused

ENDS = [0, 1, 2**11, 2**24, 2**31, 2**53, 2**60, 2**62, 2**63, 2**64, 10**40]
INTS = sorted({sign * end + step for end in ENDS for sign in (1, -1) for step in (-2, -1, 0, 1, 2)})
DOUBLES = [0.0, -0.0, 0.5, -0.5, 5e-324, 0.1, 2.0**53, -(2.0**53), 1.7976931348623157e308]
ODD = [math.nan, math.inf, -math.inf, True, "count", b"", None, ap.EMPTY, Fraction(1, 2)]
TYPES = ("bool", "int8", "int64", "uint64", "float16", "float32", "float64", "longdouble")


def near(bounds):
    """The ends of a space itself, and what is beside them."""
    whole = [math.floor(each) for each in bounds if math.isfinite(each)]
    return sorted({each + step for each in whole for step in (-128, -2, -1, 0, 1, 2, 128)})


def numbers(bounds=()):
    inner = near(bounds)
    return [*INTS, *inner, *DOUBLES, *(float(each) for each in inner if abs(each) < 2**900), *ODD]


def arrays(shape, bounds):
    """One array of each number in each dtype that holds it, filled; and odd shapes."""
    for value, kind in itertools.product(numbers(bounds), TYPES):
        if type(value) not in (int, float):
            continue
        try:
            with np.errstate(all="ignore"):
                yield np.full(shape, value, kind)
        except OverflowError:
            continue
    yield from (np.zeros(0), np.zeros(0, "int64"), np.zeros((*shape, 1), "int64"), np.array(0))
    yield from (np.full(shape, "a"), np.full(shape, 1j), np.zeros(shape, "m8[s]"))


def rational(value):
    """A number exactly; None for what is none."""
    if isinstance(value, np.generic):
        value = value if value.dtype.kind == "f" else value.item()
    if isinstance(value, float | np.floating):
        return Fraction(*value.as_integer_ratio()) if math.isfinite(value) else None
    return Fraction(value) if type(value) in (int, bool) else None


def between(value, low, high):
    found = rational(value)
    below = math.isinf(low) or (found is not None and Fraction(low) <= found)
    return found is not None and below and (math.isinf(high) or found <= Fraction(high))


def belongs(space, value):
    """What the words of a space say, in Fractions."""
    match space:
        case spaces.Integers(low, high):
            low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
            return type(value) is int and between(value, low, high)
        case spaces.Reals(low, high):
            return type(value) is float and between(value, low, high)
        case spaces.Arrays(shape, kind, low, high, step):
            if type(value) is not np.ndarray or (value.shape, value.dtype) != (
                shape,
                np.dtype(kind),
            ):
                return False
            entries = [value[place] for place in np.ndindex(shape)]
            inside = all(between(each, low, high) for each in entries)
            return inside and (not step or all(not rational(n) % Fraction(step) for n in entries))
        case spaces.Tuples(parts):
            alike = type(value) is tuple and len(value) == len(parts)
            return alike and all(map(belongs, parts, value))
        case spaces.Either(parts):
            return any(belongs(part, value) for part in parts)
    return space.contains(value)


def tried(space):
    """Values at the ends of a space."""
    match space:
        case spaces.Integers(low, high):
            return numbers([end for end in (low, high) if end is not None])
        case spaces.Reals(low, high):
            return numbers([low, high])
        case spaces.Arrays(shape, _, low, high):
            return list(arrays(shape, [low, high]))
        case spaces.Tuples(parts):
            several = [tried(part) for part in parts]
            longest = max(map(len, several), default=0)
            rows = (tuple(each[place % len(each)] for each in several) for place in range(longest))
            return [*rows, (), ((),) * len(parts)]
        case spaces.Either(parts):
            return [value for part in parts for value in tried(part)]
    return numbers()


CLAIMING = [each.mechanism for each in MECHANISMS if each.mechanism.claims]
SPACES = {
    repr(space): space
    for each in MECHANISMS
    for space in (each.mechanism.signature.queries, each.mechanism.signature.answers)
}
GIVEN = [
    spaces.Arrays((2,), kind, low, high, step)
    for kind in TYPES[1:]
    for low, high in [(0, 2**53 + 1), (2**60 + 127, 2**60 + 129), (Fraction(-1, 3), 0.1)]
    for step in (None, 0.5, 2.0)
]


@over("space", [*SPACES.values(), *GIVEN], at_least=108)
def test_a_space_accepts_what_it_says_and_nothing_else(space):
    for value in tried(space):
        assert space.contains(value) is belongs(space, value), (space, value)


# --- two messages that are accepted, and the distance that the noise is for ---------------------


def entries(value):
    if type(value) is tuple:
        return [number for each in value for number in entries(each)]
    found = [value] if not isinstance(value, np.ndarray) else value.ravel().tolist()
    return [each if type(each) is float else Fraction(each) for each in found]


def gap(zero, one, norm):
    """ℓ_p exactly (of ℓ_2 its square), of doubles as their decimals say."""
    sides = [
        [Fraction(repr(n)) if type(n) is float else n for n in entries(m)] for m in (zero, one)
    ]
    gaps = [abs(a - b) for a, b in zip(*sides, strict=True)]
    return sum(each**2 for each in gaps) if norm == 2 else sum(gaps) if norm == 1 else max(gaps)


def covered(mechanism):
    """(p, the distance that its claims are for); None where neighbours are no numbers."""
    if isinstance(counter := getattr(mechanism, "counter", mechanism), Counter):
        alone = isinstance(mechanism, Counter | UnboundedCounter)  # else one for each entry
        return counter.norm if alone else math.inf, counter.distance
    if (sensitivity := getattr(mechanism, "sensitivity", None)) is not None:
        return getattr(mechanism, "norm", math.inf), sensitivity
    return None


def accepted(mechanism):
    """Updates at the ends that it takes."""
    space = mechanism.signature.updates
    return [value for value in tried(space) if space.contains(value)]


def check(mechanism, updates):
    """That two of these which V[f] takes are within what is covered; how many pairs it took."""
    norm, distance = covered(mechanism)
    f, seen = mechanism.claims[0].verification, 0
    for zero, one in itertools.combinations(updates, 2):
        if type(f.step(f.initial_state, zero, one)) is not Refused:
            seen += 1
            assert gap(zero, one, norm) <= (distance**2 if norm == 2 else distance), (zero, one)
    return seen


NUMERIC = [each for each in CLAIMING if covered(each) is not None]


def test_the_mechanisms_of_numbers_are_among_them():
    assert len({type(each) for each in NUMERIC}) >= 18
    assert sum(check(each, accepted(each)[:60]) > 0 for each in NUMERIC) >= len(NUMERIC) - 2


COUNTERS = [
    (TreeCounter, {"epsilon": 1}),
    (BalancedTreeCounter, {"epsilon": 1}),
    (GaussianTreeCounter, {"rho": 1}),
    (RefinedTreeCounter, {"rho": 1}),
    (BufferedToeplitzCounter, {"rho": 1}),
    (SquareRootCounter, {"rho": 1}),
]


@given(
    st.sampled_from(COUNTERS),
    st.sampled_from([0, 2**11, 2**24, 2**53, 2**60, 2**61, 2**62 - 200, -(2**53), -(2**62) + 200]),
    st.integers(-130, 130),
    st.integers(1, 3) | st.sampled_from([128, 2**53 + 1]),
    st.sampled_from([None, 1, 2]),
    st.booleans(),
)
@example((TreeCounter, {"epsilon": 1}), 2**60, 127, 2, 1, False)
@example((RefinedTreeCounter, {"rho": 1}), 2**53, 1, 2, 1, False)
def test_a_counter_takes_no_two_updates_further_apart_than_its_noise(
    kind, base, shift, span, dimension, unbounded
):
    """Least of all 2^53+1 … 2^53+3, whose ends as doubles are 4 apart."""
    (make, budget), smallest = kind, base + shift
    try:
        given = {"smallest": smallest, "largest": smallest + span, "dimension": dimension}
        counter = make(horizon=2, **given, **budget)
    except ap.InvalidArgument:  # past 62 bits, or sums that are no doubles
        return
    if unbounded and make is not SquareRootCounter:
        counter = UnboundedCounter(counter=counter)
    ends = accepted(counter)
    assert len(ends) >= 2
    check(counter, ends)
