"""A noisy number, whose value and noise terms are known: value + Σ coefficient · draw.

Sums and multiples of noisy numbers are noisy numbers. Any other operation *reads* the number: the
tape records value and draws. In the second world, the reading gives the plain value that the first
world got.
"""

import math
import operator
from collections.abc import Callable, Sequence
from functools import partialmethod
from typing import Final

import numpy as np

from antiphon.graybox.tape import MADE, RAW, Atom, Foreign, NoisyRow, Place, Real, Tape, place

Terms = dict[int, tuple[Atom, Real]]


class Noisy:
    """A noisy number: value + Σ coefficient · draw. For the audited code it is a float."""

    __slots__ = ("bare", "met", "tape", "terms", "unit", "value")

    def __init__(
        self,
        tape: Tape,
        value: Real,
        terms: Terms,
        met: Place,
        *,
        unit: Real = 1,
        bare: bool = False,
    ) -> None:
        self.tape, self.value, self.terms = tape, value, terms
        self.met, self.unit, self.bare = met, unit, bare

    @property  # type: ignore[misc]
    def __class__(self) -> type[Foreign]:  # pyright: ignore
        """``float``, so that audited code which checks the type takes the noisy number for a
        float."""
        return float

    @property
    def raw(self) -> bool:
        """Whether all its noise is uniform, from which audited code may compute other noise."""
        return all(atom.law == RAW for atom, _ in self.terms.values())

    @property
    def total(self) -> Real:
        """The plain number in this world: the value plus all noise."""
        return self.value + sum(factor * atom.drawn for atom, factor in self.terms.values())

    @property
    def row(self) -> NoisyRow:
        """The noisy number's record for the tape."""
        return NoisyRow(self.value, tuple(self.terms.values()), self.met, self.unit)

    def read(self, last: bool = False) -> Real:
        """The plain number that the first world got here; it is recorded on the tape as read.
        ``last``: whether it is part of the function's answer."""
        number: Real = self.tape.read("number", [self.row], lambda: self.total, self.raw)
        if (self.bare or self.raw) and not last:
            self.tape.coin(place())
        return number

    def plus(self, other: Foreign, sign: int) -> Foreign:
        """The sum of this number and sign · other: a noisy number, unless all noise cancels."""
        if type(other) is not Noisy:
            if not is_number(other):
                return NotImplemented
            value = self.value + sign * other
            return Noisy(self.tape, value, self.terms, place())
        terms = dict(self.terms)
        for key, (atom, factor) in other.terms.items():
            own = terms[key][1] if key in terms else 0
            terms[key] = atom, own + sign * factor
        terms = {key: term for key, term in terms.items() if term[1] != 0}
        value = self.value + sign * other.value
        bare = self.bare and other.bare
        return Noisy(self.tape, value, terms, place(), bare=bare) if terms else value

    def times(self, factor: Foreign) -> Foreign:
        """The product of this number and a factor: a noisy number, unless the factor is 0."""
        if type(factor) is Noisy:
            return applied(operator.mul, self, factor)
        if not is_number(factor):
            return NotImplemented
        terms = {key: (atom, own * factor) for key, (atom, own) in self.terms.items()}
        if factor == 0:
            return self.value * factor
        made = Noisy(self.tape, self.value * factor, terms, self.met, bare=self.bare)
        made.unit = self.unit * factor
        return made

    def __add__(self, other: Foreign) -> Foreign:
        return self.plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Foreign) -> Foreign:
        return self.plus(other, -1)

    def __rsub__(self, other: Foreign) -> Foreign:
        return self.times(-1).plus(other, 1)

    def __mul__(self, other: Foreign) -> Foreign:
        return self.times(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Foreign) -> Foreign:
        if type(other) is Noisy or not is_number(other) or other == 0:
            return applied(_quotient, self, other)
        return self.times(1 / other)

    def __neg__(self) -> Foreign:
        return self.times(-1)

    def __pos__(self) -> Foreign:
        return self

    def __float__(self) -> float:
        return float(self.read())

    def __int__(self) -> int:
        return int(self.read())

    def __complex__(self) -> complex:
        return complex(self.read())

    def __repr__(self) -> str:
        return repr(self.read())

    def __format__(self, spec: str) -> str:
        return format(self.read(), spec)

    def __hash__(self) -> int:
        return hash(self.read())

    def __getattr__(self, name: str) -> Foreign:
        """The method that NumPy or Python looks up for a function such as ``log``."""
        function = getattr(np, name, None)
        if isinstance(function, np.ufunc):
            return lambda: applied(function, self)
        if name.startswith("__") or not hasattr(np.float64, name):
            raise AttributeError(name)
        return getattr(np.float64(self.read()), name)


def kind_of(thing: object) -> type[Foreign]:
    """The exact type of an object, as ``Any`` for type checkers."""
    return type(thing)


def is_number(thing: object) -> bool:
    """Whether an object is a plain number of Python or NumPy, without noise."""
    kind = kind_of(thing)
    return kind is not Noisy and issubclass(kind, (int, float, np.integer, np.floating))


def _quotient(one: Foreign, other: Foreign) -> Foreign:
    return one / other


def without_noise(thing: Foreign) -> Foreign:
    """The object itself; of a noisy number, its plain number with noise, recorded as read."""
    return thing.read() if type(thing) is Noisy else thing


def applied(function: Callable[..., Foreign], *arguments: Foreign) -> Foreign:
    """The result of a nonlinear function. If the arguments are pure noise, the result is noise of a
    new law; otherwise noisy arguments are read first."""
    noisy: list[Noisy] = [each for each in arguments if type(each) is Noisy]
    if not noisy or not all(each.bare or each.raw for each in noisy):
        return function(*map(without_noise, arguments))
    tape = noisy[0].tape
    made = function(*(each.total if type(each) is Noisy else each for each in arguments))
    if not is_number(made):
        return function(*map(without_noise, arguments))
    drawn = tape.draw(MADE, (), (), lambda: made)
    if drawn.result != made:
        tape.coin(place())
        return made
    (atom,) = tape.atoms(drawn, [1])
    return Noisy(tape, 0, {atom.number: (atom, 1)}, place(), bare=True)


def compared(test: Callable[[Foreign, Foreign], bool]) -> Callable[[Noisy, Foreign], Foreign]:
    """The method of ``Noisy`` for a comparison operator; the tape records the outcome only, and not
    the compared numbers."""

    def compare(self: Noisy, other: Foreign) -> Foreign:
        difference = self.plus(other, -1)
        if type(difference) is not Noisy:
            return NotImplemented if difference is NotImplemented else test(difference, 0)
        return chosen("comparison", [difference], lambda: test(difference.total, 0))

    return compare


def chosen(reading: str, noisy: Sequence[Noisy], result: Callable[[], Foreign]) -> Foreign:
    """The outcome of a choice or comparison between noisy numbers, which the tape records as one
    reading of them all."""
    tape, raw = noisy[0].tape, all(each.bare or each.raw for each in noisy)
    if raw:
        tape.coin(place())
    return tape.read(reading, [each.row for each in noisy], result, raw)


def _unary(self: Noisy, function: Callable[..., Foreign], *rest: Foreign) -> Foreign:
    """The method of ``Noisy`` for a function whose first argument is the noisy number."""
    return applied(function, self, *rest)


def _reflected(self: Noisy, function: Callable[..., Foreign], other: Foreign) -> Foreign:
    """The method of ``Noisy`` for an operator whose second operand is the noisy number."""
    return applied(function, other, self)


_COMPARISONS: Final = ("lt", "le", "gt", "ge", "eq", "ne")
_OPERATORS: Final = ("pow", "floordiv", "mod")
_OWN: Final[dict[str, Callable[..., Foreign]]] = {
    "abs": abs, "round": round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
}  # fmt: skip


def _operators() -> None:
    for name in _COMPARISONS:
        setattr(Noisy, f"__{name}__", compared(getattr(operator, name)))
    for name in _OPERATORS:
        setattr(Noisy, f"__{name}__", partialmethod(_unary, getattr(operator, name)))
    for name in (*_OPERATORS, "truediv"):
        setattr(Noisy, f"__r{name}__", partialmethod(_reflected, getattr(operator, name)))
    for name, function in _OWN.items():
        setattr(Noisy, f"__{name}__", partialmethod(_unary, function))


_operators()


def resolved(thing: Foreign, depth: int = 0) -> Foreign:
    """The audited function's answer with its noisy numbers read, as plain numbers."""
    kind = kind_of(thing)
    if kind is Noisy:
        return thing.read(last=True)
    if issubclass(kind, np.ndarray) and thing.dtype == object:
        return np.array([resolved(each, depth) for each in thing.ravel().tolist()])
    if depth > _DEEPEST:
        return thing
    if issubclass(kind, (list, tuple, set, frozenset)):
        return [resolved(each, depth + 1) for each in thing]
    if issubclass(kind, dict):
        return {key: resolved(each, depth + 1) for key, each in thing.items()}
    if hasattr(thing, "__dict__") and not callable(thing):
        return kind.__qualname__, resolved(vars(thing), depth + 1)
    return thing


_DEEPEST: Final = 8
"""The largest depth at which ``resolved`` searches a nested answer for noisy numbers."""


def same(one: Foreign, other: Foreign) -> bool:
    """Whether two answers of the audited function are equal in all their nested parts."""
    kinds = kind_of(one), kind_of(other)
    if kinds == (dict, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if all(issubclass(kind, (list, tuple)) for kind in kinds):
        return len(one) == len(other) and all(map(same, one, other))
    try:
        return bool(np.array_equal(one, other, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(one, other))
