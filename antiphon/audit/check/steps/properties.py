"""The three properties of CM §6.1 that a ``lifting`` declares: all runs, or else samples of them.

A counter answers any integer, so that most runs cannot be listed. They are sampled: the left says
pairs that f allows, mostly pairs that differ; the right answers as the mechanism itself does, or
something else of its answer space, or HALT.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.check.examples import examples
from antiphon.audit.check.pairs import agreeing, differing
from antiphon.audit.check.report import Finding, LeftOut, Trial, Tried
from antiphon.audit.check.subject import PROPERTIES, Subject
from antiphon.audit.check.watch import where
from antiphon.composition.complex_mechanism import Lifting
from antiphon.composition.properties import (
    ACKNOWLEDGED,
    DEEPEST,
    Broken,
    Lockstep,
    Property,
    Violation,
    advance,
    answer_space,
    begin,
    explored,
    in_words,
)
from antiphon.numbers.errors import REFUSALS, AntiphonError, Intractable, PartError
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.sampled import SampledCoins, generator
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, Pair, identical
from antiphon.protocol.spaces import Space
from antiphon.protocol.verification import Refused

_QUESTIONS: Final = 3
"""Messages from the left in a run, where all runs are listed, …"""
_LOCKS: Final = 500
"""… of so many pairs of states at most."""
_RUNS: Final = 24
"""Runs that are sampled, …"""
_LONGEST: Final = 6
"""… of so many messages from the left."""
_DIFFER: Final = 0.75
"""How often they differ, if f allows it."""
_OTHERWISE: Final = 0.4
"""How often the right does not answer as the mechanism does, but anything …"""
_HALTS: Final = 0.02
"""… or HALT."""
_PAIR: Final = "differing pair"
_STRANGE: Final = object()

Heard: TypeAlias = Union[Pair, Violation]


def check(subject: Subject) -> Trial:
    """Destination, response and f→f' between what the lifting calls f and f'."""
    player = subject.player
    declared = getattr(subject.part, "lifting", None)
    if not isinstance(player, PostProcessor) or not isinstance(declared, Lifting):
        raise LeftOut("it declares no lifting")
    tried, here = 0, where(subject.part, "exchange", "step")
    try:
        for each in _runs(player, declared, subject):
            if isinstance(each, Violation):
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
        raise LeftOut(f"its runs cannot be tried: {error}") from None
    return Tried(tried, _PAIR)


def _said(found: Violation) -> str:
    """What both runs heard, from the last pair of the left on."""
    both = list(zip(*found.runs, strict=True))
    last = max(place for place, ((side, _), _) in enumerate(both) if side is LEFT)
    return ", then ".join(in_words(side, zero, one) for (side, zero), (_, one) in both[last:])


def _runs(processor: PostProcessor, declared: Lifting, subject: Subject) -> Iterator[Heard]:
    """What both runs hear: in all runs, if they can be listed, else in samples of them."""
    try:
        yield from explored(
            processor, declared.outer, declared.inner, queries=subject.messages, rounds=DEEPEST,
            questions=_QUESTIONS, limit=_LOCKS,
        )  # fmt: skip
    except (Intractable, *REFUSALS):
        right = subject.right
        if not isinstance(right, ContinualMechanism):
            raise LeftOut("the mechanism on its right has several initial states") from None
        for seed in subject.stream(PROPERTIES).spawn(_RUNS):
            run = _Run(processor, declared, right, subject.messages, generator(seed))
            for each in run.played():
                yield each
                if isinstance(each, Violation):
                    return


@attrs.define(eq=False)
class _Run:
    """A pair of runs whose messages are drawn."""

    processor: PostProcessor
    declared: Lifting
    right: ContinualMechanism
    messages: tuple[object, ...]
    drawn: np.random.Generator
    _right: Any = attrs.field(init=False)
    """The state of the mechanism on the right, which hears what run 0 says."""
    _coins: SampledCoins = attrs.field(init=False)
    _heard: list[tuple[Side, Pair]] = attrs.field(init=False, factory=list[tuple[Side, Pair]])

    def __attrs_post_init__(self) -> None:
        self._right = self.right.initial_state
        self._coins = SampledCoins(int(self.drawn.integers(2**63)))

    def played(self) -> Iterator[Heard]:
        """The pairs that both hear, until a run is over or a property broken."""
        lock = begin(self.processor, self.declared.outer, self.declared.inner)
        while len(self._heard) < DEEPEST and not lock.over:
            side = LEFT if lock.sent is None else RIGHT
            pair = self._asked(lock) if side is LEFT else self._answered(lock)
            if pair is None:
                return
            after = self._after(lock, side, pair)
            if isinstance(after, Broken):
                runs = [*self._heard, (side, pair)]
                zero = tuple((side, each.zero) for side, each in runs)
                one = tuple((side, each.one) for side, each in runs)
                yield Violation(after.property, self.processor, (zero, one), after.reason)
                return
            if after is None:
                return
            self._heard.append((side, pair))
            yield pair
            lock = after

    def _asked(self, lock: Lockstep) -> Pair | None:
        """What the left says."""
        if lock.lefts == _LONGEST:
            return None
        first, second = differing, agreeing
        if self.drawn.random() > _DIFFER:
            first, second = second, first
        asked = self.declared.outer, lock.outer, self.messages, self.drawn
        return first(*asked) or second(*asked)

    def _answered(self, lock: Lockstep) -> Pair:
        """What the right answers both runs."""
        assert lock.sent is not None
        message = lock.sent[0]
        try:
            self._right, answer = self.right.step(self._right, message, self._coins)
        except AntiphonError:
            answer = HALT
        space, chance = answer_space(message, lock), self.drawn.random()
        if space is not None and space is not ACKNOWLEDGED and chance < _OTHERWISE:
            answer = self._any(space, answer) if chance >= _HALTS else HALT
        return Pair(answer, answer)

    def _any(self, space: Space, answer: object) -> object:
        """An element of a space; the answer itself where the space tells of none."""
        if space.contains(_STRANGE):  # as that of a composition's answers, which holds everything
            return answer
        known = examples(space, self.drawn)
        return known[int(self.drawn.integers(len(known)))]

    def _after(self, lock: Lockstep, side: Side, pair: Pair) -> Lockstep | Broken | None:
        """Both runs after a pair; None if both refuse it, so that nothing has happened."""
        outer, inner = self.declared.outer, self.declared.inner
        try:
            after = advance(self.processor, outer, inner, lock, side, pair.zero, pair.one)
        except REFUSALS:
            both = zip(lock.states, (pair.zero, pair.one), strict=True)
            refused = {self._refuses(state, side, message) for state, message in both}
            if len(refused) == 2:
                return Broken(Property.RESPONSE, "one run refuses its message, the other does not")
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
