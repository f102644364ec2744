"""The declaration that a part may be handed columns, and the question whether it may.

A population steps many replicas at once, with a *column* where a number differs from replica
to replica. A part that computes with columns as with numbers says so by ``@column_safe``; of all
others the replicas are told apart, which is slow but right.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from functools import cached_property, lru_cache
from inspect import isclass
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final, TypeAlias, TypeVar, overload

from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.interning import has_plain_metaclass

Declared = TypeVar("Declared")
Fields: TypeAlias = "tuple[str, ...]"

_MARK: Final = "__column_safe__"
_METHODS: Final = frozenset(
    {"step", "exchange", "respond", "holds", "contains", "contains_all", "__call__"}
)
"""Methods that are handed columns."""
_ABOUT: Final = frozenset(
    {"__new__", "__init__", "__init_subclass__", "__class_getitem__", "__attrs_init__",
     "__attrs_pre_init__", "__attrs_post_init__", "__repr__", "__eq__", "__ne__", "__lt__",
     "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__", "__getstate__",
     "__setstate__", "__reduce__", "__reduce_ex__", "__replace__", "__annotate__",
     "__annotate_func__", "__fingerprint__", "__keep__", "__restore__"}
)  # fmt: skip
"""The methods about a part as a value: how it is made, shown, compared and kept."""
_UNSEEN: Final = frozenset(
    {"claims", "verification", "signature", "initial_state", "initial_states", "forwards_queries"}
)
"""Attributes that are read before a part is stepped, and never see a column."""
_SLOTS: Final = (MemberDescriptorType, GetSetDescriptorType, cached_property)
"""Where an object keeps a value of its own."""
_MISSING: Final = object()


@overload
def column_safe(part: Declared, /) -> Declared: ...
@overload
def column_safe(*, of: str | Fields) -> Callable[[Declared], Declared]: ...
def column_safe(part: object = _MISSING, /, *, of: str | Fields = ()) -> object:
    """Decorator: declares that this computes with columns as it does with numbers.

    For a plain function, and for the class of a mechanism, a link, an adversary, an f, a relation
    or a space. Arithmetic, comparison and ``if`` will do; ``type(x) is float``, ``math.…`` and
    dictionary keys will not. A subclass inherits it if it computes with the very methods that were
    declared: what overrides one of them, a helper too, makes the declaration anew. What says what
    the part is, ``claims``, ``verification``, ``signature`` and ``initial_state``, may be its own.

    Args: ``of``, the fields that must be safe too, where a part hands columns on to others; a
    tuple is safe if its items are, and None is.

    >>> @column_safe
    ... def first(answers):
    ...     return answers[0] > 0
    >>> is_column_safe(first), is_column_safe(lambda answers: answers[0])
    (True, False)
    """
    given: object = (of,) if type(of) is str else of
    if type(given) is not tuple or not all(type(name) is str for name in given):  # pyright: ignore[reportUnknownVariableType]
        raise InvalidArgument('of names fields: column_safe(of="relation"), or a tuple of names')
    names: Fields = given  # pyright: ignore[reportUnknownVariableType]

    if part is not _MISSING and not (callable(part) or hasattr(part, "function")):
        raise InvalidArgument(f"column_safe takes a class or a function, not {of_kind(part)}")

    def declare(thing: Declared) -> Declared:
        # A part that a decorator made of a function is as safe as the function.
        marked = thing if isclass(thing) else getattr(thing, "function", thing)
        setattr(marked, _MARK, names)
        _declared.cache_clear()
        return thing

    return declare if part is _MISSING else declare(part)


def is_column_safe(part: object) -> bool:
    """Whether a part, a function, a relation or a space has been declared to be."""
    return unsafe(part) is None


def unsafe(part: object) -> object:
    """The first part that is not declared column-safe: the part itself, or one that it names; None
    if all are.

    None if a population may hand it columns.
    """
    kind: Any = type(part)
    if kind is tuple:
        items: Any = part
        return next((item for item in map(unsafe, items) if item is not None), None)
    # A metaclass of another's may not be hashable, or lie about which class this is.
    plain = type(kind) is ABCMeta or type(kind) is type or has_plain_metaclass(kind)
    names = _declared(kind) if plain else _declared.__wrapped__(kind)
    if names is None:
        return None if part is None or part is tuple or _is_marked(part) else part
    own: dict[str, object] | None = getattr(part, "__dict__", None)
    if own and any(name in _METHODS or _computes(name, _method(kind, name)) for name in own):
        return part  # an attribute of the object stands in front of what was declared
    for name in names:
        found = unsafe(getattr(part, name))
        if found is not None:
            return found if _is_part(found) else part
    return None


def _is_marked(function: object) -> bool:
    """Whether a function, of its own or of a class, bears the mark."""
    plain = getattr(function, "__func__", function)
    return not isclass(plain) and _MARK in getattr(plain, "__dict__", ())


def _is_part(value: object) -> bool:
    return any(_method(type(value), name) is not None for name in _METHODS)


@lru_cache(maxsize=1024)
def _declared(kind: type) -> Fields | None:
    """The fields that objects of a class depend on; None if it, as it computes, said nothing."""
    for base in kind.__mro__:
        fields: Fields | None = vars(base).get(_MARK)
        if fields is not None:
            known = {*map(id, base.__mro__)}
            more = (name for each in kind.__mro__ if id(each) not in known for name in vars(each))
            return None if any(_overrides(kind, base, name) for name in more) else fields
    return None


def _overrides(kind: type, base: type, name: str) -> bool:
    """Whether a class computes with another method of that name than its base."""
    own, declared = _method(kind, name), _method(base, name)
    known = declared is not None or name in _METHODS or name[:2] == "__"
    return known and own is not declared and (_computes(name, own) or _computes(name, declared))


def _computes(name: str, attribute: object) -> bool:
    """Whether a class's attribute is a method, or a property, that may see a column."""
    if name in _UNSEEN or name in _ABOUT:
        return False
    return type(attribute) not in _SLOTS and (callable(attribute) or hasattr(attribute, "__get__"))


def _method(kind: type, name: str) -> object:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
