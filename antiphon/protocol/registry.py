"""Declarations of classes: their names in transcripts, and whether they can compute with columns.

A file names a registered type and never holds code. ``set_derived`` sets those fields of a frozen
object that are computed from its other fields.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import wraps
from inspect import isclass, signature
from typing import Any, Final, TypeAlias, TypeVar, overload

import attrs

from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.exact import written

Thing = TypeVar("Thing")
Fields: TypeAlias = "tuple[str, ...]"

MARK: Final = "__column_safe__"
_MISSING: Final = object()
_emptied: Final[list[Callable[[], object]]] = []
empties: Final = _emptied.append
"""Register a function that clears a cache; it is called whenever a class or function is declared
``column_safe``."""


class _Names:
    """A registry of names: from a name to a class or object, and back."""

    def __init__(self) -> None:
        self.things: dict[str, object] = {}
        self._names: dict[int, str] = {}

    def add(self, name: str, thing: object) -> None:
        self.things[name] = thing
        self._names[id(thing)] = name

    def of(self, thing: object) -> str | None:
        name = self._names.get(id(thing))
        return name if name is not None and self.things.get(name) is thing else None

    def find(self, name: str) -> Any:
        if name not in self.things and name.startswith(_OURS):
            for load in _unread:
                load()
        return self.things.get(name)


_said, _states = _Names(), _Names()
"""Two registries of names: of types in transcripts, and of types in saved states only."""

_unread: Final[list[Callable[[], object]]] = []
_OURS: Final = "antiphon."

EXAMPLE: Final = "example"
"""The metadata key of an attrs field whose value an error message shows by an example to copy."""
SECRET: Final = "secret"
"""The metadata key of an attrs field that only recordings contain: metadata={"secret": True}."""


def register(name: str, *, state: bool = False) -> Callable[[Thing], Thing]:
    """Decorator: give an attrs class, or an object made by a decorator, a name in transcripts.

    Names look like "package.name/1"; raise the number when the parameters change
    meaning. Registering the same definition again (a reloaded file) replaces it.

    ``state``: values of the class occur only in states, which durable sessions save, and in no
    message; the class may be a named tuple, too. The name does not contain its module, so its file
    may move.

    Raises: InvalidArgument for a name without a version, a name that another
    definition has, or a class that is not an attrs class.
    """
    if type(name) is not str:  # pyright: ignore[reportUnnecessaryComparison]
        raise InvalidArgument(
            f"register takes a name, @register('package.name/1'), not {of_kind(name)}"
        )
    if name.count("/") != 1 or not name.split("/")[1].isdigit():
        raise InvalidArgument(f"a registered name looks like 'package.name/1', not {name!r}")

    def add(thing: Thing) -> Thing:
        kind: object = thing
        if not state and isclass(kind) and not (attrs.has(kind) or issubclass(kind, enum.Enum)):
            raise InvalidArgument(f"{kind.__name__} must be an attrs class or an Enum")
        if state and not (isclass(kind) and keeps_parts(kind)):
            raise InvalidArgument(f"{_origin(thing)} must be an attrs class or a named tuple")
        ours = _module(thing).startswith(_OURS)
        for names in (_said, _states):
            known = names.things.get(name) if ours else names.find(name)
            if known is not None and _origin(known) != _origin(thing):
                raise InvalidArgument(f"{name!r} is already the name of {_origin(known)}")
        (_states if state else _said).add(name, thing)
        if isclass(kind) and not state:
            named_parameters(reads_well(kind))
        return thing

    return add


@overload
def column_safe(part: Thing, /) -> Thing: ...
@overload
def column_safe(*, of: str | Fields) -> Callable[[Thing], Thing]: ...
def column_safe(part: object = _MISSING, /, *, of: str | Fields = ()) -> object:
    """Decorator: declares that a class or function computes with columns (one number per replica)
    as it does with numbers.

    For a plain function, and for the class of a mechanism, post-processor, adversary, verification
    function, relation or space. Arithmetic, comparison and ``if`` work with columns; ``type(x) is
    float``, ``math.…`` and dictionary keys do not. A subclass inherits the declaration unless it
    overrides a method that computes, helpers included; then the subclass needs its own declaration.
    It may override the descriptive attributes ``claims``, ``verification``, ``signature`` and
    ``initial_state``.

    Args: ``of``, the fields that must be safe too, where a part hands columns on to others; a
    tuple is safe if its items are, and None is.

    >>> from antiphon.protocol.coins.column_safety import is_column_safe
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

    def declare(thing: Thing) -> Thing:
        # For an object that a decorator made of a function, the mark is set on that function.
        marked = thing if isclass(thing) else getattr(thing, "function", thing)
        setattr(marked, MARK, names)
        for empty in _emptied:
            empty()
        return thing

    return declare if part is _MISSING else declare(part)


def set_derived(made: object, /, **values: object) -> None:
    """Set derived fields of a frozen object; to be called from its constructor only."""
    set_field = object.__setattr__
    for name, value in values.items():
        set_field(made, name, value)


def keeps_parts(kind: type) -> bool:
    """Whether values of a class are saved field by field: an attrs class, a named tuple, or a class
    with the method ``__keep__``."""
    return is_named_tuple(kind) or attrs.has(kind) or hasattr(kind, "__keep__")


def is_named_tuple(kind: type) -> bool:
    """Whether a class was made by ``NamedTuple``, or inherits from such a class."""
    return tuple in kind.__mro__ and hasattr(kind, "_fields")


_GENERATED: Final = "<attrs generated"
"""The beginning of the source-file name that attrs gives to the methods that it generates."""


def reads_well(kind: type[Thing]) -> type[Thing]:
    """Decorator, part of ``register``: the class prints exact numbers as ``Pure(epsilon=0.1)``,
    not ``Fraction(1, 10)``, if attrs made its ``__repr__``."""
    if _by_attrs(kind, "__repr__"):
        kind.__repr__ = _printed  # type: ignore[method-assign]
    return kind


def named_parameters(kind: type[Any]) -> None:
    """Part of ``register``: a wrong constructor call raises an error that shows the call to write.

    The check is left out where every parameter is positional and has a default. A field with
    ``metadata={EXAMPLE: "…"}`` is shown as this example, whatever was given; and a class with a
    text ``call_to_write`` shows it if a parameter was given without a name.
    """
    own = "__attrs_init__" in vars(kind)  # a handwritten constructor that calls ``__attrs_init__``
    written_by_attrs = own or _by_attrs(kind, "__init__")
    if not written_by_attrs or not any(map(_is_needed, attrs.fields(kind))):
        return
    make: Any = vars(kind)["__init__"]

    @wraps(make)
    def construct(self: object, *given: object, **named: object) -> None:
        try:
            make(self, *given, **named)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # The constructor ran and raised: the call itself was right.
            raise InvalidArgument(_call_to_write(kind, make, given, named)) from None

    kind.__init__ = construct


def _is_needed(field: attrs.Attribute[Any]) -> bool:
    """Whether a constructor call must name or give a field: no default, or keyword-only."""
    return field.init and (field.kw_only or field.default is attrs.NOTHING)


_WITHIN: Final = {
    "rho": "; within (ε, δ) is rho=ap.composition.accounting.rho_within(epsilon, delta)",
    "order": "; docs/filters.md has the order and the budget within (ε, δ)",
}
"""For a name of a parameter, how its value follows from an ε and a δ."""


def _call_to_write(
    kind: type[Any],
    make: Callable[..., object],
    given: tuple[object, ...],
    named: dict[str, object],
) -> str:
    """The error text of a wrong constructor call: the mistake, and the call probably meant."""
    _, *parameters = signature(make).parameters.values()
    # In the call that the error text shows, required parameters come first.
    parameters.sort(key=lambda each: each.default is not each.empty)
    names = [each.name for each in parameters]
    if unknown := [name for name in named if name not in names]:
        cures = (cure for has, cure in _WITHIN.items() if has in names and "epsilon" in unknown)
        cure = next(cures, "")
        return f"{kind.__name__} has no parameter {unknown[0]!r}; it has {', '.join(names)}{cure}"
    values = dict(zip(names, given, strict=False)) | named
    examples = {each.alias: each.metadata.get(EXAMPLE) for each in attrs.fields(kind)}
    needed = {each.name for each in parameters if each.default is each.empty} | values.keys()
    call = ", ".join(
        f"{name}={examples[name] or (written(values[name]) if name in values else '…')}"
        for name in names
        if name in needed
    )
    places = sum(each.kind is not each.KEYWORD_ONLY for each in parameters)
    wrong = "takes its parameters by name" if len(given) > places else "needs more parameters"
    if 0 < places < len(given):
        wrong = f"takes {places} parameter{'s' * (places > 1)} without a name"
    call = f"{kind.__name__}({call})"
    if given:
        call = getattr(kind, "call_to_write", call)
    return f"{kind.__name__} {wrong}; write {call}"


def _by_attrs(kind: type, method: str) -> bool:
    """Whether a method of a class was generated by attrs."""
    code = getattr(vars(kind).get(method), "__code__", None)
    return code is not None and code.co_filename.startswith(_GENERATED)


def _printed(self: object) -> str:
    kind: type[Any] = type(self)
    shown: list[str] = []
    for field in attrs.fields(kind):
        if field.repr is not False:
            name, how = field.alias if field.init else field.name, field.repr
            value = getattr(self, field.name)
            shown.append(f"{name}={written(value) if how is True else how(value)}")
    return f"{kind.__qualname__.rsplit('>.', 1)[-1]}({', '.join(shown)})"


def suggest(name: str, thing: object) -> None:
    """Give a provisional name to a class or object without a registered name; another object may
    take the name later.

    For objects in the variables of a user's file: "file.variable/0". Where that file has not been
    run, the name counts as unregistered.
    """
    if registered_name(thing) is None:
        _said.add(name, thing)


def is_suggested(name: str) -> bool:
    """Whether a name is a provisional one (version 0), which no author registered."""
    return name.endswith("/0")


def _definition(thing: object) -> Any:
    """The class itself, if ``thing`` is a class; for an object, the function that it was made of,
    or else its class."""
    return thing if isclass(thing) else getattr(thing, "function", type(thing))


def _origin(thing: object) -> str:
    return str(_definition(thing).__qualname__)


def _module(thing: object) -> str:
    return str(_definition(thing).__module__)


def registered_name(thing: object) -> str | None:
    """The name under which a class or object is registered; None if it is not registered."""
    return _said.of(thing)


def state_name(kind: type) -> str | None:
    """The name by which values of a class are stored in saved states; None if it has none."""
    return _states.of(kind) or (_said.of(kind) if keeps_parts(kind) else None)


def lookup(name: str) -> Any:
    """The class or object with a registered name; None if the name is not registered."""
    return _said.find(name)


def lookup_state(name: str) -> Any:
    """The class of the values that saved states store under this name; None if there is none."""
    found = _said.things.get(name) or _states.find(name) or _said.find(name)
    return found if isclass(found) and keeps_parts(found) else None


def also_in(load: Callable[[], object]) -> None:
    """Register a function that imports more modules; it is called when a name of this library is
    looked up in vain.

    Some packages are imported on first use, and a transcript may name one of their types before.
    """
    _unread.append(load)


@attrs.frozen
class Unregistered:
    """A placeholder, in a loaded view, for a value whose type has no registered name."""

    name: str
    text: str = attrs.field(default="", repr=False)
    """The JSON text of the value in the file; empty if the file gives its type's name only."""


def name_of(part: object) -> str:
    """The name of a part (mechanism, adversary, …) in texts for people: the name of the function
    that it was made of, or else of its class.

    >>> name_of(name_of), name_of(Named())
    ('name_of', 'Named')
    """
    name = getattr(part, "__name__", None)
    return name if type(name) is str else type(part).__name__


class Named:
    """Base class of parts made of one plain function: texts and errors show the function's name."""

    __slots__ = ()
    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", type(self).__name__))

    def __repr__(self) -> str:
        return f"<{self.__name__}, {of_kind(self)}>"
