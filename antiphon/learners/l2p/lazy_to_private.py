"""L2P: lazy online learners made private, Alg. 1 of Asi, Koren, Liu and Talwar."""

from fractions import Fraction
from typing import NamedTuple, Self

import attrs
import numpy as np

from antiphon.composition.accounting.calibration import budget
from antiphon.learners.experts.weighted import ByWeight, check_length, times
from antiphon.learners.l2p import base_measures
from antiphon.learners.l2p.accountings import Accounting, L2PSetting, Optimised
from antiphon.learners.learner import InBlocks, Learner, Losses, of_kind
from antiphon.learners.searching import best_l2p, corrected_l2p, printed_l2p, regret_bound, rounds
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.numbers import InvalidArgument, Log, nearest
from antiphon.protocol import Claim, Coins, assumed, proved, register, set_derived


def _fakes(value: object) -> Fraction:
    found = fields.check_positive(value, "fakes")
    if found >= 1:
        raise InvalidArgument(
            "fakes, the probability p of a fake switch, lies strictly between 0 and 1"
        )
    return found


def _margin(_: object, field: "attrs.Attribute[int]", value: object) -> None:
    if type(value) is not int or value not in (1, 2):
        raise InvalidArgument("margin is 2, as in the paper, or 1")


@register("antiphon.Followed/1", state=True)
class Followed(NamedTuple):
    """The state of L2P (lazy to private), which follows one expert and holds a hidden one."""

    rounds: int
    """The number of losses so far."""
    scores: Losses
    """The experts' integer scores s, which give their measures e^(us), u = ``Measures.unit``."""
    pair: tuple[int, int] | None
    """The followed expert x, and the hidden expert y with the same law; None before the first
    message."""
    begun: tuple[int, int] = (0, 0)
    """The scores of the followed and of the hidden expert when the batch began."""


@attrs.frozen(kw_only=True)
class PairedExperts(ByWeight[Followed], InBlocks):
    """L2P (lazy to private) with any rule to draw experts: for a batch of rounds it follows an
    expert x, and holds a hidden expert y. Abstract."""

    experts: int = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    grid: int = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    measures: base_measures.Measures = attrs.field(
        validator=of_kind(base_measures.Measures, "measures is of a class of Measures")
    )
    fakes: Fraction = attrs.field(converter=_fakes)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    margin: int = attrs.field(default=2, validator=_margin)
    accounting: Accounting = attrs.field(
        factory=Optimised, validator=of_kind(Accounting, "accounting is of a class of Accounting")
    )

    def __attrs_post_init__(self) -> None:
        measures = self.measures
        base_measures.check_numbers(measures)
        set_derived(self, experts=measures.experts, grid=measures.grid, unit=measures.unit)
        Learner.__attrs_post_init__(self)
        longest = (self.margin + 1) * self.batch * self.measures.reach
        check_length(self.unit, longest, "batch and grid")
        base_measures.check_assumption(self.measures)
        self.accounting.check(self.setting)

    @property
    def setting(self) -> L2PSetting:
        """The parameters of L2P that determine its privacy."""
        return L2PSetting(
            rate=self.measures.rate, horizon=self.horizon, batch=self.batch, fakes=self.fakes,
            margin=self.margin, loose=self.measures.loose,
        )  # fmt: skip

    @property
    def claims(self) -> tuple[Claim, ...]:
        setting, by = self.setting, self.accounting
        found = proved(self, by.measure(setting), self.verification, by.source)
        return found if by.covers(setting) else tuple(map(assumed, found))

    @property
    def initial_scores(self) -> Losses:
        return row(self.measures.first, np.int64)

    @property
    def initial_state(self) -> Followed:
        return Followed(0, self.initial_scores, None)

    def scored(self, scores: Losses, losses: Losses) -> Losses:
        return self.measures.path(scores, losses)

    def _advise(self, state: Followed, coins: Coins) -> tuple[Followed, int]:
        if state.pair is None:
            pair = self._drawn(state.scores, coins), self._drawn(state.scores, coins)
            state = Followed(state.rounds, state.scores, pair, _of(state.scores, pair))
        assert state.pair is not None
        return state, state.pair[0]

    def _learn(self, state: Followed, loss: Losses, coins: Coins) -> Followed:
        _, __, pair, begun = self._advise(state, coins)[0]
        assert pair is not None
        rounds, scores = state.rounds + 1, self.measures.after(state.scores, loss)
        if not self._decides(rounds):
            return Followed(rounds, scores, pair, begun)
        pair = self._decided(pair, begun, scores, coins)
        return Followed(rounds, scores, pair, _of(scores, pair))

    def _decides(self, rounds: int) -> bool:
        """Whether a batch, but not the last one, ends with round number ``rounds``."""
        return rounds % self.batch == 0 and rounds != self.horizon

    def _decided(
        self, pair: tuple[int, int], begun: tuple[int, int], scores: Losses, coins: Coins
    ) -> tuple[int, int]:
        """The two experts of ``pair`` for the next batch: each is kept, or drawn anew by
        ``scores``."""
        x, y = pair
        stays = coins.bernoulli_exp(self._exponent(pair, begun, scores))
        real = coins.bernoulli(1 - self.fakes)
        if not (stays and real):
            x = self._drawn(scores, coins)
        if not coins.bernoulli(1 - self.fakes):
            y = self._drawn(scores, coins)
        return x, y

    def _exponent(
        self, pair: tuple[int, int], begun: tuple[int, int], scores: Losses
    ) -> Fraction | Log:
        """The exponent a = max{0, mBη - g} of the probability e^(-a) to keep the followed expert x,
        where g is the log-ratio by which x gained on the hidden expert y in the batch, m =
        ``margin`` and B = ``batch``."""
        now = _of(scores, pair)
        gained = (now[0] - begun[0]) - (now[1] - begun[1])
        steps = self.margin * self.batch * self.measures.reach - gained
        return times(self.unit, max(0, steps))

    def _follow(self, state: Followed, losses: Losses, coins: Coins) -> tuple[Followed, Losses]:
        (rounds, scores, pair, begun), _ = self._advise(state, coins)
        assert pair is not None
        shown, place = np.empty(len(losses), np.int64), 0
        while place < len(losses):
            end = min(len(losses), place + self.batch - rounds % self.batch)
            shown[place:end] = pair[0]
            scores = self.measures.through(scores, losses[place:end])
            rounds, place = rounds + end - place, end
            if self._decides(rounds):
                pair = self._decided(pair, begun, scores, coins)
                begun = _of(scores, pair)
        return Followed(rounds, scores, pair, begun), shown

    @property
    def period(self) -> int:
        return self.batch


@register("antiphon.L2P/1")
@attrs.frozen(kw_only=True)
class LazyToPrivate(PairedExperts):
    """L2P (lazy to private, Asi et al., Alg. 1): a private learner that follows an expert x for
    batches of B = ``batch`` rounds, and holds a hidden expert y of the same law.

    x_1 and y_1 are drawn from ν̄_1, where ν_s is the measure when batch s begins. After batch s-1

        S ~ Ber(min{1, e^(-mBη)·ν_s(x)/ν_{s-1}(x)·ν_{s-1}(y)/ν_s(y)}),  S' ~ Ber(1-p),

    and x is drawn anew from ν̄_s unless S = S' = 1; A ~ Ber(1-p), and y is drawn anew unless
    A = 1. p = ``fakes``. m = ``margin`` is 2 in the paper; 1 is enough to keep the ratio at most 1
    where no loss moves two experts apart by more than η: of all ``Measures`` with δ₀ = 0. The
    last batch may be shorter; after it nothing is drawn. Its privacy needs that it decides when a
    loss comes, never on a query.

    *Marginal*: if losses do not depend on the advice and δ₀ = 0, x ~ ν̄_s given y: given y, x
    is kept with probability a constant times ν_s(x)/ν_{s-1}(x). So the expected regret is that of
    the base algorithm on batches: for exponential weights at most ln d/η + ηBT/8, for any p and m.

    Privacy: that of its ``accounting``, w.r.t. ``verification``: see ``Optimised``, ``Repaired``
    and ``Printed``. For a user's measures it is assumed: Assumption 3.1 is tested, not proved.
    Raises: InvalidArgument for measures that fail ``check_assumption``; for a premise of the
    accounting that does not hold; for ``rate=Log(q)`` if probabilities would be too long.

    >>> import numpy as np
    >>> from antiphon.learners.l2p import ExponentialWeights
    >>> weights = ExponentialWeights(experts=2, rate=50)
    >>> learner = LazyToPrivate(measures=weights, horizon=9, fakes=0.5)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    @classmethod
    def tuned(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1,
        accounting: str = "optimised",
    ) -> Self:  # fmt: skip
        """L2P on exponential weights that is (ε, δ)-DP, with the rate η and the batch size B for
        which the regret bound ln d/η + ηBT/8, for d experts and T rounds, is about least.

        ``accounting``: "optimised", "repaired" or "printed". Fake switches do not affect the bound,
        as a new expert has the law of the kept one. Of the batch sizes with a bound within 1/32 of
        the least, the largest is taken. Parameters are found by search; (ε, δ) is checked at the
        end. Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1), or premises that no
        parameters meet.
        """
        asked = rounds(horizon), experts, *budget(epsilon, delta)
        return cls._made(experts, grid, *best_l2p(*asked, accounting))

    @classmethod
    def corrected(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """L2P with the parameters of Asi et al., Thm 3.10, corrected so that their Thm 3.2 holds.

        δ₁ = δ/(2KB), B = max{1, ⌊10/(εℒ)⌋} and p = max{10η/ε, ηBℒ}; η is that of Thm 3.10, or
        the largest below it for which Thm 3.2 gives ε.
        Raises: InvalidArgument for a premise of Thm 3.2 that does not hold.
        """
        asked = rounds(horizon), experts, *budget(epsilon, delta)
        return cls._made(experts, grid, *corrected_l2p(*asked))

    @classmethod
    def printed(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """L2P with the parameters of Asi et al., Thm 3.10, as printed.

        B = 1/ε, rounded up, η = min{ε₀, ε}^(2/3)/(T^(1/3) ln(T/δ)) with ε₀ = T^(-1/4) ln^(3/4) d,
        p = 10η/ε and δ₁ = δ/(2KB). Raises: InvalidArgument where they violate Thm 3.2, which then
        requires ln(1/δ₁) <= 10.
        """
        asked = rounds(horizon), experts, *budget(epsilon, delta)
        return cls._made(experts, grid, *printed_l2p(*asked))

    @classmethod
    def _made(cls, experts: int, grid: int, setting: L2PSetting, accounting: Accounting) -> Self:
        weights = base_measures.ExponentialWeights(experts=experts, grid=grid, rate=setting.rate)
        return cls(
            measures=weights, horizon=setting.horizon, batch=setting.batch, fakes=setting.fakes,
            margin=setting.margin, accounting=accounting,
        )  # fmt: skip

    @property
    def regret_bound(self) -> float:
        """The regret bound ln d/η + ηBT/8 of exponential weights, for d experts and T rounds in
        batches of B. Raises: InvalidArgument for other measures."""
        if type(self.measures) is not base_measures.ExponentialWeights:
            raise InvalidArgument("the regret bound is known of ExponentialWeights only")
        return regret_bound(self.horizon, self.experts, nearest(self.measures.rate), self.batch)


def _of(scores: Losses, pair: tuple[int, int]) -> tuple[int, int]:
    return int(scores[pair[0]]), int(scores[pair[1]])
