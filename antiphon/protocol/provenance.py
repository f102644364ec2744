"""Provenance: which objects' claims count as proved, and which only as assumed (law 10).

A figure is *proved* only where a proof speaks of the very code that runs. A claim of a class of
this library is proved in its docstring and checked by tests; a claim of a user's class is the
user's word. Neither covers changed code: a subclass may change a step, a mixin its noise, an
instance attribute both; a part may promise less than the proof of the whole needs, and a number may
have its own ``__eq__``. So there are two questions:

* ``why_untrusted(value)``: is this value, with everything it contains, made of this library's
classes? * ``why_assumed(whole, stated)``: is an attribute such as ``claims`` or ``lifting``
declared by the class that does the computing, or given as a parameter when this object was made?

Both answer None, or the reason in words. Not defended against: patching this library's classes
while they run, and changing a frozen object afterwards (``object.__setattr__``, ``__setstate__``;
``flags.writeable`` of a read-only array). A method hidden by the ``__dict__`` of a subclass is seen
when the claim is read, but not if a chain looked up the step before.
"""

from __future__ import annotations

import abc
import enum
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, Final

import attrs
import numpy as np

from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.interning import has_plain_metaclass
from antiphon.protocol.claims import CERTAIN, Claim, Status
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.messages import ATOMS
from antiphon.protocol.registry import Unregistered
from antiphon.protocol.verification import Message, Refused, State, Verification, read

if typing.TYPE_CHECKING:
    from antiphon.protocol.mechanism import Mechanism

_HOME: Final = "antiphon."
_unproved: Final[set[str]] = set()
"""Module prefixes of deliberately broken classes, whose claims never count as proved."""
_proved: Final[set[str]] = set()
"""Modules whose claims may count as proved, although ``_unproved`` names their package."""


def nothing_proved_in(package: str, *, but: str = "") -> None:
    """Declare that no claim of a class in ``package`` is proved, except in the module ``but``."""
    _unproved.add(f"{package}.")
    _proved.add(but)
    _found.difference_update({kind for kind in _found if not _written(kind)})


_BARE: Final = frozenset(
    {object, tuple, abc.ABC, enum.Enum, typing.Generic, typing.Protocol, typing.NamedTuple}
)
"""The classes of Python itself that may be bases of a class whose claims count as proved."""
_INERT: Final = frozenset(
    {
        "__module__", "__qualname__", "__doc__", "__slots__", "__weakref__",
        "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__",
        "__conditional_annotations__", "__static_attributes__", "__firstlineno__",
        "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
        "__type_params__",
    }
)  # fmt: skip
"""Names of class attributes that do not change the behaviour of the class's objects."""


_found: Final[set[type]] = set()
"""A cache of the classes that are defined entirely in this library."""


def is_library_code(kind: type) -> bool:
    """Whether a class, and every class that it inherits from, is defined in this library."""
    if type(kind) is not abc.ABCMeta and not has_plain_metaclass(kind):
        return False
    if kind in _found:
        return True
    if not _written(kind):
        return False
    for base in kind.__mro__:
        if base not in _BARE and not _written(base):
            return False
    _found.add(kind)
    return True


def _written(kind: type | types.FunctionType) -> bool:
    """Whether a class or function is the one that a module of this library holds under its name."""
    module: object = kind.__module__
    if type(module) is not str or not module.startswith(_HOME):
        return False
    if f"{module}.".startswith(tuple(_unproved)) and module not in _proved:
        return False
    found: object = sys.modules.get(module)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def essence(kind: type) -> type:
    """The class that defines what an object does: subclasses that add nothing are skipped."""
    while has_plain_metaclass(kind) and len(kind.__mro__) > 1:
        base = kind.__mro__[1]
        if not _inert(kind) or kind.__mro__[1:] != base.__mro__:
            break
        kind = base
    return kind


def _inert(kind: type) -> bool:
    """Whether a class body adds nothing, except perhaps a ``__dict__`` for its objects."""
    return all(
        name in _INERT or (name == "__dict__" and type(each) is types.GetSetDescriptorType)
        for name, each in vars(kind).items()
    )


CREATED: Final[dict[str, bool]] = {"created": True}
"""Metadata for an attrs field that holds a mechanism created in a composition: ``why_untrusted``
may skip such a field, since this mechanism has a claim of its own."""


def why_untrusted(value: Any, *, but_created: bool = False) -> str | None:
    """The reason why a value is not made entirely of this library's classes; None if it is.

    Accepted are plain values, arrays, and objects of this library's classes whose fields are
    accepted, at every depth. ``but_created``: without the fields that our classes mark as
    ``CREATED``.

    >>> from antiphon.mechanisms import TreeCounter, UnboundedCounter
    >>> class Silent(TreeCounter):
    ...     def _noise(self, coins):
    ...         return 0
    >>> why_untrusted(UnboundedCounter(counter=Silent(horizon=2, epsilon=1)))
    'Silent._noise is not of this library'
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if type(kind) is not type and not has_plain_metaclass(kind):
        return f"{_addition(kind)} is not of this library"
    if kind in ATOMS or kind is np.ndarray:
        return None
    if kind is tuple or kind is frozenset:
        return _first(value, but_created)
    if kind is types.FunctionType:
        return None if _written(value) else f"{value.__qualname__} is not of this library"
    if not is_library_code(kind) and not is_library_code(essence(kind)):
        return f"{_addition(kind)} is not of this library"
    shadow = _shadow(value)
    if shadow is not None:
        return f"{kind.__name__}.{shadow} was set on the object itself"
    if isinstance(value, tuple):
        return _first(value, but_created)  # pyright: ignore[reportUnknownArgumentType]
    fields = getattr(kind, "__attrs_attrs__", ())
    looked_at = [
        getattr(value, field.name, None)
        for field in fields
        if field.init and not (but_created and CREATED.items() <= field.metadata.items())
    ]
    return _first(looked_at, but_created)


def _first(parts: Iterable[object], but_created: bool) -> str | None:
    for part in parts:
        kind = type(part)
        if type(kind) is type and kind in ATOMS:
            continue
        reason = why_untrusted(part, but_created=but_created)
        if reason is not None:
            return reason
    return None


def _addition(kind: type) -> str:
    """For an error text: the first member of a class that is defined outside this library."""
    if not has_plain_metaclass(kind):
        return f"the metaclass of {kind.__name__}"
    for base in kind.__mro__:
        added = [name for name in vars(base) if name not in _INERT and name != "__dict__"]
        if added and base not in _BARE and not _written(base):
            return f"{base.__name__}.{added[0]}" if _has_ours(kind) else base.__name__
    return kind.__name__


def _has_ours(kind: type) -> bool:
    """Whether a class inherits from a concrete class of this library; if so, an error names the
    member that the class adds."""
    return any(
        _written(base) and not getattr(base, "__abstractmethods__", ()) for base in kind.__mro__
    )


def _shadow(value: object) -> str | None:
    """The name of an attribute set on the object itself that is neither a field of its class nor a
    cached property; None if there is none."""
    own_dict: Mapping[str, object] = getattr(value, "__dict__", None) or {}
    if not own_dict:
        return None
    fields = {field.name for field in getattr(type(value), "__attrs_attrs__", ())}
    hidden = (name for name in own_dict if name not in fields and not _cached(value, name))
    return next(hidden, None)


def _hidden(value: object) -> str | None:
    """The name of a method hidden by an attribute set on the object itself; None if none is."""
    kind = type(value)
    own_dict: Mapping[str, object] = getattr(value, "__dict__", None) or {}
    return next((name for name in own_dict if callable(getattr(kind, name, None))), None)


def _cached(value: object, name: str) -> bool:
    """Whether a name in an object's ``__dict__`` is the stored value of a ``cached_property``."""
    return isinstance(getattr(type(value), name, None), cached_property)


def why_assumed(whole: object, stated: str, *, but_created: bool = False) -> str | None:
    """The reason why the attribute ``stated`` of an object (such as its claims) counts as unproved;
    None if it counts as proved.

    It counts as proved for objects made of this library's classes only, for an object whose own
    class declares the attribute, and for an object that was given the attribute as a parameter
    (``@mechanism(claims=…)``). It is unproved if a user's class inherits the attribute and adds
    anything, since the addition may have changed the computation.
    """
    alien = why_untrusted(whole, but_created=but_created)
    if alien is None:
        return None
    kind = essence(type(whole))
    given = any(f.name == stated and f.init for f in getattr(kind, "__attrs_attrs__", ()))
    if stated in vars(kind) and (given or not _written(kind)):
        hidden = _hidden(whole)
        return hidden and f"{kind.__name__}.{hidden} was set on the object itself"
    if is_library_code(kind):
        return f"{alien}, and the proof of {kind.__name__} speaks of this library's parts only"
    return f"{alien}, and {stated} is inherited; state it anew in {type(whole).__name__}"


def status(whole: object) -> Status:
    """PROVED for an object made entirely of this library's classes, else ASSUMED."""
    return Status.PROVED if why_untrusted(whole) is None else Status.ASSUMED


def assumed(claim: Claim) -> Claim:
    """The claim with the status ASSUMED if its status counted as true; for a mechanism other than
    the one that the claim's proof is about."""
    return attrs.evolve(claim, status=Status.ASSUMED) if claim.status in CERTAIN else claim


def proved(
    whole: object, measure: Measure, verification: Verification, source: str, *also: Measure
) -> tuple[Claim, ...]:
    """The claim that a mechanism ``whole`` has the privacy ``measure``, by the proof in ``source``:
    PROVED if the mechanism is made entirely of this library's classes, else ASSUMED.

    ``also``: other measures that the same source proves.
    """
    known = status(whole)
    first = Claim(measure, verification, known, source)
    return (
        (first, *(Claim(each, verification, known, source) for each in also)) if also else (first,)
    )


def claims_of(mechanism: Mechanism) -> tuple[Claim, ...]:
    """The claims of a mechanism as a tuple of ``Claim``; the property ``claims`` is read once.

    Raises: InvalidArgument if that is no tuple of claims.
    """
    return plain_claims(mechanism, mechanism.claims)


def plain_claims(mechanism: object, claims: object) -> tuple[Claim, ...]:
    """The claims that a mechanism states. Raises: InvalidArgument unless a tuple of ``Claim``."""
    plain = type(claims) is tuple
    for each in typing.cast("tuple[object, ...]", claims) if plain else ():
        if type(each) is Unregistered:
            raise InvalidArgument(
                f"a claim of {of_kind(mechanism)} has a part without a registered name: "
                "read it beside the file that it came from (on the command line: --with FILE.py, "
                "under its old file name)"
            )
        plain = plain and type(each) is Claim
    if not plain:
        raise InvalidArgument(
            f"the claims of {of_kind(mechanism)} must be a tuple of Claim: plain ones, "
            "none of a subclass"
        )
    return typing.cast("tuple[Claim, ...]", claims)


def reader(
    f: Verification[State, Message],
) -> Callable[[State, Message, Message], State | Refused]:
    """A function that makes one step of the verification function f and checks the result; for an f
    of this library, the unchecked step."""
    return f.step if is_library_code(type(f)) else partial(read, f)
