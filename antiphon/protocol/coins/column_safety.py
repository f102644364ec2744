"""Which parts may be handed columns: the one declaration, and the one question about it.

A population steps many replicas at once, with a *column* where a number differs from replica
to replica. A part that computes with columns as with numbers says so by ``@column_safe``; of all
others the replicas are told apart, which is slow but right.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from functools import lru_cache
from inspect import isclass
from typing import Any, Final, TypeAlias, TypeVar, overload

from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interning import honest

Declared = TypeVar("Declared")
Fields: TypeAlias = "tuple[str, ...]"

_MARK: Final = "__column_safe__"
_METHODS: Final = frozenset(
    {"step", "exchange", "respond", "holds", "contains", "contains_all", "__call__"}
)
"""What a declaration is about: whoever overrides one of them makes it anew."""
_MISSING: Final = object()


@overload
def column_safe(part: Declared, /) -> Declared: ...
@overload
def column_safe(*, of: str | Fields) -> Callable[[Declared], Declared]: ...
def column_safe(part: object = _MISSING, /, *, of: str | Fields = ()) -> object:
    """Decorator: declares that this computes with columns as it does with numbers.

    For a plain function, and for the class of a mechanism, a link, an adversary, an f, a relation
    or a space. Arithmetic, comparison and ``if`` will do; ``type(x) is float``, ``math.…`` and
    dictionary keys will not. A subclass that overrides ``step``, ``exchange``, ``respond``,
    ``holds``, ``contains`` or ``__call__`` does not inherit it.

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
    """What is not declared, of all that a part is made of: itself, or one of those it names.

    None if a population may hand it columns.
    """
    kind: Any = type(part)
    if kind is tuple:
        items: Any = part
        return next((item for item in map(unsafe, items) if item is not None), None)
    # A metaclass of another's may not be hashable, or lie about which class this is.
    plain = type(kind) is ABCMeta or type(kind) is type or honest(kind)
    names = _declared(kind) if plain else _declared.__wrapped__(kind)
    if names is None:
        return None if part is None or part is tuple or _is_marked(part) else part
    own: dict[str, object] | None = getattr(part, "__dict__", None)
    if own and not _METHODS.isdisjoint(own):
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
            same = all(_method(kind, name) is _method(base, name) for name in _METHODS)
            return fields if same else None
    return None


def _method(kind: type, name: str) -> object:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
