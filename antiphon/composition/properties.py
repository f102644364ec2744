"""The destination, response and f→f' properties of a post-processor (CM §6.1).

Two runs of P in lockstep, with the same senders and the same messages from the right
and left messages whose pairs are f-valid, must send to the same side (destination), send the same
message to the left (response), and send an f'-valid sequence of pairs to the right (f→f').

Here all three are required in *f-valid* runs only. The paper requires the first two for any left
messages (``strict=True``), but Thm 6.1 needs no more, so that a public query, whose pairs f allows
only as (q, q), may decide to which side P sends:

V[f] stands to the left of P. In V[f] ∘* I(b) ∘* P ∘* M the pairs that pass V[f] are f-valid;
at the first that is not V[f] halts, and P is not stepped again. So let (m₁, …, m_t) be f-valid,
and let P receive side b of it and answers a₁, …, a_r. Copy b of P² does the same, and copy 1 - b
receives side 1 - b and the same answers: by induction over the messages these are two runs with the
same senders, so both send to the same side, the same message to the left, and P² never stops (Claim
6.3: V[f] ∘* I(b) ∘* P ∘* M ≡ V[f] ∘* P² ∘* I(b) ∘* M). Their pairs to the right are f'-valid, so
V[f'] passes them (Claim 6.4), and V[f] ∘* P² is a post-processing of V[f'] ∘* I(b) ∘* M. Nothing
was required of P after an f-invalid pair.

So only f-valid pairs are explored. They cover all creations of P that matter: every run of P under
V[f], in either world, is one side of an f-valid sequence of pairs, and its answers are possible
answers of M.
"""

import enum
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from itertools import product
from typing import Final, NamedTuple

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.merging import FromOutside, content, is_extended_composition
from antiphon.numbers.errors import AntiphonError, CompositionError, Intractable, PartError, crash
from antiphon.numbers.rounded_text import tell_person
from antiphon.protocol import LEFT, RIGHT, Finite, PostProcessor, ReplayedCoins, Side, Space
from antiphon.protocol.messages import HALT, TOP, Ask, Pair, distinct, identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Refused, Verification, read

DEEPEST: Final = 300
"""The largest number of messages in a run of a post-processor that is still explored."""
ACKNOWLEDGED: Final = Finite((TOP,))
"""The space of answers to a creation: ⊤ alone."""


_UNEXPECTED: Final = (
    "A signature allows each of its answers to any message, and HALT: ⊤ to a COUNT, too. If P "
    "expects a number, write: if type(x) is not int: return state, ap.HALT. "
)


class Property(enum.Enum):
    """The three properties of a post-processor (CM §6.1)."""

    DESTINATION = "destination"
    RESPONSE = "response"
    VALIDITY = "f→f'"


Heard = tuple[tuple[Side, object], ...]
"""The messages that a post-processor received in a run, in order, each with the side it came
from."""


@attrs.frozen
class Violation:
    """Two runs of a post-processor P that break a property; ``replay`` shows what P sent."""

    property: Property
    post_processor: PostProcessor = attrs.field(repr=False)
    runs: tuple[Heard, Heard]
    reason: str

    def replay(self) -> tuple[tuple[tuple[Side, object], ...], ...]:
        """The messages that P sends, one by one, in each of the two runs."""
        return tuple(tuple(_sent(self.post_processor, run)) for run in self.runs)


def _sent(post_processor: PostProcessor, run: Heard) -> Iterator[tuple[Side, object]]:
    state = post_processor.initial_state
    for side, message in run:
        state, to, out = post_processor.step(state, side, message, ReplayedCoins())
        yield to, out


class Broken(NamedTuple):
    """The property that a step of two runs breaks, and why."""

    property: Property
    reason: str


class Lockstep(NamedTuple):
    """The joint state of two runs of a post-processor P that are explored in parallel."""

    states: tuple[object, object]
    outer: object
    """The state of f on the pairs from the left; Refused after an f-invalid pair."""
    inner: object
    """The state of f' on the pairs that the runs send to the right."""
    created: tuple[Create, ...]
    sent: tuple[object, object] | None
    """The two messages sent to the right that await an answer; None: a left message is due."""
    lefts: int
    """The number of messages that P has received from the left."""
    over: bool = False
    """Whether P has halted."""
    within: tuple[tuple[tuple[int, ...], Create], ...] = ()
    """The creations inside created compositions, each with its path of indices."""


def check_properties(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    *,
    queries: Iterable[object],
    rounds: int,
    questions: int | None = None,
    limit: int = 200_000,
    strict: bool = False,
) -> Violation | None:
    """Check the three properties of CM §6.1 exhaustively: returns the first violation, or None.

    Args: ``outer`` and ``inner`` are f and f'; ``queries``, the left messages to try;
    ``rounds``, the number of messages that P receives in a run, from both sides, and ``questions``,
    how many of them come from the left. Sub-mechanisms must have finite answer spaces. ``strict``
    asks destination and response of any two runs, as printed. Raises: CompositionError if P
    declares coins; Intractable past ``limit`` pairs of states or ``DEEPEST`` messages in a run, or
    for an infinite answer space.
    """
    tried = explored(
        post_processor, outer, inner, queries=queries, rounds=rounds, questions=questions,
        limit=limit, strict=strict,
    )  # fmt: skip
    return next((each for each in tried if isinstance(each, Violation)), None)


def explored(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    *,
    queries: Iterable[object],
    rounds: int,
    questions: int | None = None,
    limit: int = 200_000,
    strict: bool = False,
) -> Iterator[Pair | Violation]:
    """Explore all pairs of runs: yields each pair of messages received, at last a violation if any.

    Arguments and errors: as of ``check_properties``.
    """
    first = begin_lockstep(post_processor, outer, inner)
    messages = tuple(queries)
    waiting: deque[tuple[Lockstep, Heard, Heard]] = deque([(first, (), ())])
    outside, seen = FromOutside(), set[Hashable]()
    while waiting:
        lock, heard0, heard1 = waiting.popleft()
        if len(heard0) == rounds:
            continue
        # A run may never end, as P may create for ever and never answer the left.
        if len(heard0) == DEEPEST:
            raise Intractable("a run of the post-processor", f"over {DEEPEST} messages", DEEPEST)
        if lock.sent is None and lock.lefts == questions:
            continue
        for side, zero, one in _next(lock, messages):
            runs = (*heard0, (side, zero)), (*heard1, (side, one))
            after = advance_lockstep(
                post_processor, outer, inner, lock, side, zero, one, strict=strict
            )
            if isinstance(after, Broken):
                yield Violation(after.property, post_processor, runs, after.reason)
                return
            if type(after) is Refused:
                continue
            yield Pair(zero, one)
            if after.over:
                continue
            if after.sent and all(type(address(each)[1]) is Create for each in after.sent):
                # The only answer to a creation is ⊤, so these runs do not count towards ``limit``.
                waiting.append((after, *runs))
                continue
            key = _key(outside, inner, after, counted=questions is not None)
            if key not in seen:
                if len(seen) % 1024 == 1023:
                    tell_person("pairs of runs explored", len(seen), limit)
                if len(seen) >= limit:
                    raise Intractable("pairs of runs of the post-processor", len(seen) + 1, limit)
                seen.add(key)
                waiting.append((after, *runs))


def _key(outside: FromOutside, inner: Verification, lock: Lockstep, *, counted: bool) -> Hashable:
    """A key that is equal for pairs of runs with the same future only."""
    states, outer, validity, created, sent, lefts, over, within = lock
    return (
        content((states, outer, sent, over)),
        outside.state(inner, validity),
        tuple(map(outside.number, created)),
        tuple((place, outside.number(each)) for place, each in within),
        lefts if counted else None,
    )


def begin_lockstep(
    post_processor: PostProcessor, outer: Verification, inner: Verification
) -> Lockstep:
    """The joint state of two runs before any message. Raises: CompositionError if P tosses
    coins."""
    if not post_processor.deterministic:
        raise CompositionError("the properties are stated for a deterministic P (CM §6.1)")
    start = post_processor.initial_state
    return Lockstep((start, start), outer.initial_state, inner.initial_state, (), None, 0)


def _next(lock: Lockstep, messages: tuple[object, ...]) -> Iterator[tuple[Side, object, object]]:
    if lock.sent is None:
        yield from ((LEFT, zero, one) for zero, one in product(messages, repeat=2))
    else:
        found = (answer for out in lock.sent for answer in _answers(out, lock))
        yield from ((RIGHT, answer, answer) for answer in distinct(found))


def advance_lockstep(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    lock: Lockstep,
    side: Side,
    zero: object,
    one: object,
    *,
    strict: bool = False,
) -> Lockstep | Broken | Refused:
    """The joint state of both runs after one message each, or the property that they break.

    Or f's refusal of the pair: then V[f] halts, and P receives nothing, unless ``strict``.
    """
    valid, lefts = lock.outer, lock.lefts + (side is LEFT)
    if side is LEFT and type(valid) is not Refused:
        valid = read(outer, valid, zero, one)
        if type(valid) is Refused and not strict:
            return valid
    step = post_processor.step
    try:
        state0, to0, out0 = step(lock.states[0], side, zero, ReplayedCoins())
        state1, to1, out1 = step(lock.states[1], side, one, ReplayedCoins())
    except PartError as error:
        raise PartError(f"{error}, on {in_words(side, zero, one)}") from error
    except AntiphonError:
        raise
    except Exception as error:
        raise crash(error, in_words(side, zero, one), _UNEXPECTED * (side is RIGHT)) from error
    states = (state0, state1)
    if to0 is not to1:
        return Broken(Property.DESTINATION, "the runs send their next message to different sides")
    if to0 is LEFT:
        if not identical(out0, out1):
            return Broken(Property.RESPONSE, "the runs answer the left differently")
        over = out0 is HALT and post_processor.is_over(state0) is True
        if over is not (out0 is HALT and post_processor.is_over(state1) is True):
            return Broken(Property.RESPONSE, "one run is over after its HALT, the other goes on")
        return lock._replace(states=states, outer=valid, sent=None, lefts=lefts, over=over)
    inside = lock.inner
    if type(valid) is not Refused and type(inside) is not Refused:
        inside = read(inner, inside, out0, out1)
        if type(inside) is Refused:
            reason = f"the pair sent to the right is not f'-valid: {inside.reason}"
            return Broken(Property.VALIDITY, reason)
    created, within = lock.created, lock.within
    place, said = address(out0)
    if type(said) is Create and not place:
        created = (*created, said)
    elif type(said) is Create:
        within = (*within, (place, said))
    sent = (out0, out1)
    return Lockstep(states, valid, inside, created, sent, lefts, within=within)


def in_words(side: Side, zero: object, one: object) -> str:
    """A text about the messages that the two runs received last."""
    if side is LEFT:
        return f"the pair {message_label(Pair(zero, one))} from the left"
    return f"the answer {message_label(zero)} from the right"


def address(message: object) -> tuple[tuple[int, ...], object]:
    """The path of indices into nested compositions that a message takes, and the inner message."""
    place: tuple[int, ...] = ()
    while type(message) is Ask and type(message.query) in (Ask, Create):
        place, message = (*place, message.index), message.query
    return place, message


def _answers(message: object, lock: Lockstep) -> tuple[object, ...]:
    """All answers that ExtConComp may give to a message, HALT included."""
    space = answer_space(message, lock)
    if space is ACKNOWLEDGED:
        return (TOP,)
    return (HALT,) if space is None else (*space.enumerate(), HALT)


def answer_space(message: object, lock: Lockstep) -> Space | None:
    """The answers that ExtConComp may give to a message, beside HALT; None if only HALT.

    The answer to a creation is ``ACKNOWLEDGED``, never HALT.
    """
    place, said = address(message)
    created: list[Create] = list(lock.created)
    for depth, index in enumerate(place):
        if not 0 <= index < len(created):
            return None
        if not is_extended_composition(
            created[index].mechanism
        ):  # A mechanism that is no composition declares its answers itself.
            return created[index].mechanism.signature.answers
        created = [each for at, each in lock.within if at == place[: depth + 1]]
    if type(said) is Create:
        return ACKNOWLEDGED
    if type(said) is Ask and 0 <= said.index < len(created):
        return created[said.index].mechanism.signature.answers
    return None
