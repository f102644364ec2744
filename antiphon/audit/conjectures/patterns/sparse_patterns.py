"""f_∞ and f_{∞,FPC}: mechanisms that all claim the same, of which few may see a difference."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.conjectures.all_views import AllViews, best
from antiphon.audit.conjectures.climbing import Climb, Climber, Size
from antiphon.audit.conjectures.judging import Judged, both_laws, growth_above, kept, named
from antiphon.audit.conjectures.law_trees import Domain, check_length, tree, turned
from antiphon.audit.conjectures.listed_pairs import ListedPairs, finite, pairs_of
from antiphon.audit.conjectures.patterns.pattern import (
    SOURCE,
    Pattern,
    Sizes,
    grid,
    grown,
    shown,
)
from antiphon.audit.conjectures.program import program
from antiphon.audit.conjectures.strategies import strategy
from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.audit.conjectures.view_losses import HockeyStick, Loss, MomentLoss
from antiphon.audit.exact.comparison import Law
from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.validity import SparseMeasures, SparseParallel, sparse_parallel
from antiphon.mechanisms import RandomizedResponse
from antiphon.mechanisms.fields import boolean
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate, Measure, Renyi
from antiphon.protocol.messages import Pair, distinct, identical
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification, read

_MOST: Final = 5
"""Mechanisms created: the table of all views grows with the power of it."""
_HIGHEST: Final = 11
"""Order: 16^α is in the linear programs, and their solver takes no more than 10^15."""
_WIDEST: Final = 10**8
"""Views in a table."""


def _creations(pattern: SparseComposition, _: object, value: int) -> None:
    if exact.whole(value, "creations") > _MOST:
        raise InvalidArgument(
            f"at most {_MOST} creations, not {value}: all views are tabled, and there are as many "
            "as of one mechanism to the power of creations. A bound that fails fails for few"
        )


def _sparse(pattern: SparseComposition, _: object, value: int) -> None:
    if exact.whole(value, "sparse") > pattern.creations:
        raise InvalidArgument("sparse is at most the number of creations")


@attrs.frozen(kw_only=True)
class SparseComposition(Pattern):
    """n mechanisms that keep a claim w.r.t. f', of which at most k see a difference.

    f_∞ of CM Def. 5.1 with n creations, or f_{∞,FPC} of Def. 5.4; k = n is the composition of
    mechanisms with fixed parameters (Def. 4.11).
    """

    creations: int = attrs.field(validator=_creations)
    """n."""
    sparse: int = attrs.field(validator=_sparse)
    """k."""
    inner: Verification = attrs.field()
    """f', w.r.t. which each keeps its claim; prefix-closed, as every automaton is."""
    pairs: tuple[Pair[Any], ...] = attrs.field(validator=finite)
    """What may be said to each mechanism; by default, what ``ListedPairs`` lists."""

    @inner.default  # pyright: ignore
    def _one_sided(self) -> Verification:
        return ListedPairs()

    @pairs.default  # pyright: ignore
    def _of_the_list(self) -> tuple[Pair[Any], ...]:
        return pairs_of(self.inner)

    played: Verification = attrs.field()
    """What the composition asks of the pairs said to a mechanism in J: f', unless said otherwise.

    Another one for an f' that is not prefix-closed: ``inner`` is its conjunction over prefixes.
    """
    first_pair_consistent: bool = attrs.field(default=False, validator=boolean)

    @played.default  # pyright: ignore
    def _as_claimed(self) -> Verification:
        return self.inner

    @property
    @abstractmethod
    def measure(self) -> Measure:
        """Of the claim."""

    @property
    @abstractmethod
    def claimed(self) -> tuple[Loss, Fraction]:
        """The loss of one mechanism, and what it is at most."""

    @abstractmethod
    def loss(self, epsilon: ExactEpsilon) -> Loss:
        """What the conjecture bounds, of the composition."""

    @abstractmethod
    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        """What one mechanism may lose that hears a difference at once."""

    @abstractmethod
    def lost(self, own: Law, other: Law, growth: Fraction) -> Fraction:
        """The loss of the views of one adversary, by their exact laws in the two worlds."""

    @abstractmethod
    def single(self, game: PrivacyGame, rounds: int) -> Fraction | None:
        """What one mechanism, sought to keep to ``claimed``, truly loses; None: infinitely much."""

    @abstractmethod
    def words(self, epsilon: ExactEpsilon) -> tuple[str, str]:
        """The claim of each mechanism, and what is bounded."""

    @property
    def _as_played(self) -> bool:
        """Whether a composition asks the f' of the claim."""
        return identical(self.inner, self.played)

    @property
    def claim(self) -> Claim:
        """What each mechanism claims to a composition that checks ``played``.

        Another f' than ``inner`` is not what the exact engine looks at: the user's word.
        """
        if self._as_played:
            return Claim(self.measure, self.played, Status.PROVED, SOURCE)
        return Claim(self.measure, self.played, Status.ASSUMED, f"w.r.t. inner, {SOURCE}")

    @property
    def composition(self) -> SparseParallel | SparseMeasures:
        """f of the composition."""
        consistent = self.first_pair_consistent
        measure: Any = self.measure
        fixed: list[Approximate] = [measure] * self.sparse  # or Renyi: it is all the same here
        return sparse_parallel(fixed, first_pair_consistent=consistent)

    @property
    def game(self) -> PrivacyGame:
        """The game of the composition."""
        return PrivacyGame(ExtConComp(), self.composition)

    @property
    def inputs(self) -> tuple[object, ...]:
        """What a mechanism may hear."""
        return distinct(side for pair in self.pairs for side in (pair.zero, pair.one))

    @property
    def heard_at_once(self) -> bool:
        """Whether the first pair may differ."""
        apart = [each for each in self.pairs if not identical(each.zero, each.one)]
        return any(
            all(
                type(read(f, f.initial_state, each.zero, each.one)) is not Refused
                for f in (self.inner, self.played)
            )
            for each in apart
        )

    def described(self, epsilon: ExactEpsilon) -> str:
        claim, figure = self.words(epsilon)
        many, few = self.creations, self.sparse
        asked = "" if self._as_played else ", by another f' than they are asked by"
        return (
            f"{figure} of {many} mechanisms, each {claim}{asked}, of which {few} may see a "
            "difference"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        claim, figure = self.words(epsilon)
        return {
            "figure": figure, "claim": claim, "creations": self.creations, "sparse": self.sparse,
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        claim, _ = self.words(epsilon)
        who = f"one mechanism loses alone that is {claim}"
        return (self.alone(epsilon), who) if self.heard_at_once else None

    def sizes(self, rounds: int, answers: int) -> Sizes:
        inputs = self.inputs
        self._check(Domain(inputs, rounds, answers))
        self._something_differs(Domain(inputs, rounds, 2))
        return tuple(sorted(grid(rounds, answers), key=lambda size: Domain(inputs, *size).size))

    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climber:
        domain = Domain(self.inputs, *size)
        loss, limit = self.claimed
        keep = program(domain, tree(domain, self.pairs, self.inner), loss, float(limit))
        played = tree(domain, self.pairs, self.played)
        oracle = AllViews(played, self.sparse, self.loss(epsilon))
        return Climber(size, oracle, [keep] * self.creations, alike=True)

    def heard(self, mechanism: TableMechanism) -> frozenset[int]:
        levels = tree(mechanism.domain, self.pairs, self.played)
        return frozenset(int(each) for level in levels for side in level.heard for each in side)

    def _check(self, largest: Domain) -> None:
        """Raises: Intractable if a domain is too wide."""
        check_length(largest, len(self.pairs))
        levels = tree(largest, self.pairs, self.played)
        views = sum(len(level.differs) for level in levels) ** self.creations
        if views > _WIDEST:
            raise Intractable(
                "views in a table: take fewer creations, rounds, answers or pairs", views, _WIDEST
            )

    def _something_differs(self, domain: Domain) -> None:
        """Raises: InvalidArgument if nothing that differs may be sent, so that nothing is lost."""
        if self.first_pair_consistent and not self.played.first_pair_consistent:
            raise InvalidArgument(
                "f_∞,FPC lets nobody create a mechanism whose f' is not first-pair consistent: "
                "pass inner=ListedPairs(…, at_first=True)"
            )
        if not any(level.differs.any() for level in tree(domain, self.pairs, self.played)):
            raise InvalidArgument(
                "f' lets no pair through whose sides differ, so nothing is lost: list one that it "
                "allows in so many rounds, such as Pair(0, 1)"
            )

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """The laws as mechanisms with rational probabilities, and the best adversary against these.

        The claims are examined by the exact engine. The loss is that of the law of the adversary's
        views, which the game itself plays out: its verifier stands guard over the pattern.
        Raises: Intractable where a claim cannot be examined.
        """
        domain, count = Domain(self.inputs, *found.size), len(found.laws)
        plans, claimed = zip(*(kept(self, domain, law) for law in found.laws), strict=True)
        mechanisms = named([(domain, plan) for plan in plans], [self.claim] * count)
        whole = tree(domain, self.pairs, self.played)
        laws = [np.array([float(each) for each in plan]) for plan in plans]
        worlds = turned(whole) if found.bit else whole
        seen = best(worlds, laws, self.sparse, self.loss(epsilon))
        growth = growth_above(epsilon)
        adversary = strategy(seen, self.pairs, mechanisms, domain.answers, growth, found.bit)
        own, other = both_laws(adversary, self.game, count * (1 + domain.rounds))
        adversary = attrs.evolve(adversary, advantage=own.hockey_stick(other, growth))
        lost = self.lost(own, other, growth)
        return Judged(mechanisms, tuple(claimed), adversary, lost, self.game)


@register("antiphon.SparsePattern/1")
@attrs.frozen(kw_only=True)
class SparsePattern(SparseComposition):
    """Each mechanism is (ε, δ)-DP w.r.t. f'; what is bounded is the composition's δ at some ε."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)

    @property
    def measure(self) -> Approximate:
        return Approximate(self.epsilon, self.delta)

    @property
    def claimed(self) -> tuple[Loss, Fraction]:
        return self.loss(self.epsilon), self.delta

    def loss(self, epsilon: ExactEpsilon) -> HockeyStick:
        return HockeyStick(grown(epsilon))

    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        response = RandomizedResponse(epsilon=self.epsilon, delta=self.delta)
        return PrivacyGame(response, response.claims[0].verification).tight_delta(
            epsilon=epsilon, rounds=1
        )

    def lost(self, own: Law, other: Law, growth: Fraction) -> Fraction:
        return own.hockey_stick(other, growth)

    def single(self, game: PrivacyGame, rounds: int) -> Fraction:
        return game.tight_delta(epsilon=self.epsilon, rounds=rounds, report=None)

    def words(self, epsilon: ExactEpsilon) -> tuple[str, str]:
        return f"({shown(self.epsilon)}, {self.delta})-DP", f"δ({shown(epsilon)})"


@register("antiphon.SparseRenyi/1")
@attrs.frozen(kw_only=True)
class SparseRenyi(SparseComposition):
    """Each mechanism has Σ p^α q^(1-α) <= ``moment`` at a whole order α: RDP of that order.

    That is e^((α-1)D) of the Rényi divergence D. What is bounded is the composition's; ε is 0.
    """

    order: int = attrs.field()
    moment: Fraction = attrs.field(converter=exact.fraction)

    @order.validator  # pyright: ignore
    def _whole_order(self, _: object, value: object) -> None:
        if not 2 <= exact.whole(value, "order") <= _HIGHEST:
            raise InvalidArgument(
                f"order is a whole number from 2 to {_HIGHEST}: others have no exact figure, or "
                "their linear programs are past what doubles can do"
            )

    @moment.validator  # pyright: ignore
    def _possible(self, _: object, value: Fraction) -> None:
        if value < 1:
            raise InvalidArgument(
                f"moment = {value}: e^((α-1)D) is at least 1, for a mechanism that says nothing; "
                "a claim below it cannot be kept"
            )

    measure: Renyi = attrs.field(init=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    """One object, for a curve of a user's is equal to itself alone."""

    @measure.default  # pyright: ignore
    def _only_at(self) -> Renyi:
        return Renyi(OnlyAt(self.order, self.moment))

    @property
    def claimed(self) -> tuple[Loss, Fraction]:
        return MomentLoss(self.order), self.moment

    def loss(self, epsilon: ExactEpsilon) -> MomentLoss:
        if epsilon != 0:
            raise InvalidArgument("of a Rényi divergence there is no ε: leave it 0")
        return MomentLoss(self.order)

    def in_words(self, sizes: Sizes) -> str:
        widest = f"{MomentLoss(self.order).widest:g}"
        return f"{super().in_words(sizes)}, of likelihood ratios up to {widest}"

    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        return self.moment

    def lost(self, own: Law, other: Law, growth: Fraction) -> Fraction:
        return own.moment(other, self.order)

    def single(self, game: PrivacyGame, rounds: int) -> Fraction | None:
        return game.tight_renyi(self.order, rounds=rounds, report=None).moment

    def words(self, epsilon: ExactEpsilon) -> tuple[str, str]:
        return f"of moment {self.moment} at α = {self.order}", f"moment at α = {self.order}"


@register("antiphon.OnlyAt/1")
@attrs.frozen
class OnlyAt:
    """A Rényi curve that says nothing of the orders above one."""

    order: int
    moment: Fraction

    def __call__(self, order: float) -> float:
        if order > self.order:
            return math.inf
        return math.nextafter(math.log(self.moment) / (self.order - 1) * (1 + 2**-50), math.inf)
