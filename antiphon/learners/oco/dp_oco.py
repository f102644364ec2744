"""DP-OCO: L2P (lazy to private) with regularised exponential weights of the points of a convex
body, for linear losses."""

from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, Self

import attrs
import numpy as np

from antiphon.learners.convex.convex_learner import ConvexLearner
from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Datum, LinearLoss, Point
from antiphon.learners.joint_curve import JointCurve, paired_curve
from antiphon.learners.l2p.accountings import L2PSetting, Printed
from antiphon.learners.oco.gibbs import check_body, gibbs
from antiphon.learners.oco.lazy_prefix import Steps, gradient_steps, plus, shown
from antiphon.learners.oco.oco_tuning import OCOTask, Premises, exactly
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import Row, bare
from antiphon.numbers import InvalidArgument, exact, up
from antiphon.populations.each_replica import for_each
from antiphon.protocol import Claim, Coins, Measure, Renyi, Status, column_safe, register


def _below_one(_: object, field: "attrs.Attribute[float]", value: float) -> None:
    if value >= 1:
        raise InvalidArgument(f"{field.name} must lie strictly between 0 and 1")


@register("antiphon.Paired/1", state=True)
class Paired(NamedTuple):
    """The state of ``DPOCO``, which is L2P (lazy to private) in a convex body."""

    rounds: int
    """The number of data so far."""
    total: Steps
    """The sum of all gradients, in units of L/grid, L the loss's Lipschitz constant."""
    pair: tuple[Row, Row] | None
    """The played point x, and the hidden point y of the same law; None before the first message."""
    begun: Steps
    """The sum of all gradients (``total``) when the batch began."""


@attrs.frozen(kw_only=True)
class PairedPoints(ConvexLearner[Paired]):
    """L2P (lazy to private) in a convex body, with any rule to draw points: for a batch of rounds
    it plays a point x, and holds a hidden point y. Abstract."""

    plays: ClassVar[type[Any]] = LinearLoss

    rate: float = attrs.field(converter=fields.double)
    beta: float = attrs.field(converter=fields.double)
    regulariser: float = attrs.field(converter=fields.double)
    fakes: float = attrs.field(converter=fields.double, validator=_below_one)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    accounting: Literal["theorem", "exact"] = attrs.field(
        default="exact", validator=attrs.validators.in_(("theorem", "exact"))
    )
    loose: float = attrs.field(default=1e-12, converter=fields.double, validator=_below_one)
    tail: float = attrs.field(default=1e-12, converter=fields.double, validator=_below_one)

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        check_body(self.body)
        if type(self.loss) is not LinearLoss:
            raise InvalidArgument(
                "points are drawn for linear losses only: give a LinearLoss, or use LazyLeader"
            )
        if self.accounting == "theorem":
            self.premises.check()

    @property
    def premises(self) -> Premises:
        """The parameters in the premises of Asi et al., Thm 3.2 and Lemma 3.11, as an object that
        checks these premises."""
        setting = L2PSetting(
            rate=exact.fraction(self.rate), horizon=self.horizon, batch=self.batch,
            fakes=exact.fraction(self.fakes), loose=exact.fraction(self.loose),
        )  # fmt: skip
        slope = self.loss.lipschitz(self.body)
        return Premises(setting, Printed(tail=self.tail), self.beta, self.regulariser, slope)

    @property
    def initial_state(self) -> Paired:
        nothing = (0,) * self.body.dimension
        return Paired(0, nothing, None, nothing)

    def _advise(self, state: Paired, coins: Coins) -> tuple[Paired, Point]:
        state, (x, _) = self._standing(state, coins)
        return state, bare(x)

    def _standing(self, state: Paired, coins: Coins) -> tuple[Paired, tuple[Row, Row]]:
        pair = state.pair
        if pair is None:
            pair = self._drawn(state.total, coins), self._drawn(state.total, coins)
            state = state._replace(pair=pair)
        return state, pair

    def _drawn(self, total: Steps, coins: Coins) -> Row:
        slope = np.array([float(each) for each in total]) * (-self.beta * self._step)
        return shown(gibbs(self.body, slope, self.beta * self.regulariser, coins))

    @property
    def _step(self) -> float:
        """The unit of integer gradients: the loss's Lipschitz constant divided by ``grid``."""
        return self.loss.lipschitz(self.body) / self.loss.grid

    def _learn(self, state: Paired, loss: Datum, coins: Coins) -> Paired:
        state, pair = self._standing(state, coins)
        rounds = state.rounds + 1
        x, y = pair
        gradient = gradient_steps(self.loss, self.body, bare(x), loss)
        total = plus(state.total, gradient)
        if rounds % self.batch or rounds == self.horizon:
            return Paired(rounds, total, pair, state.begun)
        keeps = coins.bernoulli_exp(for_each(self._exponent, pair, state.begun, total))
        if not (coins.bernoulli(1 - self.fakes) and keeps):
            x = self._drawn(total, coins)
        if not coins.bernoulli(1 - self.fakes):
            y = self._drawn(total, coins)
        return Paired(rounds, total, (x, y), total)

    def _exponent(self, pair: tuple[Row, Row], begun: Steps, total: Steps) -> float:
        """The exponent a >= 0 of the probability e^(-a) to keep the played point of ``pair``."""
        batch = np.array([after - before for before, after in zip(begun, total, strict=True)])
        moved = float(batch @ bare(pair[0] - pair[1])) * self._step
        return max(0.0, 2 * self.batch * self.rate + self.beta * moved)

    @property
    def claims(self) -> tuple[Claim, ...]:
        paper = "Asi, Koren, Liu and Talwar, Thm 3.12"
        if self.accounting == "theorem":
            measure: Measure = self.premises.measure
            source = f"{paper}, by Thm 3.2; for losses chosen beforehand, and exact points"
        else:
            measure, source = Renyi(self.curve), f"{paper}, bound derived here; of exact points"
        return (Claim(measure, self.verification, Status.ASSUMED, source),)

    @property
    def rho(self) -> Fraction:
        """The zCDP parameter ρ₀ = βL²/λ of one drawn point, β = ``beta``, λ = ``regulariser``, and
        L the loss's Lipschitz constant."""
        slope = self.loss.lipschitz(self.body)
        return exact.fraction(
            up(Fraction(self.beta) * Fraction(slope) ** 2 / Fraction(self.regulariser))
        )

    @property
    def curve(self) -> JointCurve:
        """The bound on the learner's Rényi divergences by the accounting named "exact"."""
        slope, width = self.loss.lipschitz(self.body), 2 * self.body.reach
        return paired_curve(
            self.horizon, self.batch, self.fakes, 2 * self.batch * Fraction(self.rate),
            Fraction(self.beta) * Fraction(slope) * Fraction(width), self.rho,
        )  # fmt: skip


@register("antiphon.DPOCO/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class DPOCO(PairedPoints):
    """DP-OCO: L2P (Asi et al., Alg. 1) with μ_t(x) ∝ e^(-β(Σ_{i<t} ℓ_i(x) + λ‖x‖²)), for linear
    losses on a ball or a box; β = ``beta`` and λ = ``regulariser``.

    ν_s is μ when batch s begins; x and y are drawn from ν̄_1. After batch s-1, independently,

        S ~ Ber(min{1, e^(-2Bη)·ν_s(x)/ν_{s-1}(x)·ν_{s-1}(y)/ν_s(y)}),  S', A ~ Ber(1-p),

    x is drawn anew from ν̄_s unless S = S' = 1, and y unless A = 1. η = ``rate``, p = ``fakes``,
    β = ``beta``, λ = ``regulariser``, B = ``batch``. After the last batch nothing is drawn. Data of
    a norm above 1 are shortened to 1, in whole steps.

    Privacy, *assumed*, as points are drawn in doubles; by ``accounting``:

    * "theorem": (ε, δ) of Thm 3.2 with δ₀ = ``loose`` of Lemma 3.11 and δ₁ = ``tail``, whose
      premises are checked. Its proof is for losses that are chosen beforehand only.
    * "exact": were points drawn exactly, D_α <= (F + (K-2)·F')/(α-1), as in ``LazyLeader``, also
      against adaptive adversaries. *Proof*: reveal whether x was kept, whether y was, and the
      points drawn. Draws: θ, of densities ∝ e^(⟨θ, x⟩ - βλ‖x‖²), differs by at most 2βL in the two
      worlds. With Λ(θ) = ln∫e^(⟨θ, x⟩ - βλ‖x‖²) on the body, D_α = (Λ(αθ+(1-α)θ') - αΛ(θ) -
      (1-α)Λ(θ')) /(α-1), and Λ'' is a covariance, at most I/(2βλ) (Brascamp and Lieb 1976); so D_α
      is at most α(2βL)²/(4βλ) = αρ₀, ρ₀ = βL²/λ, with no δ₀. Decisions: given the past, x and y are
      known. x is kept with probability (1-p)e^(-max{a, 0}), a = 2Bη + βΣ(ℓ(x)-ℓ(y)) in [2Bη - BβLD,
      2Bη + BβLD] for a body of diameter D, the same in both worlds but after the batch that
      differs, where a is at most 2βLD apart; y with 1-p. x's and y's parts are independent, so they
      multiply.

    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Thm 3.12; the
    exact accounting is derived here.
    Raises: InvalidArgument for a loss that is not ``LinearLoss``, a body that is neither ball nor
    box, and premises that do not hold, with their numbers.

    >>> from antiphon.learners.convex import Ball
    >>> asked = dict(horizon=2**14, body=Ball(dimension=20), loss=LinearLoss(dimension=20))
    >>> DPOCO.printed(**asked, epsilon=1, delta=1e-6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    antiphon.InvalidArgument: ... Lemma 3.11 gives D_∞ <= ...
    """

    @classmethod
    def printed(
        cls, *, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object
    ) -> Self:
        """DP-OCO with the parameters of Asi et al., Thm 3.12, if their Thm 3.2 and Lemma 3.11 hold
        for them and give (ε, δ).

        δ is halved between δ₀ and δ₁; B is rounded up.
        Raises: InvalidArgument where they do not hold, apparently everywhere: the printed β makes
        D_∞ larger than η, and p = η/ε makes 2η/p = 2ε.
        """
        found = OCOTask.of(horizon, body, loss, epsilon, delta).printed()
        return cls._held_to(found, horizon, body, loss)

    @classmethod
    def corrected(
        cls, *, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object
    ) -> Self:
        """DP-OCO with the parameters of Asi et al., Thm 3.12, corrected so that their Thm 3.2 and
        Lemma 3.11 hold for them and give (ε, δ).

        β = η²λ/(20L² ln(2/δ₀)), p = max{4η/ε, ηBℒ} with ℒ = ln(1/δ₁), and a smaller η. Raises:
        InvalidArgument for premises that no η meets.
        """
        found = OCOTask.of(horizon, body, loss, epsilon, delta).corrected()
        return cls._held_to(found, horizon, body, loss)

    @classmethod
    def tuned(
        cls, *, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object
    ) -> Self:
        """DP-OCO that is (ε, δ)-DP by the exact accounting, with about the least λR² + L²BT/(4λ) +
        d ln T/β, for T rounds in batches of B, a body of dimension d and reach R, and the Lipschitz
        constant L.

        η = βLD/2, so that S is never cut at 1. Parameters are found by search; (ε, δ) is checked at
        the end. Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        found = exactly(OCOTask.of(horizon, body, loss, epsilon, delta))
        return cls(horizon=horizon, body=body, loss=loss, **found._asdict())

    @classmethod
    def _held_to(cls, found: Premises, horizon: int, body: Body, loss: ConvexLoss) -> Self:
        return cls(horizon=horizon, body=body, loss=loss, accounting="theorem", **found.parameters)
