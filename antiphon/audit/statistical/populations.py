"""Populations: one interaction, played by many replicas at once (the counts reading).

A *block* is a number of replicas whose adversary and mechanism have the same states,
so both are stepped once, by the plain ``step``. A finite draw splits the block: its
replicas fall to the outcomes by a multinomial draw, so a billion replicas cost what a
thousand do. Where a draw has infinitely many outcomes the replicas of the block go on
one by one. Either way the law is that of independent interactions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import attrs
import numpy as np

from antiphon.protocol import exact
from antiphon.protocol.adversary import Adversary, History
from antiphon.protocol.coins import Coins, SampledCoins
from antiphon.protocol.enumeration import outcomes
from antiphon.protocol.errors import Intractable, InvalidArgument
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import EMPTY, HALT

Answers: TypeAlias = "History[Any]"
Feature: TypeAlias = Callable[[Answers], Hashable]
"""What is counted of a view: a function of its answers."""
Result = TypeVar("Result")

MOST_ROUNDS: Final = 100_000
"""When an adversary that does not halt is given up, unless ``rounds`` says otherwise."""


class Block(NamedTuple):
    """Replicas that are alike in every state."""

    replicas: int
    own: Any
    """The adversary's state."""
    state: Any
    """The mechanism's state."""
    answers: Answers


@attrs.define(eq=False)
class Population:
    """N replicas of adversary × mechanism, played to the end; ``counts`` by feature.

    Cost: one step of each party for every block and round, and one multinomial draw.
    """

    adversary: Adversary[Any]
    mechanism: Mechanism[Any, Any, Any]
    feature: Feature
    rounds: int | None = None
    coins: SampledCoins = attrs.field(factory=SampledCoins)
    blocks: int = 0
    """How many block steps have been made."""

    def play(self, replicas: int, initial: Any = None) -> dict[Hashable, int]:
        """How many replicas end with each value of the feature.

        Raises: InvalidArgument if ``rounds`` is not given and the adversary never halts.
        """
        counts: dict[Hashable, int] = {}
        start = self.mechanism.enter(initial)
        waiting = [Block(replicas, self.adversary.initial_state, start, History())]
        while waiting:
            block = waiting.pop()
            if self._ended(block):
                key = self.feature(block.answers)
                counts[key] = counts.get(key, 0) + block.replicas
            else:
                waiting.extend(self._step(block, counts))
        return counts

    def _ended(self, block: Block) -> bool:
        length = len(block.answers)
        if self.rounds is None and length >= MOST_ROUNDS:
            raise InvalidArgument(
                f"the adversary has not halted after {MOST_ROUNDS} rounds; pass rounds=…"
            )
        return block.own is _SPENT or length == self.rounds

    def _step(self, block: Block, counts: dict[Hashable, int]) -> Iterator[Block]:
        """One message and its answer, for all replicas of a block."""
        self.blocks += 1
        heard = block.answers[-1] if block.answers else EMPTY
        speak = _bound(self.adversary.step, block.own, heard)
        for count, (own, message) in self._split(block.replicas, speak):
            if message is HALT:
                yield Block(count, _SPENT, None, block.answers)
                continue
            reply = _bound(self.mechanism.step, block.state, message)
            for share, (state, answer) in self._split(count, reply):
                over = answer is HALT and self.mechanism.is_over(state)
                yield Block(share, _SPENT if over else own, state, block.answers.append(answer))

    def _split(self, count: int, run: Callable[[Coins], Result]) -> Iterator[tuple[int, Result]]:
        """The outcomes of a step, each with the replicas that fall to it."""
        if count == 1:
            yield 1, run(self.coins)
            return
        try:
            found = list(outcomes(run))
        except Intractable:  # a wide draw: the replicas part, one by one
            for _ in range(count):
                yield 1, run(self.coins)
            return
        if len(found) == 1:
            yield count, found[0][1]
            return
        shares = self.coins.split(count, [p for p, _ in found])
        for share, (_, result) in zip(shares, found, strict=True):
            if share:
                yield share, result


def _bound(
    step: Callable[[Any, Any, Any], tuple[Any, Any]], state: Any, message: Any
) -> Callable[[Coins], tuple[Any, Any]]:
    return lambda coins: step(state, message, coins)


_SPENT: Final = object()
"""The adversary's state in a block that has ended."""


def play_population(
    adversary: Adversary[Any],
    mechanism: Mechanism[Any, Any, Any],
    *,
    replicas: int,
    feature: Feature = tuple,
    rounds: int | None = None,
    seed: int | np.random.SeedSequence | None = None,
    initial: Any = None,
) -> dict[Hashable, int]:
    """Play ``replicas`` independent interactions; how many end with each feature.

    ``feature`` is a function of the answers; by default all of them, in order.
    Raises: InvalidArgument for fewer than one replica, or an adversary that never halts.

    >>> from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
    >>> adversary = CounterexampleAdversary(delta=0.5, copies=1)
    >>> mechanism = counterexample_game(0.5).mechanism(1)
    >>> counts = play_population(adversary, mechanism, replicas=10**9, seed=1)
    >>> sorted(map(len, counts)), sum(counts.values())
    ([2, 3], 1000000000)
    """
    exact.whole(replicas, "replicas")
    population = Population(adversary, mechanism, feature, rounds, SampledCoins(seed))
    return population.play(replicas, initial)
