"""A filter: what is sought is which claims are charged to it, in which order, on which path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, NamedTuple

import attrs

from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.patterns.game_pattern import judged_game
from antiphon.audit.conjectures.patterns.pattern import Generator, Pattern, Sizes, shown
from antiphon.audit.exact.question import Question
from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.filters.budget import Budget, Refusal
from antiphon.composition.purses import Parameters, pairs
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.registry import register

_MOST: Final = 16
"""Claims of a grid: all sets of them are looked at, if there is time."""


def _few(_: object, __: object, given: tuple[Parameters, ...]) -> None:
    if not given or len(given) > _MOST or len(set(given)) < len(given):
        raise InvalidArgument(
            f"claims is a grid of 1 to {_MOST} different (ε, δ), such as ((Log(2), 0), (Log(3), 0))"
        )


def _budget(_: object, __: object, given: object) -> None:
    if not isinstance(given, Budget):
        raise InvalidArgument(
            f"budget is a filter, of ExtConComp(budget=…), not a {type(given).__name__}"
        )


class Charged(NamedTuple):
    """What some claims lose, at most, and which."""

    gain: float
    claims: tuple[Parameters, ...]


@register("antiphon.FilterPattern/1")
@attrs.frozen(kw_only=True)
class FilterPattern(Pattern):
    """ExtConComp with a budget, of which up to ``creations`` mechanisms are created adaptively.

    Their claims are of a grid, and each is a randomized response RR_{ε,δ}, the worst of its claim:
    whatever keeps it is a post-processor of RR_{ε,δ}, interactive or not (CM Thm 2.5, App. A;
    Kairouz, Oh and Viswanath 2015), so that nothing is lost that these do not lose. The best
    adversary of a set of them is the exact engine's to find; what is sought is the set, from small
    ones on. There are finitely many, and a search ends with the last.
    """

    budget: Budget[Any] = attrs.field(validator=_budget)
    claims: tuple[Parameters, ...] = attrs.field(converter=pairs, validator=_few)
    creations: int = attrs.field(default=3, validator=lambda _, __, n: exact.whole(n, "creations"))

    def question(self, claims: Sequence[Parameters]) -> Question:
        """The game in which mechanisms of these claims may be created."""
        responses = [RandomizedResponse(epsilon=epsilon, delta=delta) for epsilon, delta in claims]
        return Question(
            ExtConComp(budget=self.budget), adaptive_parameters(self.budget),
            catalogue=responses, max_creations=self.creations, report=None,
        )  # fmt: skip

    @property
    def rounds(self) -> int:
        """Each is created, and asked once: afterwards it only answers HALT."""
        return 2 * self.creations

    def described(self, epsilon: ExactEpsilon) -> str:
        return (
            f"δ({shown(epsilon)}) of up to {self.creations} mechanisms with {len(self.claims)} "
            f"claims to choose from, behind {type(self.budget).__name__}"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": f"δ({shown(epsilon)})", "creations": self.creations,
            "claims": [f"({shown(own)}, {delta})-DP" for own, delta in self.claims],
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """What one claim loses alone. Raises: InvalidArgument if the filter charges none."""
        budget, claims = self.budget, [each.claim for each in self.question(self.claims).creations]
        charged = (budget.charge(budget.initial_state, each.measure) for each in claims if each)
        if all(type(each) is Refusal for each in charged):
            raise InvalidArgument(
                "the budget refuses every claim of the grid, even alone: give it smaller claims, "
                "or a larger budget"
            )
        alone = [self.question([claim]).solve(epsilon, 2).delta for claim in self.claims]
        own, delta = self.claims[alone.index(max(alone))]
        return max(alone), f"one mechanism loses alone that is ({shown(own)}, {delta})-DP"

    def sizes(self, rounds: int, answers: int) -> Sizes:
        count = len(self.claims)
        return tuple((size, count) for size in range(1, count + 1))

    def in_words(self, sizes: Sizes) -> str:
        return f"sets of up to {len(sizes)} of its claims, small ones first"

    def climbs(
        self, rounds: int, answers: int, epsilon: ExactEpsilon, random: Generator
    ) -> Iterator[Charged]:
        for size, _ in self.sizes(rounds, answers):
            subsets: list[tuple[Parameters, ...]] = list(combinations(self.claims, size))
            order: list[int] = random.permutation(len(subsets)).tolist()
            for claims in [subsets[place] for place in order]:
                delta = self.question(claims).solve(epsilon, self.rounds).delta
                yield Charged(float(delta), claims)

    def judged(self, found: Charged, epsilon: ExactEpsilon) -> Judged:
        question = self.question(found.claims)
        mechanisms = tuple(each.mechanism for each in question.creations)
        claimed = tuple(
            PrivacyGame(each, each.claims[0].verification).tight_delta(epsilon=own, rounds=1)
            for each, (own, _) in zip(mechanisms, found.claims, strict=True)
        )
        return judged_game(question, epsilon, self.rounds, mechanisms, claimed)
