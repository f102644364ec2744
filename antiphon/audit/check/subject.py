"""The subject of a check: a mechanism, post-processor or f, the messages to try on it, and the
steps that it took."""

from __future__ import annotations

import ctypes
import inspect
import os
import random
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.check.examples import examples
from antiphon.audit.check.report import Finding, Tried
from antiphon.numbers.errors import REFUSALS, AntiphonError, PartError, of_kind
from antiphon.protocol import HALT, Coins, Draw, Mechanism, PostProcessor, RecordedCoins, Side
from antiphon.protocol.coins.sampled import SampledCoins, generator
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.spaces import NOTHING, Signature, Space

PYTHON: Final = "Python's global generator (random.…)"
NUMPY: Final = "NumPy's global generator (np.random.…)"
SYSTEM: Final = "the system's entropy (np.random.default_rng(), os.urandom, secrets, uuid4, …)"


@contextmanager
def record_randomness(used: set[str]) -> Generator[None, None, None]:
    """A context manager that adds to ``used`` the names of the global generators drawn from."""
    before, numbers = random.getstate(), _numbers()
    entropy = os.urandom
    module: Any = random

    def noticed(size: int) -> bytes:
        used.add(SYSTEM)
        return bytes(entropy(size))

    own = module._urandom
    os.urandom = module._urandom = noticed
    try:
        yield
    finally:
        os.urandom, module._urandom = entropy, own
        if random.getstate() != before:
            used.add(PYTHON)
        if _numbers() != numbers:
            used.add(NUMPY)


@contextmanager
def isolated_global_state(seed: int) -> Generator[None, None, None]:
    """A context manager that seeds the global generators, and restores their states at its end."""
    before, numbers = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numbers)


_WORDS: Final = ctypes.sizeof(ctypes.c_uint32 * 624) + ctypes.sizeof(ctypes.c_int)
"""The size in bytes of a Mersenne Twister's state: 624 words, and the position among them."""
_known: dict[bytes, object] = {}
"""A cache with at most one entry: from the bytes of NumPy's global generator, as last read, to its
state. It is empty if that state had a stored normal variate."""


def _numbers() -> object:
    """The state of NumPy's global generator.

    NumPy's own call takes longer than most steps, so one state is cached. If the words are equal,
    so is the state: a stored normal variate implies that more words were drawn.
    """
    module: Any = np.random  # NumPy's type stubs lack ``get_bit_generator``
    twister = module.get_bit_generator()
    if type(twister) is not np.random.MT19937:
        return content(np.random.get_state(legacy=False))
    words = ctypes.string_at(twister.ctypes.state_address, _WORDS)
    if (found := _known.get(words)) is None:
        state: Any = np.random.get_state(legacy=False)
        found = content(state)
        _known.clear()
        if not state["has_gauss"]:
            _known[words] = found
    return found


_DEEPEST: Final = 40
_PLAIN: Final = frozenset((int, float, complex, str, bytes, bool))


def content(value: Any, depth: int = 0) -> object:
    """A deep copy of a value that can be compared; an object of an unknown kind counts by its
    identity.

    Of an attrs class the compared fields are copied only: the others are caches.
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind in _PLAIN:
        return kind, repr(value)
    if depth > _DEEPEST or getattr(kind, "__immutable__", False):
        return kind, id(value)
    inner = partial(content, depth=depth + 1)
    if kind is np.ndarray:
        if value.dtype.hasobject:
            return kind, tuple(inner(item) for item in value.ravel().tolist())
        return kind, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return kind, tuple((inner(k), inner(v)) for k, v in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, set | frozenset):
        return kind, frozenset(inner(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return kind, tuple(inner(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if attrs.has(kind):
        fields = (field.name for field in attrs.fields(kind) if field.eq)
        return kind, tuple(inner(getattr(value, name, None)) for name in fields)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return kind, id(value), inner(vars(value))
    return kind, id(value)


def source_place(part: object, *names: str) -> str:
    """FILE:LINE of a part's decorated function; else of its first method with one of the ``names``;
    else of its class."""
    kind: type[Any] = part if inspect.isclass(part) else type(part)  # pyright: ignore[reportUnknownVariableType]
    function = getattr(part, "function", None)
    own = [function, *(inspect.getattr_static(kind, name, None) for name in names), kind]
    for each in own:
        found: Any = getattr(each, "fget", each)
        try:
            _, line = inspect.getsourcelines(found)
            return f"{inspect.getsourcefile(found)}:{line}"
        except (TypeError, OSError):
            continue
    return f"{kind.__module__}.{kind.__qualname__}"


Step: TypeAlias = Callable[..., object]


@attrs.frozen(eq=False)
class Taken:
    """One step that was taken in a check: its inputs, its result or error, and its draws."""

    before: object
    inputs: tuple[object, ...]
    """(message,) for a mechanism; (side, message) for a post-processor."""
    tape: tuple[Draw, ...]
    result: tuple[object, ...] | None
    """(next state, answer), or (next state, side, message); None if the step raised."""
    error: Exception | None
    changed: bool
    """Whether the step changed the state object that it was given, in place."""
    used: frozenset[str]
    """The sources of randomness that the step used besides its coins."""

    @property
    def refused(self) -> bool:
        """Whether the step refused the message before it drew any coins: nothing has happened."""
        return isinstance(self.error, REFUSALS) and not self.tape


def take(step: Step, state: object, inputs: tuple[object, ...], coins: Coins) -> Taken:
    """Take one step, and record its result, its draws, and forbidden side effects."""
    held, used = content(state), set[str]()
    # Strict coins make a crash inside a composition raise, too.
    own = RecordedCoins(coins, strict=True)
    result: Any = None
    error: Exception | None = None
    with record_randomness(used):
        try:
            result = step(state, *inputs, own)
        except Exception as raised:
            error = raised
    if error is None and not _fits(result, len(inputs) + 1):
        wanted = "(state, answer)" if len(inputs) == 1 else "(state, side, message)"
        error = PartError(f"a step returned {of_kind(result)}, not {wanted}")
        result = None
    changed = content(state) != held
    return Taken(state, inputs, own.take(), result, error, changed, frozenset(used))


def _fits(result: object, size: int) -> bool:
    return isinstance(result, tuple) and len(result) == size  # pyright: ignore[reportUnknownArgumentType]


def play(
    mechanism: Mechanism, initial: object, script: tuple[object, ...], seed: np.random.SeedSequence
) -> list[Taken]:
    """The steps that a mechanism takes on a list of messages, until it ends or crashes.

    A refused message changes nothing.
    """
    coins, state, taken = SampledCoins(seed), mechanism.enter(initial), list[Taken]()
    for message in script:
        taken.append(take(mechanism.step, state, (message,), coins))
        result, error = taken[-1].result, taken[-1].error
        if result is None:
            if isinstance(error, AntiphonError) and not taken[-1].tape:
                continue
            break
        state, answer = result
        if answer is HALT and mechanism.is_over(state):
            break
    return taken


@attrs.define(eq=False)
class Watched(PostProcessor):
    """A post-processor that does all that another one does, and records its steps."""

    processor: PostProcessor
    taken: list[Taken] = attrs.field(factory=list[Taken])

    @property
    def initial_states(self) -> Space:  # type: ignore[override]
        return self.processor.initial_states

    @property
    def initial_state(self) -> object:
        return self.processor.initial_state

    def enter(self, initial: object) -> object:
        return self.processor.enter(initial)

    def wired(self, right: Signature) -> Watched:
        return Watched(self.processor.wired(right), self.taken)

    def signature(self, right: Signature) -> Signature:
        return self.processor.signature(right)

    def is_over(self, state: object) -> bool | None:
        return self.processor.is_over(state)

    def refused(self, state: object, reason: str) -> object:
        return self.processor.refused(state, reason)

    def step(self, state: object, side: Side, message: object, coins: Coins) -> Any:
        one = take(self.processor.step, state, (side, message), coins)
        self.taken.append(one)
        if one.error is not None:
            raise one.error
        return one.result


_SCRIPTS: Final = 16
_LONGEST: Final = 6
_STARTS: Final = 2
PLAYING, COLUMNS, CLAIMS, TRYING, PROPERTIES = range(5)
"""The numbers of the independent random streams that a check's seed gives."""


Part: TypeAlias = Union[Mechanism, PostProcessor]


@attrs.frozen(eq=False)
class Subject:
    """The mechanism or post-processor that is checked; a post-processor in a chain with a mechanism
    on its right."""

    part: Part
    system: Mechanism
    """The system that plays: the mechanism itself, or P ∘* the mechanism on its right."""
    right: Mechanism | None
    """The mechanism on the right of a post-processor; None if a mechanism is checked."""
    given: tuple[object, ...] | None
    """The messages to try, as the caller gave them; None if the query space lists them."""
    seed: int

    @property
    def name(self) -> str:
        """The name of the mechanism or post-processor in reports."""
        return message_label(self.part)

    @property
    def is_link(self) -> bool:
        """Whether a post-processor is checked, and not a mechanism."""
        return self.right is not None

    @property
    def player(self) -> Part:
        """The mechanism or post-processor that is checked; a post-processor is told the message
        spaces of the mechanism on its right."""
        if self.right is None or isinstance(self.part, Mechanism):
            return self.part
        return self.part.wired(self.right.signature)

    def stream(self, name: int) -> np.random.SeedSequence:
        """The random stream with the number ``name``, derived from the check's seed."""
        return np.random.SeedSequence(self.seed, spawn_key=(name,))

    @cached_property
    def messages(self) -> tuple[object, ...]:
        """The messages to try. Raises: NotApplicable if none are known."""
        if self.given is not None:
            return self.given
        coins = generator(self.stream(TRYING))
        return examples(self.system.signature.queries, coins)

    @cached_property
    def scripts(self) -> tuple[tuple[object, ...], ...]:
        """The lists of messages to play: each message twice, and random lists."""
        own, coins = self.messages, generator(self.stream(PLAYING))
        short: list[tuple[object, ...]] = [(message, message) for message in own]
        if self.given is not None:
            short.append(own)
        mixed = coins.integers(max(1, len(own)), size=(_SCRIPTS, _LONGEST)).tolist()
        return (*short, *(tuple(own[i] for i in row) for row in mixed if own))

    @property
    def starts(self) -> tuple[object, ...]:
        """A few of the system's initial states; none if their space is infinite."""
        space = self.system.initial_states
        return tuple(islice(space.enumerate(), _STARTS)) if space.finite else ()

    @cached_property
    def taken(self) -> tuple[Taken, ...]:
        """The steps of the checked part in plays of all scripts, from a few initial states."""
        taken, link, system = list[Taken](), None, self.system
        if self.right is not None and isinstance(self.part, PostProcessor):
            link = Watched(self.part)
            system = link @ self.right
        for initial in self.starts:
            for place, script in enumerate(self.scripts):
                seed = np.random.SeedSequence(self.seed, spawn_key=(PLAYING, place))
                taken += play(system, initial, script, seed)
        return tuple(taken if link is None else link.taken)

    @cached_property
    def tried(self) -> Tried:
        """The number of steps that were not refused; 0 if none of them was an update of data."""
        steps = [each for each in self.taken if not each.refused]
        secret = self.system.signature.updates
        data = secret == NOTHING or any(secret.contains(each.inputs[-1]) for each in steps)
        return Tried(len(steps) if data else 0, "step")

    def where(self, *names: str) -> str:
        """FILE:LINE of the first of the named methods that the part has; by default of its step."""
        return source_place(self.part, *(names or ("respond", "exchange", "step")))

    def finding(self, check: str, what: str, cure: str) -> Finding:
        """A finding about the checked part, with the place of its step."""
        return Finding(check, what, self.where(), cure)
