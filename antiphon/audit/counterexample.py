"""The adversary of CM §5.2: sparse parallel composition guarantees nothing for δ > 0 (Thm 1.4)."""

from fractions import Fraction

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.composition import Create, ExtConComp, sparse_parallel
from antiphon.mechanisms.randomized_response import ExposedResponse, LeakyBit
from antiphon.numbers import InvalidArgument, exact, named
from antiphon.protocol import Adversary, Approximate, Coins, Measure, View, message_label
from antiphon.protocol.measures.conversions import implies
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, EMPTY, HALT, TOP, Ask, Pair, same
from antiphon.protocol.registry import column_safe, register, set_derived


class _Exposing(Adversary["tuple[int, bool]"]):
    """An adversary that creates mechanisms until one answers ⊥, and asks it for the secret bit.

    State: (copies created, whether the last one awaits its question).
    """

    __slots__ = ()
    copies: int
    _create: Pair[Create]

    @property
    def initial_state(self) -> tuple[int, bool]:
        return 0, False

    def step(
        self, state: tuple[int, bool], message: object, coins: Coins
    ) -> tuple[tuple[int, bool], object]:
        created, fresh = state
        if fresh:
            return (created, False), same(Ask(0, created - 1))
        if message is BOTTOM:
            return state, Pair(Ask(0, created - 1), Ask(1, created - 1))
        if (message is not EMPTY and message is not TOP) or created == self.copies:
            return state, HALT
        return (created + 1, True), self._create


def _asserting(mechanism: ContinualMechanism, measure: Measure) -> Pair[Create]:
    claim = next(each for each in mechanism.claims if implies(each.measure, measure))
    return same(Create(mechanism, attrs.evolve(claim, measure=measure)))


@register("antiphon.CounterexampleAdversary/1")
@column_safe
@attrs.frozen
class CounterexampleAdversary(_Exposing):
    """An adversary that creates copies of M_δ until one breaks, which then echoes the secret bit.

    It sends (0, 0) to each new M_δ; on ⊤ it creates the next; after the first ⊥ it sends (0, 1) to
    that one, which echoes b. With ``copies`` instances it learns b w.p. 1-(1-δ)^copies, although
    every view is valid for 1-sparse parallel composition. Source: CM §5.2.
    """

    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    epsilon: exact.ExactEpsilon = attrs.field(
        default=Fraction(0), converter=exact.epsilon, kw_only=True
    )
    """The ε that the creations claim; the mechanisms themselves are (0, δ)-DP."""
    copies: int = attrs.field(converter=named.whole, kw_only=True)
    _create: Pair[Create] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        weaker = Approximate(self.epsilon, self.delta)
        set_derived(self, _create=_asserting(LeakyBit(delta=self.delta), weaker))

    @property
    def success(self) -> Fraction:
        """The probability 1-(1-δ)^copies that the adversary learns the bit."""
        return 1 - (1 - self.delta) ** self.copies


@register("antiphon.ExposingAdversary/1")
@column_safe
@attrs.frozen
class ExposingAdversary(_Exposing):
    """An adversary that creates copies of M_{p,E} until one is exposed, and asks it for RR_E of b.

    Each creation asserts ``measure``. With ``copies`` instances it gets the response w.p.
    1-(1-p)^copies, although every view is valid for 1-sparse parallel composition. Source:
    docs/sparse.md. Raises: InvalidArgument for a measure that M_{p,E} does not claim.
    """

    probability: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    measure: Measure = attrs.field(kw_only=True)
    copies: int = attrs.field(converter=named.whole, kw_only=True)
    _create: Pair[Create] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        made = ExposedResponse(probability=self.probability, epsilon=self.epsilon)
        if not any(implies(each.measure, self.measure) for each in made.claims):
            raise InvalidArgument(f"this M_{{p,E}} claims no {message_label(self.measure)}")
        set_derived(self, _create=_asserting(made, self.measure))


def learned_bit(view: View) -> int | None:
    """The secret bit, if a view of an adversary of this module shows it; else None."""
    last = view.rounds[-1].answer if view.rounds else HALT
    return last if type(last) is int else None


def counterexample_game(
    delta: float | Fraction, *, first_pair_consistent: bool = False
) -> PrivacyGame:
    """The counterexample's game: 1-sparse parallel composition of M_δ, with f_∞ or f_{∞,FPC}."""
    f = sparse_parallel([(0, delta)], first_pair_consistent=first_pair_consistent)
    return PrivacyGame(ExtConComp(), f)
