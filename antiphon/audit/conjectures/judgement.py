"""Exact judgement of what a search has found: rounded to rationals, and computed again."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import attrs

from antiphon.audit.conjectures.climbing import Climb
from antiphon.audit.conjectures.histories import Domain, Doubles
from antiphon.audit.conjectures.patterns import Pattern, Sought
from antiphon.audit.conjectures.tables import Plan, TableMechanism, mechanism, mixed, rounded
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.game import PrivacyGame
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.messages import distinct

_DENOMINATOR: Final = 720_720
"""Of the probabilities that a law is rounded to; it has all divisors up to 16."""
_SURE: Final = Fraction(999, 1000)
"""How much is left of a law that one world alone gives an answer, where that is infinitely bad."""


@attrs.frozen(eq=False)
class Judged:
    """Mechanisms that keep their claim, and what the best adversary gains from all of them."""

    pattern: Pattern
    epsilon: ExactEpsilon
    mechanisms: tuple[TableMechanism, ...]
    """Those to create, each once in the list."""
    claimed: tuple[Fraction, ...]
    """What each one loses: at most what is claimed."""
    rounds: int
    """Messages of the adversary, creations included."""
    loss: Fraction
    """The tight loss of the composition."""

    @property
    def sought(self) -> Sought:
        """How the exact engine looks at the composition."""
        return Sought(
            rounds=self.rounds, catalogue=self.mechanisms, max_creations=self.pattern.creations
        )

    def adversary(self) -> StrategyAdversary | None:
        """Who gains that much: plays, saves and replays like any adversary."""
        return self.pattern.adversary(self.pattern.game, self.epsilon, **self.sought)


def judged(pattern: Pattern, found: Climb, epsilon: ExactEpsilon) -> Judged:
    """The laws as mechanisms with rational probabilities, examined by the exact engine.

    Raises: Intractable where there is too much to examine.
    """
    plans = distinct(_kept(pattern, found.domain, law) for law in found.laws)
    rounds = pattern.creations * (1 + found.domain.rounds)
    claimed = tuple(lost for _, lost in plans)
    mechanisms = tuple(
        mechanism(f"M{number}", found.domain, plan, pattern.claim)
        for number, (plan, _) in enumerate(plans, 1)
    )
    unknown = Judged(pattern, epsilon, mechanisms, claimed, rounds, Fraction(0))
    loss = pattern.exactly(pattern.game, epsilon, **unknown.sought)
    return attrs.evolve(unknown, loss=loss)


def _kept(pattern: Pattern, domain: Domain, law: Doubles) -> tuple[Plan, Fraction]:
    """A plan near a law that keeps the claim exactly, and what it loses."""
    loss, limit = pattern.claimed
    nothing = Fraction(loss.nothing)
    plan = rounded(domain, law, _DENOMINATOR)
    while True:
        made = mechanism("M", domain, plan, pattern.claim)
        game = PrivacyGame(made, pattern.inner)
        lost = pattern.single(game, domain.rounds)
        if lost is None:
            plan = mixed(domain, plan, _SURE, evenly=True)
        elif lost > limit:  # seldom twice, as the loss is convex in the plan
            plan = mixed(domain, plan, (limit - nothing) / (lost - nothing))
        else:
            return plan, lost
