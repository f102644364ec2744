"""A mechanism that is sought, of which a claim is all that is known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from antiphon.audit.conjectures.law_trees import Domain, check_length, tree
from antiphon.audit.conjectures.listed_pairs import ListedPairs, finite, pairs_of
from antiphon.audit.conjectures.patterns.pattern import SOURCE, grown, shown
from antiphon.audit.conjectures.program import Program, program
from antiphon.audit.conjectures.view_losses import HockeyStick
from antiphon.audit.game import PrivacyGame
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.messages import Pair, distinct
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Verification


@register("antiphon.AnyMechanism/1")
@attrs.frozen(kw_only=True)
class AnyMechanism:
    """Some mechanism that is (ε, δ)-DP w.r.t. f' = ``inner``, and hears these pairs."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability)
    inner: Verification = attrs.field(factory=ListedPairs)
    pairs: tuple[Pair[Any], ...] = attrs.field(validator=finite)
    """By default, what ``ListedPairs`` lists."""

    @pairs.default  # pyright: ignore
    def _of_the_list(self) -> tuple[Pair[Any], ...]:
        return pairs_of(self.inner)

    @property
    def inputs(self) -> tuple[object, ...]:
        """What it may hear."""
        return distinct(side for pair in self.pairs for side in (pair.zero, pair.one))

    @property
    def claim(self) -> Claim:
        """What is claimed of it, and true of what is found."""
        return Claim(Approximate(self.epsilon, self.delta), self.inner, Status.PROVED, SOURCE)

    @property
    def claimed(self) -> tuple[HockeyStick, Fraction]:
        """The loss at its ε, and δ."""
        return HockeyStick(grown(self.epsilon)), self.delta

    def single(self, game: PrivacyGame, rounds: int) -> Fraction:
        """The tight δ of one at its ε."""
        return game.tight_delta(epsilon=self.epsilon, rounds=rounds, report=None)

    def program(self, domain: Domain) -> Program:
        """The laws of a domain that keep the claim."""
        loss, limit = self.claimed
        return program(domain, tree(domain, self.pairs, self.inner), loss, float(limit))

    def check(self, rounds: int, answers: int) -> None:
        """Raises: Intractable if it has too many histories."""
        check_length(Domain(self.inputs, rounds, answers), len(self.pairs))

    def __str__(self) -> str:
        return f"({shown(self.epsilon)}, {self.delta})-DP"
