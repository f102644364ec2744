"""Exact judgement of what a search has found: rounded to rationals, and computed again."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import attrs

from antiphon.audit.conjectures.finite_law import FiniteLaw, Plan, mechanism, mixed, rounded
from antiphon.audit.conjectures.pattern import Pattern
from antiphon.audit.conjectures.shape import Doubles, Shape
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.validity import sparse_parallel
from antiphon.numbers.exact import ExactEpsilon

_DENOMINATOR: Final = 720_720
"""Of the probabilities that a law is rounded to; it has all divisors up to 16."""


@attrs.frozen(eq=False)
class Judged:
    """Mechanisms that keep their claim, and what the best adversary gains from all of them."""

    pattern: Pattern
    mechanisms: tuple[FiniteLaw, ...]
    claimed: tuple[Fraction, ...]
    """Each one's tight δ at the claim's ε: at most the claim's δ."""
    epsilon: ExactEpsilon
    delta: Fraction
    """The tight δ of the composition at that ε."""
    rounds: int

    @property
    def game(self) -> PrivacyGame:
        """The game of the composition."""
        measure = self.pattern.epsilon, self.pattern.delta
        return PrivacyGame(ExtConComp(), sparse_parallel([measure] * self.pattern.sparse))

    def best_adversary(self) -> StrategyAdversary:
        """Who gains that much: plays, saves and replays like any adversary."""
        return self.game.best_adversary(
            epsilon=self.epsilon, rounds=self.rounds, catalogue=self.mechanisms,
            max_creations=self.pattern.creations, report=None,
        )  # fmt: skip


def judged(shape: Shape, laws: list[Doubles], epsilon: ExactEpsilon) -> Judged:
    """The laws as mechanisms with rational probabilities, examined by the exact engine."""
    made = [_kept(shape, law) for law in laws]
    pattern = shape.pattern
    rounds = pattern.creations * (1 + shape.rounds)
    mechanisms = tuple(each for each, _ in made)
    found = Judged(
        pattern, mechanisms, tuple(delta for _, delta in made), epsilon, Fraction(0), rounds
    )
    delta = found.game.tight_delta(
        epsilon=epsilon, rounds=rounds, catalogue=mechanisms, max_creations=pattern.creations,
        report=None,
    )  # fmt: skip
    return attrs.evolve(found, delta=delta)


def _kept(shape: Shape, law: Doubles) -> tuple[FiniteLaw, Fraction]:
    """A mechanism near a law that keeps the claim exactly, and its tight δ."""
    plan = rounded(shape, law, _DENOMINATOR)
    delta = _tight(shape, plan)
    while delta > shape.pattern.delta:  # once, as δ is convex in the plan
        plan = mixed(shape, plan, shape.pattern.delta / delta)
        delta = _tight(shape, plan)
    return mechanism(shape, plan, shape.pattern.claim), delta


def _tight(shape: Shape, plan: Plan) -> Fraction:
    pattern = shape.pattern
    game = PrivacyGame(mechanism(shape, plan, pattern.claim), pattern.inner)
    return game.tight_delta(epsilon=pattern.epsilon, rounds=shape.rounds, report=None)
