"""Columns: a number for each replica of a population, written as if it were one number.

This runs one step for many replicas: a block of replicas shares one state; where a number
differs from replica to replica, a ``Column`` stands in its place. Arithmetic and
comparisons work on all replicas at once; asking a column for its truth (``if``, ``min``) *splits*
the block, and code that needs a plain Python number runs replica by replica.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NoReturn, Protocol, TypeAlias, Union

import numpy as np

from antiphon.populations import arithmetic
from antiphon.populations.arithmetic import EXACT, UFUNCS, WIDE, Lanes, Values, numbers
from antiphon.protocol.messages import STAND_IN

KINDS: Final[dict[str, type]] = {"f": float, "i": int, "b": bool}

Operand: TypeAlias = Union["Column", float, Fraction, np.generic]
"""The other operand of an operation with a column: a column, a Python number, or a NumPy number."""
Made: TypeAlias = Union["Column", float, Fraction]
"""The type of the result of an operation: a column, or the number of a single replica."""


class Apart(BaseException):
    """Raised when the replicas must be stepped one by one, because a part of the system does not
    support columns.

    A BaseException, so that code which catches errors does not catch this one before the population
    does. ``part``: the part that does not support columns, if known.
    """

    def __init__(self, part: object = None) -> None:
        super().__init__()
        self.part = part


class Deciding(Protocol):
    """The interface of the coins that made a column: they split the block of replicas when the
    column's truth value is needed."""

    lanes: Lanes

    def decide(self, column: Column) -> bool:
        """The truth value of a column; if replicas disagree, the block is split."""
        ...

    def beside(
        self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """The result of a NumPy function (``ufunc``) of columns and arrays, for all replicas."""
        ...


class PerReplica(ABC):
    """Base class: a value for each replica of one population."""

    __slots__ = ("_lanes", "_values", "coins")
    __immutable__ = True

    def __init__(self, values: Any, coins: Deciding) -> None:
        self._values = values
        self._lanes = coins.lanes
        self.coins = coins

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a column belongs to one population and cannot be copied or pickled")

    @abstractmethod
    def _first(self) -> Any:
        """The value of the first replica that is being stepped, in ``alone()`` the only one."""

    def alone(self, part: object = None) -> Any:
        """The value of the only replica being stepped. Raises: Apart if there are several."""
        if self.coins.lanes.size > 1:
            raise Apart(part)
        return self._first()


def _converted(convert: Callable[[Any], Any]) -> Callable[[PerReplica], Any]:
    """A method such as ``__float__``: it converts the value of the only replica being stepped."""
    return lambda value: convert(value.alone())


class NumberLike(PerReplica):
    """A value for each replica, convertible to a Python number if a single replica is stepped."""

    __slots__ = ()

    __float__, __int__ = _converted(float), _converted(int)
    __index__ = _converted(operator.index)

    def __str__(self) -> str:
        return str(self.alone())

    def __format__(self, spec: str) -> str:
        return format(self.alone(), spec)


Operation: TypeAlias = Callable[["Column", Operand], Made]


def _both_ways(name: str) -> tuple[Operation, Operation]:
    """An arithmetic operator as two methods: the column is the left operand, or the right one."""

    def left(column: Column, other: Operand) -> Made:
        return column.arithmetic(other, name)

    def right(column: Column, other: Operand) -> Made:
        return column.arithmetic(other, name, swapped=True)

    return left, right


def _alone(name: str) -> Operation:
    return lambda column, other: column.in_python(other, name)


def _comparison(name: str) -> Operation:
    return lambda column, other: column.comparison(other, name)


def _logic(name: str) -> Operation:
    return lambda column, other: column.logic(other, name)


class Column(NumberLike):
    """An immutable vector with one number per replica: float, int or bool, never mixed.

    A result equals the one that Python gives for each replica alone: a Fraction is compared
    exactly; where an int would overflow 64 bits, or is too large to compare with a float, the
    replicas are stepped one by one (``Apart``).
    """

    __slots__ = ("_depth", "_sides", "kind")

    def __init__(self, values: Values, coins: Deciding) -> None:
        PerReplica.__init__(self, values, coins)
        self._sides: tuple[str, Operand, Operand] | None = None
        self._depth = 0
        self.kind = KINDS[values.dtype.kind]
        """The type of each replica's number: float, int or bool."""

    @classmethod
    def later(cls, kind: type, name: str, left: Operand, right: Operand, coins: Deciding) -> Column:
        """A column that is the result of an operation on columns of floats, computed only when its
        numbers are needed.

        A rerun of a step for another part of a split block repeats draws and decisions from its
        script, and so needs few of these numbers.
        """
        made = cls.__new__(cls)
        made._values, made._sides, made.kind, made.coins = None, (name, left, right), kind, coins
        made._lanes = coins.lanes
        made._depth = 1 + max(each._depth for each in (left, right) if type(each) is Column)
        if made._depth > _DEEPEST:
            made.at(made._lanes)
        return made

    def __repr__(self) -> str:
        return f"<Column of {self._lanes.size} {self.kind.__name__}s>"

    def now(self) -> Values:
        """The numbers of the replicas that are being stepped, as an array."""
        return self.at(self.coins.lanes)

    def at(self, lanes: Lanes) -> Values:
        """The numbers of the replicas in ``lanes``, all of which must belong to the column."""
        if self._sides is not None:
            (name, *sides), own = self._sides, self._lanes
            left, right = (x.at(own) if type(x) is Column else x for x in sides)
            with np.errstate(all="ignore"):
                self._values = UFUNCS[name](left, right)
            self._sides, self._depth = None, 0
        values: Values = self._values
        return values if lanes is self._lanes else values[lanes.places(self._lanes)]

    def _first(self) -> Any:
        return self.now()[0].item()

    # --- truth, hash, and conversion to a Python number ----------------------------------

    def __bool__(self) -> bool:
        return self.coins.decide(self)

    def __hash__(self) -> int:
        return hash(self.alone())

    def __round__(self, digits: int | None = None) -> Made:
        values = self.now()
        if digits is None and values.dtype.kind == "i":
            return self
        if digits is None and values.dtype.kind == "f" and np.all(np.abs(values) < WIDE):
            return Column(np.rint(values).astype(np.int64), self.coins)
        number: float = self.alone()
        return round(number, digits)

    # --- arithmetic ------------------------------------------------------------------------

    def __pos__(self) -> Column:
        return Column(numbers(self.now()), self.coins)

    def __neg__(self) -> Column:
        return Column(-numbers(self.now()), self.coins)

    def __abs__(self) -> Column:
        return Column(np.abs(numbers(self.now())), self.coins)

    __add__, __radd__ = _both_ways("add")
    __sub__, __rsub__ = _both_ways("sub")
    __mul__, __rmul__ = _both_ways("mul")
    __truediv__, __rtruediv__ = _both_ways("truediv")
    __floordiv__, __rfloordiv__ = _both_ways("floordiv")
    __mod__, __rmod__ = _both_ways("mod")
    __lshift__, __rshift__, __pow__ = map(_alone, ("lshift", "rshift", "pow"))

    def __divmod__(self, other: Operand) -> tuple[Made, Made]:
        return self // other, self % other

    def __rdivmod__(self, other: Operand) -> tuple[Made, Made]:
        return other // self, other % self

    def __trunc__(self) -> int:
        return int(self.alone())

    def __rpow__(self, other: Operand) -> Made:
        return self.in_python(other, "pow", swapped=True)

    def arithmetic(self, other: Operand, name: str, *, swapped: bool = False) -> Made:
        """The result of the operation ``name``; ``swapped``: the column is the right operand."""
        if self.kind is float and name in _OF_FLOATS and _is_exact(other):
            first, second = (other, self) if swapped else (self, other)
            return Column.later(float, name, first, second, self.coins)
        left = self.now()
        if _only_in_python(other, left):
            return self.in_python(other, name, swapped=swapped)
        right = _operand(other)
        if right is None:
            return _NEITHER
        if left.dtype.kind == right.dtype.kind == "b":
            # NumPy would add truth values as bools: True + True would be True.
            left = numbers(left)
        if swapped:
            left, right = right, left
        if arithmetic.differs_from_python(left, right, name):
            return self.in_python(other, name, swapped=swapped)
        return Column(UFUNCS[name](left, right), self.coins)

    def in_python(self, other: Operand, name: str, *, swapped: bool = False) -> Made:
        """The result that Python gives for the operation ``name`` where a single replica is
        stepped. Raises: Apart if there are several."""
        sides = (self.alone(), other.alone() if type(other) is Column else other)
        operation: Callable[[Operand, Operand], Made] = getattr(operator, name)
        return operation(*sides[::-1]) if swapped else operation(*sides)

    # --- comparison ------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        return self.comparison(other, "eq")

    def __ne__(self, other: object) -> Any:
        return self.comparison(other, "ne")

    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("lt", "le", "gt", "ge"))

    def comparison(self, other: Any, name: str) -> Made:
        """The result of a comparison, given by its name such as "lt"."""
        if self.kind is float and _is_exact(other):
            return Column.later(bool, name, self, other, self.coins)
        left = self.now()
        if type(other) is Fraction and left.dtype.kind == "f":
            return Column(arithmetic.against(left, other, name), self.coins)
        huge = type(other) is int and abs(other) >= WIDE and left.dtype.kind != "f"
        if huge and abs(other) > arithmetic.largest_int(left) + 1:
            return Column(np.full(left.shape, getattr(operator, name)(0, other)), self.coins)
        if _only_in_python(other, left):
            return self.in_python(other, name)
        right = _operand(other)
        if right is None:
            return _NEITHER
        largest = max(map(arithmetic.largest_int, (left, right)))
        if left.dtype.kind != right.dtype.kind and largest > EXACT:
            return self.in_python(other, name)
        return Column(UFUNCS[name](left, right), self.coins)

    # --- logic, and NumPy's functions --------------------------------------------------------

    __and__, __or__, __xor__ = map(_logic, ("and_", "or_", "xor"))
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Column:
        # In Python, ~True is -2, so truth values are converted to ints before logic.
        return Column(np.invert(numbers(self.now())), self.coins)

    def logic(self, other: Operand, name: str) -> Made:
        """The result of a bitwise operation on ints or truth values, such as "and_"."""
        if type(other) is int and abs(other) >= WIDE and self.kind is not float:
            return self.in_python(other, name)
        right = _operand(other)
        if right is None or self.kind is float or right.dtype.kind == "f":
            return _NEITHER
        return Column(getattr(operator, name)(self.now(), right), self.coins)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Operand, **options: object
    ) -> object:
        sides = [_operand(each) for each in inputs]
        if method == "__call__" and not options and all(side is not None for side in sides):
            found: Values = np.asarray(ufunc(*sides))
            if found.dtype.char in "dlq?":
                return Column(found, self.coins)
        return self.coins.beside(ufunc, method, inputs, options)


_NEITHER: Final[Made] = NotImplemented
_OF_FLOATS: Final = ("add", "sub", "mul")
"""The operations on doubles for which NumPy's result is always that of Python."""
_DEEPEST: Final = 8
"""The largest depth of nested operations on columns whose computation is postponed."""


def _is_exact(other: Any) -> bool:
    """Whether an operand is a float, a column of floats, or an int that a double equals."""
    kind: Any = type(other)  # pyright: ignore[reportUnknownVariableType]
    if kind is Column:
        return bool(other.kind is float)
    return kind is float or (kind is int and abs(other) <= EXACT)


def _operand(other: Any) -> Values | None:
    """The other operand of an operation in a form that NumPy takes; None if it is no number."""
    kind: Any = type(other)  # pyright: ignore[reportUnknownVariableType]
    if kind is Column:
        return other.now()  # type: ignore[no-any-return]
    if kind in (int, float, bool):
        return np.asarray(other)
    if kind is Fraction:
        # Python, too, converts a Fraction to a float before arithmetic with a float.
        return np.asarray(float(other))
    if isinstance(other, np.floating | np.integer | np.bool_):
        return _operand(other.item())  # type: ignore[no-untyped-call, unused-ignore]
    return None


def _only_in_python(other: Any, values: Values) -> bool:
    """Whether only Python can compute with this operand: a huge int, or a Fraction with ints."""
    kind: Any = type(other)  # pyright: ignore[reportUnknownVariableType]
    return (kind is int and abs(other) >= WIDE) or (kind is Fraction and values.dtype.kind != "f")


# --- columns among other values -------------------------------------------------------------


def same_numbers(left: Any, right: Any) -> bool:
    """Whether two numbers, of which some are columns, are the same message; if replicas disagree,
    the block is split.

    Compared by exact type and, for floats, bit by bit, as ``identical`` does.
    """
    kinds = [each.kind if type(each) is Column else type(each) for each in (left, right)]
    if kinds[0] is not kinds[1]:
        return False
    column = left if type(left) is Column else right
    a, b = (np.asarray(each.now() if type(each) is Column else each) for each in (left, right))
    if a.dtype.kind == "f":
        a, b = a.view(np.int64), b.view(np.int64)
    return bool(Column(np.equal(a, b), column.coins))


STAND_IN.of, STAND_IN.same = Column, same_numbers
