"""Exact judgement of what a search has found: rounded to rationals, and computed again."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import attrs
import numpy as np

from antiphon.audit.conjectures.all_views import best
from antiphon.audit.conjectures.climbing import Climb
from antiphon.audit.conjectures.law_trees import Domain, Doubles, tree, turned
from antiphon.audit.conjectures.patterns import Pattern
from antiphon.audit.conjectures.strategies import strategy
from antiphon.audit.conjectures.tables import Plan, TableMechanism, mechanism, mixed, rounded
from antiphon.audit.exact.comparison import law_of_views
from antiphon.audit.exact.question import rational_growth
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.game import PrivacyGame
from antiphon.numbers.exact import ExactEpsilon

_DENOMINATOR: Final = 720_720
"""Of the probabilities that a law is rounded to; it has all divisors up to 16."""
_SURE: Final = Fraction(999, 1000)
"""How much is left of a law that one world alone gives an answer, where that is infinitely bad."""


@attrs.frozen(eq=False)
class Judged:
    """Mechanisms that keep their claim, and an adversary that makes all of them lose so much."""

    mechanisms: tuple[TableMechanism, ...]
    """In the order in which they are created; one may be there several times."""
    claimed: tuple[Fraction, ...]
    """What each one loses, by the exact engine: at most what is claimed."""
    adversary: StrategyAdversary
    loss: Fraction
    """What the views of that adversary lose, exactly: the composition loses no less."""


def judged(pattern: Pattern, found: Climb, epsilon: ExactEpsilon) -> Judged:
    """The laws as mechanisms with rational probabilities, and the best adversary against these.

    The claims are examined by the exact engine. The loss is that of the law of the adversary's
    views, which the game itself plays out: its verifier stands guard over the pattern.
    Raises: Intractable where a claim cannot be examined.
    """
    domain = found.domain
    kept = [_kept(pattern, domain, law) for law in found.laws]
    names: dict[Plan, str] = {}
    mechanisms = tuple(
        mechanism(names.setdefault(plan, f"M{len(names) + 1}"), domain, plan, pattern.claim)
        for plan, _ in kept
    )
    whole = tree(domain, pattern.pairs, pattern.played)
    laws = [np.array([float(each) for each in plan]) for plan, _ in kept]
    seen = best(turned(whole) if found.bit else whole, laws, pattern.sparse, pattern.loss(epsilon))
    below, error = rational_growth(epsilon)
    growth = below * (1 + error)  # not below e^ε: then the loss is not above the truth
    adversary = strategy(seen, pattern.pairs, mechanisms, domain.answers, growth, found.bit)
    rounds = len(mechanisms) * (1 + domain.rounds)
    own, other = (
        law_of_views(adversary, pattern.game.mechanism(bit), rounds=rounds + 1)
        for bit in (found.bit, 1 - found.bit)
    )
    adversary = attrs.evolve(adversary, advantage=own.hockey_stick(other, growth))
    lost = tuple(lost for _, lost in kept)
    return Judged(mechanisms, lost, adversary, pattern.lost(own, other, growth))


def _kept(pattern: Pattern, domain: Domain, law: Doubles) -> tuple[Plan, Fraction]:
    """A plan near a law that keeps the claim exactly, and what it loses."""
    loss, limit = pattern.claimed
    nothing = Fraction(loss.nothing)
    plan = rounded(domain, law, _DENOMINATOR)
    while True:
        made = mechanism("M", domain, plan, pattern.claim)
        lost = pattern.single(PrivacyGame(made, pattern.inner), domain.rounds)
        if lost is None:
            plan = mixed(domain, plan, _SURE, evenly=True)
        elif lost > limit:  # seldom twice, as the loss is convex in the plan
            plan = mixed(domain, plan, (limit - nothing) / (lost - nothing))
        else:
            return plan, lost
