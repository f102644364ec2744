"""Which pairs of runs of a post-processor have the same future: only one of these is explored.

P's next message is a function of its state, and the messages it may receive are a function of those
it has sent. Of a created mechanism only its query space, its answer space and its claims matter:
its own parameters, such as the initial histogram of a sparse vector, are ignored.

States are compared by their fingerprint (type and content); a state whose class may hide content
from it equals no other.
"""

import dataclasses
import enum
from collections.abc import Container, Hashable
from decimal import Decimal
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.complex_mechanism import unwrapped
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.suitable import Suitable, SuitableState
from antiphon.numbers.interning import fingerprint, has_plain_metaclass
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import ContinualMechanism, Verification
from antiphon.protocol.messages import ATOMS
from antiphon.protocol.provenance import claims_of, is_library_code, why_untrusted


def is_extended_composition(mechanism: ContinualMechanism) -> bool:
    """Whether a mechanism is an ExtConComp without a budget, perhaps inside a ``Certified``."""
    inner = unwrapped(mechanism)
    return type(inner) is ExtConComp and inner.budget is None


@attrs.frozen(eq=False)
class FromOutside:
    """A numbering of creations: those that no post-processor can tell apart share a number."""

    _numbers: dict[Hashable, int] = attrs.field(factory=dict[Hashable, int])
    _met: dict[int, tuple[Create, int]] = attrs.field(factory=dict[int, tuple[Create, int]])
    """The creations met, by ``id``, with their numbers; kept alive so that no ``id`` is reused."""

    def number(self, created: Create) -> int:
        """The number of a creation, shared by all creations with equal spaces and claims."""
        met = self._met.get(id(created))
        if met is None:
            mechanism = created.mechanism
            known = (
                mechanism.signature,
                claims_of(mechanism),
                created.claim,
                is_extended_composition(mechanism),
            )
            number = self._numbers.setdefault(content(known), len(self._numbers))
            met = self._met[id(created)] = created, number
        return met[1]

    def state(self, f: Verification, state: Any) -> Hashable:
        """A state of f' with its creations replaced by their numbers, if f' is of this library.

        Known are this library's functions of suitable sequences; for any other the state is
        unchanged.
        """
        kind = type(f)
        if type(state) is not SuitableState or not (
            is_library_code(kind) and issubclass(kind, Suitable)
        ):
            return content(state)
        children = [
            (self.number(created), self._inside(created, within), differed, asked)
            for created, within, differed, asked in state.children
        ]
        return tuple(children), content(state.purse)

    def _inside(self, created: Create, state: Any) -> Hashable:
        claim = created.claim
        return content(state) if claim is None else self.state(claim.verification, state)


_PLAIN: Final = ATOMS | {Decimal, range, type, np.ndarray, *np.sctypeDict.values()}
_BARE: Final = frozenset({object, tuple, frozenset})
_ANSWERS: Final = frozenset({"__fingerprint__", "__getattribute__", "__iter__"})
"""The methods by which a class may misreport its content when states are compared."""


def content(value: object) -> Hashable:
    """The fingerprint of a value if it determines the value; else a key equal to no other.

    A class may exclude a field from its ``==``, or define its own, so that a state with a secret
    equals one without.
    """
    return fingerprint(value) if _told(value) else object()


def _told(value: Any) -> bool:
    """Whether a value's fingerprint determines everything about the value."""
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if type(kind) is not type and not has_plain_metaclass(kind):
        return False
    if kind in _PLAIN:
        return True
    said: object = vars(kind).get("__fingerprint__")
    # A ``__fingerprint__`` of this library determines the value.
    if said is not None and why_untrusted(said) is None:
        return not _aside(value, ())
    ours = is_library_code(kind)
    if not ours and any(_ANSWERS & vars(base).keys() for base in kind.__mro__ if base not in _BARE):
        return False
    if issubclass(kind, enum.Enum):
        return any(kind.__eq__ is each.__eq__ for each in (object, int, str))
    if kind is Vector or issubclass(kind, tuple | frozenset):
        return not _aside(value, ()) and all(map(_told, value))
    fields = _fields(kind)
    if fields is None:
        return ours or kind.__hash__ is object.__hash__
    if not ours and (_aside(value, fields) or not all(fields.values())):
        return False
    return all(_told(getattr(value, name)) for name, compared in fields.items() if compared)


def _fields(kind: Any) -> dict[str, bool] | None:
    """The fields of an attrs class or dataclass, with whether they are compared; else None."""
    if "__attrs_attrs__" in vars(kind):
        return {field.name: bool(field.eq) for field in attrs.fields(kind)}
    if dataclasses.is_dataclass(kind):
        return {field.name: field.compare for field in dataclasses.fields(kind)}
    return None


def _aside(value: object, fields: Container[str]) -> bool:
    """Whether an object has attributes besides its declared ``fields``."""
    return any(name not in fields for name in getattr(value, "__dict__", None) or ())
