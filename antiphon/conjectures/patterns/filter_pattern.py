"""The pattern of a privacy filter: the search chooses the claims charged to it, and their order.

The charged mechanisms: for each claim one that keeps it with the largest loss.

* (ε, δ): RR_{ε,δ}. Every mechanism with the claim is a post-processing of it, interactive or not
  (CM Thm 2.5, App. A; Kairouz, Oh and Viswanath 2015), so none loses more, in any measure.
* A moment c of an order α: RR_ε with a probability p, else silence, so that 1 + p(w-1) = c, where
  w is the moment of RR_ε. At the order α itself no other mechanism of this claim loses more, for
  then a composition multiplies the moments (theory of ``RenyiFilter``): adaptivity does not help.
* ρ-zCDP: RR_ε with ε²/2 <= ρ (Bun and Steinke 2016, Prop. 1.4). Only Gaussian noise has D_α = αρ at
  all α, which is not finite. So this is not the worst mechanism, but nearly, for small ρ and α: its
  D_2 is 0.98·2ρ for ρ = 1/50.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import floor
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.exact.divergence import rational_growth
from antiphon.audit.exact.question import Question
from antiphon.composition import Budget, Create, ExtConComp, Refusal, adaptive_parameters
from antiphon.composition.accounting.renyi import OnlyAt
from antiphon.composition.filters.sums import root_below
from antiphon.composition.parameter_multisets import Parameters, pairs
from antiphon.conjectures import exact_figures
from antiphon.conjectures.climbing import Climb, Generator, Size
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.patterns.game_pattern import judged_game, no_divergence
from antiphon.conjectures.patterns.pattern import SOURCE, Pattern, Sizes
from antiphon.conjectures.tables import DENOMINATOR, Judged, TableMechanism, whole_weights
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact
from antiphon.numbers.errors import of_kind
from antiphon.protocol import Claim, Renyi, Status, ZeroConcentrated, register
from antiphon.verifiers.models import neighbouring_start

Charged: TypeAlias = Union[Parameters, ZeroConcentrated, Renyi]
"""The type of a charged claim: (ε, δ), ρ-zCDP, or ``Renyi(OnlyAt(α, moment))``."""
_BIT: Final = (0, 1)


def charged(given: Any) -> tuple[Charged, ...]:
    """The claims, each in the form in which a filter is charged. Raises: InvalidArgument for a
    claim whose worst mechanism is not known."""
    try:
        claims: list[Any] = list(given)
    except TypeError:
        # This call raises the error, whose text lists the accepted forms.
        return pairs(given)
    return tuple(map(_one, claims))


def _one(given: Any) -> Charged:
    if type(given) is ZeroConcentrated:
        return given
    if type(given) is not Renyi:
        (parameters,) = pairs([given])
        return parameters
    curve: Any = given.curve
    if type(curve) is not OnlyAt or curve.moment <= 1:
        raise InvalidArgument(
            "the worst mechanism of a Rényi claim is known at one whole order only: give "
            "Renyi(OnlyAt(order, moment)), with a moment e^((α-1)D) above 1"
        )
    return given


@attrs.frozen
class WorstResponse:
    """A claim, the message that creates the worst mechanism with this claim, and the largest value
    (``limit``) of the ``figure`` that the claim bounds."""

    claim: Charged
    creation: Create
    figure: exact_figures.Figure
    limit: Fraction

    @property
    def lost(self) -> Fraction:
        """The figure's exact value for the mechanism and its best adversary; at most ``limit``."""
        created = self.creation
        assert created.claim is not None
        question = Question(created.mechanism, created.claim.verification, report=None)
        found = self.figure.tight(question, 1)
        assert found is not None
        return found

    @property
    def bounds_divergences(self) -> bool:
        """Whether the claim bounds a Rényi divergence: all do but (ε, δ) with δ > 0."""
        return not isinstance(self.claim, tuple) or not self.claim[1]

    def __str__(self) -> str:
        if isinstance(self.claim, ZeroConcentrated):
            return f"{self.claim.rho}-zCDP"
        if isinstance(self.claim, Renyi):
            return f"of moment {self.limit} at {self.figure}"
        epsilon, delta = self.claim
        return f"({exact_figures.epsilon_text(epsilon)}, {delta})-DP"


def worst(claim: Charged) -> WorstResponse:
    """The worst mechanism with this claim; for ρ-zCDP, nearly the worst."""
    if isinstance(claim, ZeroConcentrated):
        return _concentrated(claim)
    if isinstance(claim, Renyi):
        return _of_moment(claim)
    epsilon, delta = claim
    response = RandomizedResponse(epsilon=epsilon, delta=delta)
    return WorstResponse(claim, Create(response), exact_figures.TightDelta(epsilon), delta)


def _concentrated(claim: ZeroConcentrated) -> WorstResponse:
    growth, _ = rational_growth(root_below(2 * claim.rho))
    response = RandomizedResponse(epsilon=Log(Fraction(floor(growth * DENOMINATOR), DENOMINATOR)))
    source = "Bun and Steinke 2016, Prop. 1.4"
    asserted = Claim(claim, response.claims[0].verification, Status.PROVED, source)
    created, kept = Create(response, asserted), exact_figures.TightDelta(response.epsilon)
    return WorstResponse(claim, created, kept, Fraction(0))


def _of_moment(claim: Renyi) -> WorstResponse:
    curve: Any = claim.curve
    order, moment, odds = curve.order, Fraction(curve.moment), 2
    while response_moment(odds, order) < moment:
        odds *= 2
    told = (moment - 1) / (response_moment(odds, order) - 1)
    true, false = told * Fraction(odds, 1 + odds), told * Fraction(1, 1 + odds)
    rows = (1 - told, true, false), (1 - told, false, true)
    asserted = Claim(claim, neighbouring_start(), Status.PROVED, SOURCE)
    weights = tuple(map(whole_weights, rows))
    made = TableMechanism(f"moment {moment}", _BIT, 3, weights, claims=(asserted,))
    return WorstResponse(claim, Create(made), exact_figures.TightMoment(order), moment)


def response_moment(odds: int, order: int) -> Fraction:
    """The moment Σ p^α q^(1-α) of randomized response RR_ε, where e^ε = ``odds``."""
    return (Fraction(odds) ** order + Fraction(odds) ** (1 - order)) / (1 + odds)


_MOST: Final = 16
"""The largest number of a pattern's claims, all of whose subsets a search may have to try."""


def _few(_: object, __: object, given: tuple[Charged, ...]) -> None:
    if not given or len(given) > _MOST or len(set(given)) < len(given):
        raise InvalidArgument(
            f"claims is a grid of 1 to {_MOST} different (ε, δ), such as ((Log(2), 0), (Log(3), "
            "0)), or ZeroConcentrated(…), or Renyi(OnlyAt(order, moment))"
        )


def _budget(_: object, __: object, given: object) -> None:
    if not isinstance(given, Budget):
        raise InvalidArgument(f"budget is a filter, of ExtConComp(budget=…), not {of_kind(given)}")


@register("antiphon.FilterPattern/1")
@attrs.frozen(kw_only=True)
class FilterPattern(Pattern):
    """ExtConComp with a budget, under which up to ``creations`` mechanisms are created adaptively.

    Their claims are among ``claims``, and each is the worst mechanism of its claim (``worst``): for
    (ε, δ) RR_{ε,δ}, of which every mechanism with the claim is a post-processing, so no other loses
    more. The exact engine finds the best adversary for a set of them; the search is over sets,
    small ones first. There are finitely many sets, and the search ends with the last one. The
    bounded figure is their δ at ε; or, with an ``order``, the moment e^((α-1)D) of that order.
    """

    budget: Budget[Any] = attrs.field(validator=_budget)
    claims: tuple[Charged, ...] = attrs.field(converter=charged, validator=_few)
    creations: int = attrs.field(default=3, validator=lambda _, __, n: exact.whole(n, "creations"))
    order: int | None = attrs.field(default=None, validator=exact_figures.maybe_order)

    def __attrs_post_init__(self) -> None:
        for each in self.responses:
            if self.order is not None and not each.bounds_divergences:
                raise no_divergence(str(each))

    @cached_property
    def responses(self) -> tuple[WorstResponse, ...]:
        """For each of the pattern's ``claims``, the worst mechanism that has it."""
        return tuple(map(worst, self.claims))

    def question(self, responses: Sequence[WorstResponse]) -> Question:
        """The game in which an adversary may create the mechanisms of these ``WorstResponse``s."""
        return Question(
            ExtConComp(budget=self.budget), adaptive_parameters(self.budget),
            catalogue=[each.creation for each in responses],
            max_creations=self.creations, report=None,
        )  # fmt: skip

    def figure(self, epsilon: ExactEpsilon) -> exact_figures.Figure:
        """The figure that the conjecture bounds."""
        return exact_figures.figure_of(self.order, epsilon)

    def loss(
        self, responses: Sequence[WorstResponse], epsilon: ExactEpsilon, rounds: int
    ) -> Fraction:
        """The largest value of the figure that any adversary attains against these mechanisms."""
        found = self.figure(epsilon).tight(self.question(responses), rounds)
        # The figure is finite (not None), as the answers of a worst mechanism are possible in both
        # worlds.
        assert found is not None
        return found

    @property
    def rounds(self) -> int:
        """The number of messages: each mechanism is created and asked one question, after which it
        answers only HALT."""
        return 2 * self.creations

    def described(self, epsilon: ExactEpsilon) -> str:
        figure, budget = self.figure(epsilon), type(self.budget).__name__
        return (
            f"{figure} of up to {self.creations} mechanisms with {len(self.claims)} claims to "
            f"choose from, behind {budget}"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": str(self.figure(epsilon)), "creations": self.creations,
            "claims": list(map(str, self.responses)),
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """The largest loss of a single one of ``claims``, below which no true bound lies, with its
        source. Raises: InvalidArgument if no claim can be charged."""
        budget, claims = self.budget, [each.creation.claim for each in self.responses]
        charged = (budget.charge(budget.initial_state, each.measure) for each in claims if each)
        if all(type(each) is Refusal for each in charged):
            raise InvalidArgument(
                "the budget refuses every claim of the grid, even alone: give it smaller claims, "
                "or a larger budget"
            )
        alone = [self.loss([each], epsilon, 2) for each in self.responses]
        who = self.responses[alone.index(max(alone))]
        return max(alone), f"one mechanism loses alone that is {who}"

    @property
    def most(self) -> int:
        return (1 << len(self.claims)) - 1

    def sizes(self, rounds: int, answers: int) -> Sizes:
        return ((self.creations, len(self.claims)),)

    def known_by(self, sizes: Sizes) -> object:
        return self

    def in_words(self, sizes: Sizes) -> str:
        return "sets of its claims, small ones first"

    def climber(self, size: Size, epsilon: ExactEpsilon) -> "SetBySet":
        return SetBySet(self, size, epsilon)

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        chosen = [each for each, there in zip(self.responses, found.laws[0], strict=True) if there]
        mechanisms = tuple(each.creation.mechanism for each in chosen)
        lost = tuple(each.lost for each in chosen)
        result = judged_game(
            self.question(chosen), self.rounds, self.figure(epsilon), mechanisms, lost
        )
        # The game has a finite figure (not None), as every answer is possible in both worlds.
        assert result is not None
        return result


class SetBySet:
    """A search over sets of claims: each local search computes the exact loss for one set. The laws
    of its result are one array, with 1 for each chosen claim."""

    def __init__(self, pattern: FilterPattern, size: Size, epsilon: ExactEpsilon) -> None:
        self._pattern, self._size, self._epsilon = pattern, size, epsilon
        places = range(len(pattern.claims))
        self._sets = [chosen for many in places for chosen in combinations(places, many + 1)]

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """The exact loss of the worst mechanisms for the set of claims with this number."""
        chosen, pattern = self._sets[number], self._pattern
        responses = [pattern.responses[place] for place in chosen]
        law = np.zeros(len(pattern.claims))
        law[list(chosen)] = 1.0
        lost = pattern.loss(responses, self._epsilon, pattern.rounds)
        return Climb(self._size, float(lost), [law])
