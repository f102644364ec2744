"""A number with noise on it, whose parts are known: value + Σ coefficient · draw.

Sums and multiples of it stay such numbers. Where anything else is done with it, it is *read*:
the tape keeps value and draws, and in the second world the reading is that of the first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, Union

import numpy as np

from antiphon.audit.graybox.tape import MADE, RAW, Atom, Place, Real, Row, Tape, place

Terms = dict[int, tuple[Atom, Real]]


class Noisy:
    """value + Σ coefficient · draw. It looks like a float."""

    __slots__ = ("bare", "met", "tape", "terms", "unit", "value")

    def __init__(
        self, tape: Tape, value: Real, terms: Terms, met: Place, *, unit: Real = 1, bare: bool = False
    ) -> None:
        self.tape, self.value, self.terms = tape, value, terms
        self.met, self.unit, self.bare = met, unit, bare

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return float

    @property
    def raw(self) -> bool:
        """Whether only draws that other noise is made of are on it."""
        return all(atom.law == RAW for atom, _ in self.terms.values())

    @property
    def total(self) -> Real:
        """What it amounts to in this world."""
        return self.value + sum(factor * atom.drawn for atom, factor in self.terms.values())

    @property
    def row(self) -> Row:
        """As it stands on the tape."""
        return Row(self.value, tuple(self.terms.values()), self.met, self.unit)

    def read(self) -> Real:
        """The number, as the first world read it."""
        pure = self.bare or self.raw
        number: Real = self.tape.read("number", [self.row], lambda: self.total, pure)
        if pure:
            self.tape.coin(place())
        return number

    def plus(self, other: Any, sign: int) -> Any:
        """self + sign · other."""
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

    def times(self, factor: Any) -> Any:
        """self · factor."""
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

    def __add__(self, other: Any) -> Any:
        return self.plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self.times(-1).plus(other, 1)

    def __mul__(self, other: Any) -> Any:
        return self.times(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Noisy or not is_number(other) or other == 0:
            return applied(operator.truediv, self, other)
        return self.times(1 / other)

    def __neg__(self) -> Any:
        return self.times(-1)

    def __pos__(self) -> Any:
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

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from antiphon.audit.graybox.noisy_arrays import universal

        return universal(ufunc, method, inputs, options)

    def __getattr__(self, name: str) -> Any:
        """NumPy asks an object for ``log``, Python for ``is_integer``."""
        function = getattr(np, name, None)
        if isinstance(function, np.ufunc):
            return lambda: applied(function, self)
        if name.startswith("__") or not hasattr(np.float64, name):
            raise AttributeError(name)
        return getattr(np.float64(self.read()), name)


def is_number(thing: object) -> bool:
    """Whether it is a plain number, NumPy's included."""
    return isinstance(thing, (int, float, np.integer, np.floating)) and type(thing) is not Noisy


def plain(thing: Any) -> Any:
    """The thing itself; of a number with noise on it, what is read."""
    return thing.read() if type(thing) is Noisy else thing


def applied(function: Callable[..., Any], *arguments: Any) -> Any:
    """A function that is not linear: of noise alone it makes other noise, of the rest it reads."""
    noisy: list[Noisy] = [each for each in arguments if type(each) is Noisy]
    if not noisy or not all(each.bare or each.raw for each in noisy):
        return function(*map(plain, arguments))
    tape = noisy[0].tape
    made = function(*(each.total if type(each) is Noisy else each for each in arguments))
    if not is_number(made):
        return function(*map(plain, arguments))
    drawn = tape.draw(MADE, (), (), lambda: made)
    if drawn.values != made:
        tape.coin(place())
        return made
    (atom,) = tape.atoms(drawn, [1])
    return Noisy(tape, 0, {atom.number: (atom, 1)}, place(), bare=True)


def compared(test: Callable[[Any, Any], bool]) -> Callable[[Noisy, Any], bool]:
    """A comparison is read as such; its two sides are not."""

    def compare(self: Noisy, other: Any) -> bool:
        difference = self.plus(other, -1)
        if type(difference) is not Noisy:
            return NotImplemented if difference is NotImplemented else test(difference, 0)
        return chosen("comparison", [difference], lambda: test(difference.total, 0))

    return compare


def chosen(reading: str, noisy: Sequence[Noisy], result: Callable[[], Any]) -> Any:
    """What is chosen by looking at numbers with noise on them."""
    tape, raw = noisy[0].tape, all(each.bare or each.raw for each in noisy)
    if raw:
        tape.coin(place())
    return tape.read(reading, [each.row for each in noisy], result, raw)


def rounded(digits: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function of the number alone, by its operator."""
    return lambda self, *rest: applied(lambda number: digits(number, *rest), self)  # type: ignore[call-arg]


_COMPARISONS: Final = ("lt", "le", "gt", "ge", "eq", "ne")
_OPERATORS: Final = ("pow", "floordiv", "mod")
_OWN: Final[dict[str, Callable[..., Any]]] = {
    "abs": abs, "round": round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
}  # fmt: skip


def _dunders() -> None:
    for name in _COMPARISONS:
        setattr(Noisy, f"__{name}__", compared(getattr(operator, name)))
    for name in _OPERATORS:
        function: Any = getattr(operator, name)
        setattr(Noisy, f"__{name}__", lambda a, b, f=function: applied(f, a, b))
        setattr(Noisy, f"__r{name}__", lambda a, b, f=function: applied(f, b, a))
    Noisy.__rtruediv__ = lambda a, b: applied(operator.truediv, b, a)  # type: ignore[attr-defined]
    for name, function in _OWN.items():
        setattr(Noisy, f"__{name}__", rounded(function))


_dunders()


def resolved(thing: Any, depth: int = 0) -> Any:
    """What is answered, with all noise in it read."""
    if type(thing) is Noisy:
        return thing.read()
    if isinstance(thing, np.ndarray) and thing.dtype == object:
        return np.array([resolved(each, depth) for each in thing.ravel().tolist()])
    if depth > 8:
        return thing
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [resolved(each, depth + 1) for each in thing]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(thing, dict):
        return {key: resolved(each, depth + 1) for key, each in thing.items()}  # pyright: ignore[reportUnknownVariableType]
    if hasattr(thing, "__dict__") and not callable(thing):
        return type(thing).__qualname__, resolved(vars(thing), depth + 1)
    return thing


def same(one: Union[object, Any], other: Any) -> bool:
    """Whether two answers are equal, part by part."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))  # pyright: ignore[reportUnknownArgumentType]
    try:
        return bool(np.array_equal(one, other, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(one, other))
