"""Hypothesis strategies and small mechanisms that several test files share."""

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st

import antiphon as ap
from antiphon import Log, spaces

HUGE = 2**4000


def numbers():
    return st.one_of(
        st.integers(-HUGE, HUGE),
        st.integers(-5, 5),
        st.booleans(),
        st.floats(allow_nan=False),
        st.just(float("nan")),
        st.fractions(),
        st.builds(Log, st.fractions(min_value=1, max_value=10**6)),
    )


def texts():
    return st.text(st.characters(codec=None), max_size=8)


@st.composite
def arrays(draw):
    dtype = draw(st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">i2", "|u1", "|b1", "<c16"]))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    raw = draw(st.binary(min_size=size, max_size=size))
    if dtype == "|b1":
        raw = bytes(byte & 1 for byte in raw)
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def atoms():
    return st.one_of(
        numbers(),
        texts(),
        st.binary(max_size=8),
        st.none(),
        st.sampled_from([ap.EMPTY, ap.HALT, ap.TOP, ap.BOTTOM]),
        arrays(),
    )


def creations():
    return st.sampled_from(
        [
            ap.Create(ap.mechanisms.LeakyBit(delta=Fraction(1, 10))),
            ap.Create(ap.mechanisms.RandomizedResponse(epsilon=Log(3))),
            ap.Create(ap.mechanisms.TreeCounter(horizon=4, epsilon=1)),
        ]
    )


def messages():
    """Anything that may stand in a transcript, nested."""
    return st.recursive(
        atoms() | creations(),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(tuple),
            st.builds(ap.Pair, inner, inner),
            inner.map(ap.same),
            st.builds(ap.Ask, inner, st.integers(-2, HUGE)),
        ),
        max_leaves=6,
    )


# --- hostile values ----------------------------------------------------------------------


class AlwaysEqual:
    """Equal to everything, with the hash of 0."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(0)


class RaisesOnEqual:
    def __eq__(self, other):
        raise RuntimeError("no comparison")

    def __hash__(self):
        return hash(1)


class RaisesOnHash:
    def __hash__(self):
        raise RuntimeError("no hash")


class Int(int):
    """A subclass of int: no int of ours."""


class Text(str):
    pass


class Tuple(tuple):
    pass


class Array(np.ndarray):
    pass


class HostilePair(ap.Pair):
    """A Pair whose sides change with every look."""

    looks = 0

    def __getattribute__(self, name):
        if name in ("zero", "one"):
            HostilePair.looks += 1
            return HostilePair.looks % 2
        return object.__getattribute__(self, name)


class PairSubclass(ap.Pair):
    """A Pair that behaves, for now."""


class HostileAsk(ap.Ask):
    pass


def unset(kind):
    """A message whose constructor never ran."""
    return kind.__new__(kind)


def nested_pair(depth, core=0):
    value = core
    for _ in range(depth):
        value = ap.Pair(value, 1)
    return value


def nested_tuple(depth):
    value = ()
    for _ in range(depth):
        value = (value,)
    return value


@attrs.frozen
class Liar:
    """A value class of the user's own whose equality lies."""

    value: int

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


ALIENS = [
    True, False, 0.0, 1.0, -0.0, float("nan"), float("inf"), 2, -1, None, "0", b"0", "",
    np.int64(0), np.float64(1), np.bool_(True), np.array(0), np.zeros(1), Int(0), Int(1),
    Text("count"), Tuple(), Tuple((0, 1)), np.zeros(2).view(Array), AlwaysEqual(),
    RaisesOnEqual(), RaisesOnHash(), Liar(0), (0,), [0], {0}, {0: 1}, object(), int, len,
    ap.EMPTY, ap.HALT, ap.TOP, Fraction(1), Fraction(0), Log(2), 10**400, -(10**400),
    nested_pair(3), nested_pair(5000), nested_tuple(60), ap.Ask(0, 0), ap.same(0),
    unset(ap.Pair), unset(ap.Ask), complex(0), range(2), iter([0]),
]  # fmt: skip
"""Values that are no bit, whatever they pretend to be."""


# --- small mechanisms ----------------------------------------------------------------------


@ap.mechanism(queries=spaces.Integers(), answers=spaces.Integers(), initial_state=0)
def adder(state, message, coins):
    """Deterministic: the running sum."""
    return state + message, state + message


@ap.mechanism(
    queries=spaces.BITS, answers=spaces.Tuples((spaces.BITS, spaces.BITS)), initial_state=()
)
def tosser(state, message, coins):
    """One fair coin and one biased, and the state remembers both."""
    fair = int(coins.bernoulli(Fraction(1, 2)))
    biased = coins.categorical((1, message + 1))
    return (*state, fair), (fair, biased)


@ap.mechanism(queries=spaces.Integers(0, 3), answers=spaces.BITS)
def breakable(state, message, coins):
    """0: answers; 1: refuses before a draw; 2: fails before a draw; 3: fails after one."""
    if message == 1:
        raise ap.InvalidArgument("not this one")
    if message == 2:
        raise RuntimeError("failed before a draw")
    bit = int(coins.bernoulli(Fraction(1, 2)))
    if message == 3:
        raise ap.InvalidArgument("failed after a draw")
    return state, bit


# --- spaces --------------------------------------------------------------------------------


def elements(space):
    """A strategy for the elements of a space."""
    match space:
        case spaces.Finite():
            return st.sampled_from(space.values)
        case spaces.Integers(low, high):
            if low is None and high is None:
                return st.integers(-(10**30), 10**30) | st.integers(-3, 3)
            return st.integers(low, high)
        case spaces.Reals(low, high):
            return st.floats(low, high)
        case spaces.Arrays():
            return arrays_in(space)
        case spaces.Tuples(parts):
            return st.tuples(*map(elements, parts))
        case spaces.Either(parts):
            return st.one_of(*map(elements, parts))
        case spaces.Pairs(side):
            return st.builds(ap.Pair, elements(side), elements(side))
    raise TypeError(f"no strategy for {space}: give the example queries")


def arrays_in(space):
    """Arrays of a few multiples of a step, or of any int64."""
    step = space.step or 1
    low, high = max(space.low / step, -(2**63)), min(space.high / step, 2**63 - 1)
    entries = st.integers(int(low), min(int(high), 2**63 - 1)).map(lambda n: n * step)
    length = math.prod(space.shape)
    made = st.lists(entries, min_size=length, max_size=length)
    return made.map(lambda values: np.array(values, space.dtype).reshape(space.shape))


@ap.register("tests.Eager/1")
@attrs.frozen
class Eager(ap.PostProcessor):
    """Creates a randomized response for each bit and asks it, and breaks on the answer 1."""

    epsilon: Any
    deterministic = True
    initial_state = 0

    def signature(self, right):
        return ap.Signature(ap.spaces.BITS, ap.spaces.BITS)

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT:
            response = ap.mechanisms.RandomizedResponse(epsilon=self.epsilon)
            return message, ap.Side.RIGHT, ap.Create(response)
        if message is ap.TOP:
            return state, ap.Side.RIGHT, ap.Ask(state, 0)
        raise ValueError("the answer stays here")
