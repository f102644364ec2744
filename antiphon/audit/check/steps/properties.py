"""Checks of a post-processor's declarations: about its coins, its queries, and its ``lifting``
(which f on its left becomes which f' on its right).

The three properties of CM §6.1 that a lifting declares are tested on all runs if these can be
listed, else on random runs (a counter, for example, may answer any integer). In a random run the
adversary sends pairs that f allows, mostly differing ones; the mechanism's answers are its own, or
other elements of its answer space, or HALT.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.check.examples import agreeing_message, differing_pair, examples
from antiphon.audit.check.report import Finding, NotApplicable, Trial, Tried
from antiphon.audit.check.subject import PROPERTIES, Step, Subject, Taken, source_place, take
from antiphon.composition import properties as lockstep
from antiphon.composition.complex_mechanism import Lifting
from antiphon.numbers.errors import REFUSALS, AntiphonError, Intractable, PartError
from antiphon.protocol import LEFT, RIGHT, PostProcessor, Refused, ReplayedCoins, Side, Space
from antiphon.protocol.coins.sampled import SampledCoins, generator
from antiphon.protocol.forwarding import Forwarding, forwarding
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, Pair, identical

_HOPS: Final = 8
_QUESTIONS: Final = 3
"""The number of messages from the left in a run, if all runs are listed."""
_LOCKS: Final = 500
"""The largest number of states that are visited, if all runs are listed; each is a pair of the
states of two runs."""
_RUNS: Final = 24
"""The number of runs, if runs are drawn at random."""
_LONGEST: Final = 6
"""The largest number of messages from the left in a random run."""
_DIFFER: Final = 0.75
"""The probability that a random pair from the left differs, if f allows a differing one."""
_OTHERWISE: Final = 0.4
"""The probability that an answer from the right is replaced, by a random element of the declared
answer space or by HALT."""
_HALTS: Final = 0.02
"""The probability that an answer from the right is replaced by HALT."""
_PAIR: Final = "differing pair"
_STRANGE: Final = object()

Heard: TypeAlias = Union[Pair, lockstep.Violation]


def declarations(subject: Subject) -> Trial:
    """Find false declarations of ``deterministic`` or ``forwards_queries``."""
    part = subject.player
    assert isinstance(part, PostProcessor)
    said = forwarding(part)
    if said is None and not part.deterministic:
        raise NotApplicable("it declares nothing about its queries and coins")
    for taken in subject.taken:
        if part.deterministic and taken.tape:
            yield subject.finding(
                "declarations",
                "is declared deterministic, and draws coins",
                "leave out deterministic, or make its randomness a 0-DP mechanism that it creates",
            )
        if said is not None and not _forwarded(taken, said):
            yield _not_forwarding(subject, "sends something else than the message to the right")
    if said is not None and _remembers(subject):
        yield _not_forwarding(subject, "remembers queries: its answers depend on them")
    return subject.tried


def _forwarded(taken: Taken, said: Forwarding) -> bool:
    """Whether a step of a post-processor only forwards queries. It then sends a message from the
    left on to the right; and after an answer from the right it answers left, or sends a query that
    it declared (``said.asks``)."""
    if taken.result is None:
        return True
    (side, message), (_, to, out) = taken.inputs, taken.result
    if side is Side.LEFT:
        return to is Side.RIGHT and identical(out, message)
    return to is Side.LEFT or any(identical(out, each) for each in said.asks)


def _not_forwarding(subject: Subject, what: str) -> Finding:
    return subject.finding(
        "declarations",
        f"is declared to forward queries, and {what}",
        "leave out forwards_queries, as it lets the claims of the mechanism pass for those of "
        "P ∘* M; or name what P asks of its own, whatever it was told: Forwarding(asks=…)",
    )


def _remembers(subject: Subject) -> bool:
    """Whether the post-processor reacts to one answer differently after different queries."""
    player = subject.player
    assert isinstance(player, PostProcessor)
    step, start = player.step, player.initial_state
    heard = [taken for taken in subject.taken if taken.inputs[0] is Side.RIGHT and taken.result]
    for taken in heard[:20]:
        passed: list[object] = []
        for query in subject.messages[:4]:
            asked = take(step, start, (Side.LEFT, query), ReplayedCoins())
            if asked.result is not None:
                passed += _passed(step, asked.result[0], taken)
        if any(not identical(each, passed[0]) for each in passed):
            return True
    return False


def _passed(step: Step, state: object, heard: Taken) -> list[object]:
    """The messages that P sends after an answer, if each further query gets the same answer."""
    said: list[object] = []
    for _ in range(_HOPS):
        after = take(step, state, heard.inputs, ReplayedCoins(heard.tape))
        if after.result is None:
            break
        state = after.result[0]
        said += after.result[1:]
        if after.result[1] is Side.LEFT:
            break
    return [tuple(said)] if said else []


def check(subject: Subject) -> Trial:
    """Check the three properties of CM §6.1 (destination, response, f→f') for the lifting from f to
    f' that a post-processor declares."""
    player = subject.player
    declared = getattr(subject.part, "lifting", None)
    if not isinstance(player, PostProcessor) or not isinstance(declared, Lifting):
        raise NotApplicable("it declares no lifting")
    tried, here = 0, source_place(subject.part, "exchange", "step")
    try:
        for each in _runs(player, declared, subject):
            if isinstance(each, lockstep.Violation):
                yield Finding(
                    "properties",
                    f"lacks the {each.property.value} property that its lifting declares: "
                    f"{each.reason}, after {_said(each)}",
                    here,
                    "mend the step, or declare an f' that allows what it sends; composition."
                    "check_properties shows the two runs",
                )
            else:
                tried += not identical(each.zero, each.one)
    except PartError as error:
        cure = "answer every pair that f allows, and every answer that the right may give"
        yield Finding("properties", f"a fault in its runs: {error}", here, cure)
    except AntiphonError as error:
        raise NotApplicable(f"its runs cannot be tried: {error}") from None
    return Tried(tried, _PAIR)


def _said(found: lockstep.Violation) -> str:
    """The messages of two runs in words, beginning with the last pair from the left."""
    both = list(zip(*found.runs, strict=True))
    last = max(place for place, ((side, _), _) in enumerate(both) if side is LEFT)
    return ", then ".join(
        lockstep.in_words(side, zero, one) for (side, zero), (_, one) in both[last:]
    )


def _runs(processor: PostProcessor, declared: Lifting, subject: Subject) -> Iterator[Heard]:
    """Yields the pairs of messages that a post-processor receives in two runs: in all runs if they
    can be listed, else in random ones."""
    try:
        yield from lockstep.explored(
            processor, declared.outer, declared.inner, queries=subject.messages,
            rounds=lockstep.DEEPEST, questions=_QUESTIONS, limit=_LOCKS,
        )  # fmt: skip
    except (Intractable, *REFUSALS):
        right = subject.right
        if not isinstance(right, ContinualMechanism):
            raise NotApplicable("the mechanism on its right has several initial states") from None
        for seed in subject.stream(PROPERTIES).spawn(_RUNS):
            run = _Run(processor, declared, right, subject.messages, generator(seed))
            for each in run.played():
                yield each
                if isinstance(each, lockstep.Violation):
                    return


@attrs.define(eq=False)
class _Run:
    """Two runs of one post-processor, in the worlds b = 0 and 1, with messages drawn at random."""

    processor: PostProcessor
    declared: Lifting
    right: ContinualMechanism
    messages: tuple[object, ...]
    drawn: np.random.Generator
    _right: Any = attrs.field(init=False)
    """The state of the mechanism on the right, which answers the first run."""
    _coins: SampledCoins = attrs.field(init=False)
    _heard: list[tuple[Side, Pair]] = attrs.field(init=False, factory=list[tuple[Side, Pair]])

    def __attrs_post_init__(self) -> None:
        self._right = self.right.initial_state
        self._coins = SampledCoins(int(self.drawn.integers(2**63)))

    def played(self) -> Iterator[Heard]:
        """The pairs of messages that both runs receive, until they end or a property is broken."""
        lock = lockstep.begin_lockstep(self.processor, self.declared.outer, self.declared.inner)
        while len(self._heard) < lockstep.DEEPEST and not lock.over:
            side = LEFT if lock.sent is None else RIGHT
            pair = self._asked(lock) if side is LEFT else self._answered(lock)
            if pair is None:
                return
            after = self._after(lock, side, pair)
            if isinstance(after, lockstep.Broken):
                runs = [*self._heard, (side, pair)]
                zero = tuple((side, each.zero) for side, each in runs)
                one = tuple((side, each.one) for side, each in runs)
                yield lockstep.Violation(after.property, self.processor, (zero, one), after.reason)
                return
            if after is None:
                return
            self._heard.append((side, pair))
            yield pair
            lock = after

    def _asked(self, lock: lockstep.Lockstep) -> Pair | None:
        """The next pair of messages from the left; None if there is no more."""
        if lock.lefts == _LONGEST:
            return None
        first, second = differing_pair, agreeing_message
        if self.drawn.random() > _DIFFER:
            first, second = second, first
        asked = self.declared.outer, lock.outer, self.messages, self.drawn
        return first(*asked) or second(*asked)

    def _answered(self, lock: lockstep.Lockstep) -> Pair:
        """The next pair of answers from the right: the same answer in both runs."""
        assert lock.sent is not None
        message = lock.sent[0]
        try:
            self._right, answer = self.right.step(self._right, message, self._coins)
        except AntiphonError:
            answer = HALT
        space, chance = lockstep.answer_space(message, lock), self.drawn.random()
        if space is not None and space is not lockstep.ACKNOWLEDGED and chance < _OTHERWISE:
            answer = self._any(space, answer) if chance >= _HALTS else HALT
        return Pair(answer, answer)

    def _any(self, space: Space, answer: object) -> object:
        """An element of a space; ``answer`` itself for a space that contains anything."""
        if space.contains(_STRANGE):  # A composition's space, for one, contains anything.
            return answer
        known = examples(space, self.drawn)
        return known[int(self.drawn.integers(len(known)))]

    def _after(
        self, lock: lockstep.Lockstep, side: Side, pair: Pair
    ) -> lockstep.Lockstep | lockstep.Broken | None:
        """The states of both runs after they received a pair; None if both runs refuse it."""
        outer, inner = self.declared.outer, self.declared.inner
        try:
            after = lockstep.advance_lockstep(
                self.processor, outer, inner, lock, side, pair.zero, pair.one
            )
        except REFUSALS:
            both = zip(lock.states, (pair.zero, pair.one), strict=True)
            refused = {self._refuses(state, side, message) for state, message in both}
            if len(refused) == 2:
                return lockstep.Broken(
                    lockstep.Property.RESPONSE, "one run refuses its message, the other does not"
                )
            if side is RIGHT:
                raise
            return None
        return None if type(after) is Refused else after

    def _refuses(self, state: object, side: Side, message: object) -> bool:
        try:
            self.processor.step(state, side, message, ReplayedCoins())
        except REFUSALS:
            return True
        return False
