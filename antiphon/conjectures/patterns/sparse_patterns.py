"""The patterns of f_∞ and f_{∞,FPC} (CM §5): unknown mechanisms with the same claim, of which few
may receive a pair with different sides."""

from abc import abstractmethod
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.validity import SparseMeasures, SparseParallel, sparse_parallel
from antiphon.conjectures.all_views import AllViews, best, strategy
from antiphon.conjectures.climbing import Climb, Climber, Size
from antiphon.conjectures.exact_figures import Figure, TightDelta, figure_of
from antiphon.conjectures.law_trees import Domain, ListedPairs, finite, pairs_of, tree, turned
from antiphon.conjectures.patterns import pattern
from antiphon.conjectures.tables import Judged, both_laws, named_mechanisms
from antiphon.mechanisms import RandomizedResponse
from antiphon.mechanisms.fields import boolean
from antiphon.numbers import ExactEpsilon, Intractable, InvalidArgument, exact
from antiphon.protocol import Approximate, Claim, Pair, Status, identical, register
from antiphon.protocol.verification import Refused, Verification, read

_MOST: Final = 5
"""The largest number of mechanisms: the number of views in a table is exponential in it."""
_WIDEST: Final = 10**8
"""The largest number of views of a composition, all of which a search keeps in a table."""


def _creations(made: "SparseComposition", _: object, value: int) -> None:
    if exact.whole(value, "creations") > _MOST:
        raise InvalidArgument(
            f"at most {_MOST} creations, not {value}: all views are tabled, and there are as many "
            "as of one mechanism to the power of creations. A bound that fails fails for few"
        )


def _sparse(made: "SparseComposition", _: object, value: int) -> None:
    if exact.whole(value, "sparse") > made.creations:
        raise InvalidArgument("sparse is at most the number of creations")


@attrs.frozen(kw_only=True)
class SparseComposition(pattern.Pattern):
    """A composition of n mechanisms that keep a claim w.r.t. f', of which at most k receive a pair
    with different sides ("see a difference"). Abstract.

    The verification function is f_∞ of CM Def. 5.1 with n mechanisms, or f_{∞,FPC} of Def. 5.4; k =
    n is the composition of mechanisms with fixed parameters (Def. 4.11).
    """

    creations: int = attrs.field(validator=_creations)
    """The number n of mechanisms that are created."""
    sparse: int = attrs.field(validator=_sparse)
    """The number k of mechanisms that may receive a pair with different sides."""
    inner: Verification = attrs.field()
    """The verification function f' w.r.t. which each mechanism keeps its claim; prefix-closed."""
    pairs: tuple[Pair[Any], ...] = attrs.field(validator=finite)
    """The pairs that may be sent to each mechanism; by default those that f' lists."""

    @inner.default  # pyright: ignore
    def _one_sided(self) -> Verification:
        return ListedPairs()

    @pairs.default  # pyright: ignore
    def _of_the_list(self) -> tuple[Pair[Any], ...]:
        return pairs_of(self.inner)

    played: Verification = attrs.field()
    """The f' that the composition enforces for each mechanism that may get a pair with different
    sides; by default ``inner``, the f' of the mechanisms' claims.

    Give another one for an f' that is not prefix-closed: ``inner`` is its conjunction over
    prefixes.
    """
    first_pair_consistent: bool = attrs.field(default=False, validator=boolean)

    @played.default  # pyright: ignore
    def _as_claimed(self) -> Verification:
        return self.inner

    @property
    @abstractmethod
    def part(self) -> pattern.SoughtMechanism:
        """The unknown mechanism, with its claim and its pairs; the composition has n of them."""

    @abstractmethod
    def figure(self, epsilon: ExactEpsilon) -> Figure:
        """The figure of the composition that the conjecture bounds."""

    @abstractmethod
    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        """The largest loss of a single mechanism whose first pair has different sides."""

    @property
    def _as_played(self) -> bool:
        """Whether the f' that the composition enforces is also that of the mechanisms' claims."""
        return identical(self.inner, self.played)

    @property
    def claim(self) -> Claim:
        """The claim that each mechanism makes in the composition, w.r.t. the verification function
        ``played``.

        The exact engine checks ``inner`` only; for another function it relies on the user.
        """
        if self._as_played:
            return Claim(self.part.measure, self.played, Status.PROVED, pattern.SOURCE)
        return Claim(
            self.part.measure, self.played, Status.ASSUMED, f"w.r.t. inner, {pattern.SOURCE}"
        )

    @property
    def composition(self) -> SparseParallel | SparseMeasures:
        """The verification function f of the composition."""
        consistent = self.first_pair_consistent
        measure: Any = self.part.measure
        # In RDP this is a Renyi, which ``sparse_parallel`` takes, too.
        fixed: list[Approximate] = [measure] * self.sparse
        return sparse_parallel(fixed, first_pair_consistent=consistent)

    @property
    def game(self) -> PrivacyGame:
        """The privacy game of the composition, under the verification function f."""
        return PrivacyGame(ExtConComp(), self.composition)

    @property
    def inputs(self) -> tuple[object, ...]:
        """The messages that one of the mechanisms may receive."""
        return self.part.inputs

    @property
    def heard_at_once(self) -> bool:
        """Whether some pair with different sides is allowed as the first pair to a mechanism."""
        apart = [each for each in self.pairs if not identical(each.zero, each.one)]
        return any(
            all(
                type(read(f, f.initial_state, each.zero, each.one)) is not Refused
                for f in (self.inner, self.played)
            )
            for each in apart
        )

    def described(self, epsilon: ExactEpsilon) -> str:
        many, few, figure = self.creations, self.sparse, self.figure(epsilon)
        asked = "" if self._as_played else ", by another f' than the composition's"
        each = f"each {self.part}{asked}, of which {few} may see a difference"
        return f"{figure} of {many} mechanisms, {each}"

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": str(self.figure(epsilon)), "claim": str(self.part),
            "creations": self.creations, "sparse": self.sparse,
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        who = f"one mechanism loses alone that is {self.part}"
        return (self.alone(epsilon), who) if self.heard_at_once else None

    @property
    def most(self) -> None:
        return None

    def known_by(self, sizes: pattern.Sizes) -> object:
        return self

    def in_words(self, sizes: pattern.Sizes) -> str:
        return pattern.rounds_in_words(sizes, [self.part])

    def sizes(self, rounds: int, answers: int) -> pattern.Sizes:
        inputs = self.inputs
        self._check(Domain(inputs, rounds, answers))
        self._something_differs(Domain(inputs, rounds, 2))
        return tuple(
            sorted(pattern.grid(rounds, answers), key=lambda size: Domain(inputs, *size).size)
        )

    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climber:
        domain = Domain(self.inputs, *size)
        keep = self.part.program(domain)
        played = tree(domain, self.pairs, self.played)
        oracle = AllViews(played, self.sparse, self.figure(epsilon).loss)
        return Climber(size, oracle, [keep] * self.creations, alike=True)

    def heard(self, domain: Domain) -> frozenset[int]:
        """The indices, in the array of a law, of the histories that a mechanism can have in the
        game."""
        levels = tree(domain, self.pairs, self.played)
        return frozenset(int(each) for level in levels for side in level.heard for each in side)

    def _check(self, largest: Domain) -> None:
        """Checks that the table of all views is not too large. Raises: Intractable."""
        self.part.check(largest.rounds, largest.answers)
        levels = tree(largest, self.pairs, self.played)
        views = sum(len(level.differs) for level in levels) ** self.creations
        if views > _WIDEST:
            raise Intractable(
                "views in a table: take fewer creations, rounds, answers or pairs", views, _WIDEST
            )

    def _something_differs(self, domain: Domain) -> None:
        """Checks that f' allows a pair with different sides, without which the loss is 0. Raises:
        InvalidArgument."""
        if self.first_pair_consistent and not self.played.first_pair_consistent:
            raise InvalidArgument(
                "f_∞,FPC allows no creation of a mechanism whose f' is not first-pair consistent: "
                "pass inner=ListedPairs(…, at_first=True)"
            )
        if not any(level.differs.any() for level in tree(domain, self.pairs, self.played)):
            raise InvalidArgument(
                "f' lets no pair through whose sides differ, so nothing is lost: list one that it "
                "allows in so many rounds, such as Pair(0, 1)"
            )

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """The laws as mechanisms with rational probabilities, and the best adversary against them.

        The exact engine checks the claims. The loss is computed from the exact law of the
        adversary's views in the game, whose verifier enforces the pattern. Raises: Intractable if a
        claim cannot be checked.
        """
        domain, count = Domain(self.inputs, *found.size), len(found.laws)
        plans, claimed = zip(*(self.part.kept(domain, law) for law in found.laws), strict=True)
        mechanisms = named_mechanisms([(domain, plan) for plan in plans], [self.claim] * count)
        whole = tree(domain, self.pairs, self.played)
        laws = [np.array([float(each) for each in plan]) for plan in plans]
        worlds = turned(whole) if found.bit else whole
        figure = self.figure(epsilon)
        growth, seen = figure.growth, best(worlds, laws, self.sparse, figure.loss)
        adversary = strategy(seen, self.pairs, mechanisms, domain.answers, growth, found.bit)
        own, other = both_laws(adversary, self.game, count * (1 + domain.rounds))
        adversary = attrs.evolve(adversary, advantage=own.hockey_stick(other, growth))
        loss = figure.of(own, other)
        return Judged(mechanisms, tuple(claimed), adversary, loss, self.game, self.heard(domain))


@register("antiphon.SparsePattern/1")
@attrs.frozen(kw_only=True)
class SparsePattern(SparseComposition):
    """A pattern whose mechanisms are (ε, δ)-DP w.r.t. f'; the bounded figure is the
    composition's δ at some ε."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)

    @property
    def part(self) -> pattern.AnyMechanism:
        return pattern.AnyMechanism(
            epsilon=self.epsilon, delta=self.delta, inner=self.inner, pairs=self.pairs
        )

    def figure(self, epsilon: ExactEpsilon) -> TightDelta:
        return TightDelta(epsilon)

    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        response = RandomizedResponse(epsilon=self.epsilon, delta=self.delta)
        return PrivacyGame(response, response.claims[0].verification).tight_delta(
            epsilon=epsilon, rounds=1
        )


@register("antiphon.SparseRenyi/1")
@attrs.frozen(kw_only=True)
class SparseRenyi(SparseComposition):
    """A pattern whose mechanisms have a sum Σ p^α q^(1-α) over views of at most ``moment``, at a
    whole order α: RDP of this order.

    That is e^((α-1)D) of the Rényi divergence D. The bounded figure is the composition's; ε is 0.
    """

    order: int
    moment: Fraction = attrs.field(converter=exact.fraction)

    def __attrs_post_init__(self) -> None:
        _ = self.part  # Computed for its errors only: it checks the order and the moment.

    @property
    def part(self) -> pattern.AnyRenyi:
        return pattern.AnyRenyi(
            order=self.order, moment=self.moment, inner=self.inner, pairs=self.pairs
        )

    def figure(self, epsilon: ExactEpsilon) -> Figure:
        return figure_of(self.order, epsilon)

    def alone(self, epsilon: ExactEpsilon) -> Fraction:
        return self.moment
