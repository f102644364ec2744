"""The exceptions of this package: one base class, and one class for each kind of fault.

Every message says what was wrong, what was expected and how to mend it, and shows public values
only: an error must not become a way to read the data. A wrong number of arguments of a user's
function raises when the function is decorated, not when it is called.
"""

import functools
import inspect
import re
import traceback
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar, cast


def with_article(noun: str) -> str:
    """A noun with its indefinite article: "a counter", "an RDP claim".

    >>> with_article("int"), with_article("Ask"), with_article("user level"), with_article("RDP")
    ('an int', 'an Ask', 'a user level', 'an RDP')
    """
    letter = noun[:1] in _SPELT and noun[:2].isupper()
    vowel = noun[:1].lower() in "aeio" or noun[:2].lower() in ("un", "up")
    return f"{'an' if letter or (vowel and not _AS_YOU.match(noun)) else 'a'} {noun}"


_SPELT: Final = "FHLMNRSX"
"""Letters whose names begin with a vowel sound, for the article of an acronym: an RDP claim."""
_AS_YOU: Final = re.compile("uni|one|eu", re.IGNORECASE)
"""Beginnings of nouns, such as "uni" or "one", that take the article "a" although the first
letter is a vowel."""


def of_kind(value: object) -> str:
    """The type of a value in words, without its value: "an int", "None", "the class TreeCounter";
    of a NumPy scalar also the call that makes it a plain number.

    >>> of_kind(1), of_kind(None), of_kind(Fraction)
    ('an int', 'None', 'the class Fraction')
    """
    if value is None:
        return "None"
    kind = type(value)
    if issubclass(kind, type):
        return f"the class {getattr(value, '__name__', 'of no name')}"
    plain = next((each for each in _PLAIN if each in kind.__name__), None)
    if kind.__module__ == "numpy" and plain is not None:
        return f"a NumPy {kind.__name__} (write {plain}(x))"
    return with_article(kind.__name__)


_PLAIN: Final = ("float", "int", "bool")


def shown(value: object) -> str:
    """A public number as text, if Python can print it; for any other value only its type."""
    if type(value) not in (int, float, Fraction):
        return of_kind(value)
    whole = value.numerator * value.denominator if isinstance(value, int | Fraction) else 0
    return f"a huge {type(value).__name__}" if whole.bit_length() > 256 else str(value)


class AntiphonError(Exception):
    """Root of every error this package raises on purpose.

    Raised by a ``step`` before any coin is drawn or data read, it is a
    *refusal*: the state is unchanged and the session goes on.
    """

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the error with its class, arguments and attributes, for another process."""
        return _raised_elsewhere, (type(self), self.args, self.__dict__)


def _raised_elsewhere(
    kind: type[AntiphonError], args: tuple[object, ...], fields: dict[str, object]
) -> AntiphonError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class InvalidArgument(AntiphonError, ValueError):
    """Raised for a value outside the space, range or shape that was declared for it."""


class UnknownOrder(InvalidArgument):
    """Raised by a Rényi curve (also a user's) at an order at which it is unknown.

    Accounting then takes ∞ at this order, and uses other orders; any other error of a curve is a
    fault.
    """


class ProtocolError(AntiphonError):
    """Raised for a message at the wrong time or from the wrong side, for example after a halt."""


class CompositionError(AntiphonError):
    """Raised for parts of a system that do not fit together, or a theorem's premise that fails."""


class TranscriptError(AntiphonError):
    """A saved view that is damaged, of another version, or no transcript of this library."""


class PartError(AntiphonError):
    """Raised for a part of a system (such as a mechanism) that breaks its contract: a step that
    crashes, or a verification function that returns no state.

    Such a fault is never counted as an outcome of the privacy game, where it would pass for
    privacy. The part's own exception is the ``__cause__``; ``ap.check`` looks for such faults.
    """


class ForeignError(AntiphonError):
    """Raised when code of another library failed to give an answer; that library's exception is the
    ``__cause__``.

    The other code may have drawn coins, so this counts as a failure after a draw.
    """


class FileError(AntiphonError, OSError):
    """A file that cannot be written whole: it exists, has another writer, or the disk is full."""


class ResumeError(AntiphonError):
    """A durable session that must not go on from this file, or its noise would be drawn twice."""


class BudgetExceeded(AntiphonError):
    """Raised for a charge that exceeds the remaining budget, which stays usable."""

    def __init__(
        self, requested: object, spent: object, remaining: object, what_fits: str = ""
    ) -> None:
        super().__init__(
            f"requested {requested}, but {spent} is spent and {remaining} remains; "
            f"ask for less{what_fits}, or build the composition with a larger budget"
        )
        self.requested = requested
        self.spent = spent
        self.remaining = remaining


class ReplayMismatch(AntiphonError):
    """A replay that differs from its recording: the first round that differs, and how."""

    def __init__(self, round: int | None, expected: str, actual: str) -> None:
        place = "a draw" if round is None else f"round {round}"
        super().__init__(
            f"replay differs at {place}: expected {expected}, got {actual}; "
            "replay with the very system, adversary and parameters that were recorded"
        )
        self.round = round
        self.expected = expected
        self.actual = actual


class Intractable(AntiphonError):
    """Raised for an exact computation larger than its limit, before it fills the memory."""

    def __init__(self, what: str, size: object, limit: object, cure: str = "") -> None:
        written = size if isinstance(size, str) else shown(size)
        super().__init__(f"{what}: size {written} is past the limit {limit}{cure}")
        self.size = size
        self.limit = limit


class ExecutorError(AntiphonError):
    """Raised for worker processes that cannot take a task, or that repeatedly die of a task.

    ``outcome`` holds the results computed until then (an ``Outcome``), or None.
    """

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class CheckpointError(AntiphonError):
    """A checkpoint that is damaged, of another experiment, or cannot be read or written."""


class MissingExtra(AntiphonError, ImportError):
    """Raised for an optional dependency that is not installed."""

    def __init__(self, package: str, extra: str = "", cure: str = "") -> None:
        where = f"it is in the extra antiphon[{extra}]: " if extra else ""
        cure = cure or f"pip install '.[{extra}]' in a clone"
        super().__init__(f"{package} is not installed; {where}run {cure}")
        self.package = package
        self.extra = extra


for _each in (AntiphonError, *AntiphonError.__subclasses__(), UnknownOrder):
    # Tracebacks show each class with the package from which users import it.
    _each.__module__ = "antiphon"

REFUSALS: Final = (InvalidArgument, ProtocolError, CompositionError, BudgetExceeded)
"""The errors by which a step refuses a message; a verifier answers them with HALT."""
READINGS: Final = (ReplayMismatch, Intractable, PartError)
"""The errors that never count as an outcome of a mechanism's step: its coins cannot be replayed or
enumerated, or a part of the system is faulty."""


# --- exceptions as text, for those that cannot be pickled -----------------------------------------

_LONG: Final = 300
"""The number of characters of an exception's text that are kept."""


def in_words(error: BaseException) -> tuple[str, str]:
    """The name of an exception's class, and its message ("" if ``__str__`` fails)."""
    try:
        return type(error).__name__, str(error)[:_LONG]
    except Exception:  # The method ``__str__`` may be a user's code, and fail.
        return type(error).__name__, ""


def from_words(kind: str, text: str) -> AntiphonError:
    """The error rebuilt from a saved class name and text: a PartError or a ProtocolError."""
    if kind == ProtocolError.__name__:
        return ProtocolError(text)
    return PartError(text if kind == PartError.__name__ else f"{kind}: {text}")


# --- the place where a part of a system failed, and the error for it ------------------------

_OURS: Final = str(Path(__file__).parent.parent)


def place(error: BaseException) -> str:
    """FILE:LINE of the code that raised an exception, outside this library if possible."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    found = (theirs or list(frames))[-1:]
    return f"{found[0].filename}:{found[0].lineno}" if found else "an unknown place"


def told(error: BaseException) -> str:
    """The class name and the message of an exception as one text."""
    kind, text = in_words(error)
    return f"{kind}: {text}" if text else kind


def crash(error: Exception, message: str, cure: str = "") -> PartError:
    """The PartError for a step that crashed on the test message ``message``; to be raised from the
    exception ``error``. ``cure``: what to change, where that is known.

    In live use a crash is an outcome, HALT (law 1). In a study, a step that always crashes would
    then count as perfectly private.
    """
    return PartError(
        f"a step crashed: {told(error)}, on {message}, at {place(error)}; a crash is no answer "
        f"whose privacy could be examined. {cure}Mend the step; to refuse a message, raise "
        "InvalidArgument before any coin is drawn"
    )


Called = TypeVar("Called", bound=Callable[..., object])


def written_as(call: str) -> Callable[[Called], Called]:
    """Decorator: if the arguments of a call do not fit the signature, the error shows ``call``, the
    call to write instead.

    >>> @written_as("twice(3)")
    ... def twice(number):
    ...     return 2 * number
    >>> twice()                                                     # doctest: +ELLIPSIS
    Traceback (most recent call last):
    antiphon.InvalidArgument: twice() missing 1 required ...argument: 'number'; write twice(3)
    """

    def decorate(function: Called) -> Called:
        @functools.wraps(function)
        def called(*given: object, **named: object) -> object:
            try:
                return function(*given, **named)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # The arguments fit: the TypeError was raised inside the function.
                raise InvalidArgument(f"{error}; write {call}") from None

        return cast("Called", called)

    return decorate


class Elsewhere:
    """A descriptor for an attribute that another class has, and this one has not: reading it raises
    an AttributeError that shows the call to write instead."""

    def __init__(self, cure: str) -> None:
        self._cure = cure

    def __set_name__(self, kind: type, name: str) -> None:
        self._name = name

    def __get__(self, thing: object, kind: type) -> "Elsewhere":
        if thing is None:
            return self
        raise AttributeError(f"{with_article(kind.__name__)} has no {self._name}: {self._cure}")


def listed(values: object, name: str, call: str) -> tuple[Any, ...]:
    """The items of a list as a tuple. Raises: InvalidArgument, with an example of a right call,
    if it is not iterable."""
    try:
        return tuple(cast("Iterable[Any]", values))
    except TypeError:
        raise InvalidArgument(f"{name} is a list, not {of_kind(values)}; write {call}") from None


def check_arity(function: Called, decorator: str, *arguments: str) -> Called:
    """The given function, checked to be callable with the arguments that the decorator passes to
    it. Raises: InvalidArgument."""
    wanted = f"{decorator} takes a function of ({', '.join(arguments)})"
    if not callable(function):  # pyright: ignore[reportUnnecessaryComparison]
        raise InvalidArgument(f"{wanted}, not {of_kind(function)}")
    try:
        # A decorated function is tested with its own signature, which may differ from that of the
        # function that it wraps.
        signature = inspect.signature(function, follow_wrapped=False)
    except ValueError:  # some functions that are not written in Python have no known signature
        return function
    try:
        signature.bind(*arguments)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        raise InvalidArgument(f"{wanted}, and {name} is one of {signature}") from None
    return function
