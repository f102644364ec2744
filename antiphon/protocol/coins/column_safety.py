"""The test whether a mechanism, post-processor or verification function may compute with columns,
one number per replica (``column_safe``).

A population steps many replicas at once, with a *column* where a number differs from replica
to replica. A part that computes with columns as with numbers is declared by ``@column_safe``; any
other part is stepped replica by replica, which is slow but right.
"""

from __future__ import annotations

from abc import ABCMeta
from functools import cached_property, lru_cache
from inspect import isclass
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final

from antiphon.numbers.interning import has_plain_metaclass
from antiphon.protocol.registry import MARK, Fields, empties

_METHODS: Final = frozenset(
    {"step", "exchange", "respond", "holds", "contains", "contains_all", "__call__"}
)
"""The names of methods that may be handed a column (an array with one number per replica)."""
_ABOUT: Final = frozenset(
    {"__new__", "__init__", "__init_subclass__", "__class_getitem__", "__attrs_init__",
     "__attrs_pre_init__", "__attrs_post_init__", "__repr__", "__eq__", "__ne__", "__lt__",
     "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__", "__getstate__",
     "__setstate__", "__reduce__", "__reduce_ex__", "__replace__", "__annotate__",
     "__annotate_func__", "__fingerprint__", "__keep__", "__restore__"}
)  # fmt: skip
"""The names of methods that only create, show, compare or store an object, and never get a column
(an array with one number per replica)."""
_UNSEEN: Final = frozenset(
    {"claims", "verification", "signature", "initial_state", "initial_states", "forwards_queries"}
)
"""The names of attributes that are read before an object's first step, and never hold a column (an
array with one number per replica)."""
_SLOTS: Final = (MemberDescriptorType, GetSetDescriptorType, cached_property)
"""The types of class attributes (descriptors) that only access a value stored in the object."""


def is_column_safe(part: object) -> bool:
    """Whether a part, a function, a relation or a space is declared ``column_safe``."""
    return unsafe(part) is None


def unsafe(part: object) -> object:
    """The first part that is not declared column-safe: the object itself, or an object in one of
    its fields; None if all are declared, so that a population may hand them columns."""
    kind: Any = type(part)
    if kind is tuple:
        items: Any = part
        return next((item for item in map(unsafe, items) if item is not None), None)
    # A user's metaclass may make a class unhashable, or equal to another class: then the cache is
    # not used.
    plain = type(kind) is ABCMeta or type(kind) is type or has_plain_metaclass(kind)
    names = _declared(kind) if plain else _declared.__wrapped__(kind)
    if names is None:
        return None if part is None or part is tuple or _is_marked(part) else part
    own: dict[str, object] | None = getattr(part, "__dict__", None)
    if own and any(name in _METHODS or _computes(name, _method(kind, name)) for name in own):
        # An attribute of the object replaces a method of its class, so the class's declaration does
        # not count.
        return part
    for name in names:
        found = unsafe(getattr(part, name))
        if found is not None:
            return found if _is_part(found) else part
    return None


def _is_marked(function: object) -> bool:
    """Whether a function or a method bears the mark of the decorator ``column_safe``."""
    plain = getattr(function, "__func__", function)
    return not isclass(plain) and MARK in getattr(plain, "__dict__", ())


def _is_part(value: object) -> bool:
    return any(_method(type(value), name) is not None for name in _METHODS)


@lru_cache(maxsize=1024)
def _declared(kind: type) -> Fields | None:
    """The fields that a class's ``column_safe`` declaration requires to be column-safe; None if the
    class is not declared, or overrides methods after the declaration."""
    for base in kind.__mro__:
        fields: Fields | None = vars(base).get(MARK)
        if fields is not None:
            known = {*map(id, base.__mro__)}
            more = (name for each in kind.__mro__ if id(each) not in known for name in vars(each))
            return None if any(_overrides(kind, base, name) for name in more) else fields
    return None


empties(_declared.cache_clear)


def _overrides(kind: type, base: type, name: str) -> bool:
    """Whether a method called ``name`` that may be handed a column is defined differently in the
    class ``kind`` than in its base class ``base``."""
    own, declared = _method(kind, name), _method(base, name)
    known = declared is not None or name in _METHODS or name[:2] == "__"
    return known and own is not declared and (_computes(name, own) or _computes(name, declared))


def _computes(name: str, attribute: object) -> bool:
    """Whether an attribute of a class is a method or a property that may be handed a column."""
    if name in _UNSEEN or name in _ABOUT:
        return False
    return type(attribute) not in _SLOTS and (callable(attribute) or hasattr(attribute, "__get__"))


def _method(kind: type, name: str) -> object:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
