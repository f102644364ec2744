"""Exact judgement of what a search has found: rounded to rationals, and computed again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Final, Protocol

import attrs

from antiphon.audit.exact.comparison import Law, law_of_views
from antiphon.audit.exact.question import Question
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.game import PrivacyGame
from antiphon.conjectures.exact_figures import Figure
from antiphon.conjectures.law_trees import Domain, Doubles
from antiphon.conjectures.tables import Plan, TableMechanism, mechanism, mixed, rounded
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.claims import Claim
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.verification import Verification

_SURE: Final = Fraction(999, 1000)
"""How much is left of a law that one world alone gives an answer, where that is infinitely bad."""
_NEARLY: Final = 1 - Fraction(1, 2**16)
"""How much is left, at first, of one that is to lose less at its ε, by more than this part."""


@attrs.frozen(eq=False)
class Judged:
    """Mechanisms that keep their claim, and an adversary that makes all of them lose so much."""

    mechanisms: tuple[ContinualMechanism[Any], ...]
    """In the order in which they are created; one may be there several times."""
    claimed: tuple[Fraction, ...]
    """What each one loses, by the exact engine: at most what is claimed."""
    adversary: StrategyAdversary
    loss: Fraction
    """What the views of that adversary lose, exactly: the composition loses no less."""
    game: PrivacyGame
    """That it plays."""


class Sought(Protocol):
    """What is known of a mechanism that is sought."""

    @property
    def claim(self) -> Claim: ...
    @property
    def inner(self) -> Verification:
        """f', w.r.t. which it keeps its claim."""
        ...

    @property
    def claimed(self) -> tuple[Figure, Fraction]:
        """What it is about, and how much that is at most."""
        ...


def kept(sought: Sought, domain: Domain, law: Doubles) -> tuple[Plan, Fraction]:
    """A plan near a law that keeps the claim exactly, and what it loses."""
    figure, limit = sought.claimed
    nothing, nearly = Fraction(figure.loss.nothing), _NEARLY
    plan = rounded(domain, law)
    while True:
        made = mechanism("M", domain, plan, sought.claim)
        lost = figure.tight(Question(made, sought.inner, report=None), domain.rounds)
        if lost is None:
            plan = mixed(domain, plan, _SURE, evenly=True)
        elif lost <= limit:
            return plan, lost
        elif (part := (limit - nothing) / (lost - nothing)) < nearly:
            # What rounding made it lose is much of the limit, or all of it: a little noise is less.
            plan, nearly = mixed(domain, plan, nearly, evenly=True), 2 * nearly - 1
        else:  # seldom twice, as the loss is convex in the plan
            plan = mixed(domain, plan, part)


def named(
    plans: Sequence[tuple[Domain, Plan]], claims: Sequence[Claim]
) -> tuple[TableMechanism, ...]:
    """Their mechanisms M1, M2, …; those of one kind that are equal have one name."""
    names: dict[Hashable, str] = {}
    found: list[TableMechanism] = []
    for (domain, plan), claim in zip(plans, claims, strict=True):
        key = fingerprint((tuple(domain), plan, claim))
        name = names.setdefault(key, f"M{len(names) + 1}")
        found.append(mechanism(name, domain, plan, claim))
    return tuple(found)


def both_laws(adversary: StrategyAdversary, game: PrivacyGame, rounds: int) -> tuple[Law, Law]:
    """The laws of its views in its own world and in the other one; it has time to say HALT."""
    own, other = (
        law_of_views(adversary, game.mechanism(bit), rounds=rounds + 1)
        for bit in (adversary.bit, 1 - adversary.bit)
    )
    return own, other
