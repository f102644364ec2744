"""Lazy experts as a complex mechanism (CM §6), whose privacy is derived from that of its parts."""

import math
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

import attrs
import numpy as np

from antiphon.composition import Certified, ConcentratedFilter, Create, ExtConComp, Lifting
from antiphon.composition.validity import adaptive_parameters, fixed_mechanisms, sparse_parallel
from antiphon.learners.experts.lazy import LazyExperts
from antiphon.learners.joint_curve import LazyCurve
from antiphon.learners.learner import Losses
from antiphon.mechanisms import ExponentialMechanism, KaryResponse, fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.numbers import InvalidArgument, Log
from antiphon.numbers.errors import of_kind
from antiphon.protocol import HALT, TOP, Ask, Claim, Coins, Status, converted, register, set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.measures.kinds import BoundedRange, Renyi, ZeroConcentrated
from antiphon.protocol.provenance import proved, why_untrusted
from antiphon.protocol.spaces import BITS, Integers, Signature
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import Within


def of_lazy_experts(_: object, field: "attrs.Attribute[Any]", value: object) -> None:
    """An attrs validator that accepts ``LazyExperts`` only: a subclass might break its claim."""
    if type(value) is not LazyExperts:
        raise InvalidArgument(f"{field.name} is a LazyExperts, not {of_kind(value)}")


@register("antiphon.StayBit/1")
@attrs.frozen
class StayBit(NoninteractiveMechanism[int, int]):
    """A noninteractive mechanism that makes a decision of ``learner``: it maps the loss L of the
    followed expert in a batch to 1 (stay) with probability e^(-η(c + L)), else to 0 (draw anew),
    where η is the learner's rate and c its cost.

    L is the loss of the followed expert in a batch, in steps of 1/grid: an int in 0, …, B·grid.
    Privacy: e^((α-1)D_α) is at most the largest s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α) over s₀ =
    e^(-η(c+L)) and s₁ = e^(-η(c+L')), L and L' in [0, B] and at most 1 apart, w.r.t. f_∼ with such
    losses; proved: it is largest at a corner of a hexagon (``joint_curve``), where s₀ = s₁, and it
    is 1, or {L, L'} is {0, 1} or {B-1, B} (``LazyCurve`` without draws). The answer 0 reveals
    little: with c > 0 the learner sometimes leaves an expert without a loss. Source: Asi, Koren,
    Liu and Talwar, Alg. 1; the divergence is computed here.

    >>> StayBit(LazyExperts(horizon=9, experts=2, rate=50, cost=1)).start(seed=1).send(0)
    0
    """

    learner: LazyExperts = attrs.field(validator=of_lazy_experts)

    @property
    def signature(self) -> Signature:
        losses = Integers(0, self.learner.batch * self.learner.grid)
        return Signature(losses, BITS, losses)

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: two losses of an expert in a batch are neighbouring if they
        differ by at most 1, as they do if one round's loss differs."""
        return neighbouring_start(Within(Fraction(self.learner.grid)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        rate, cost, batch = self.learner.rate, self.learner.cost, self.learner.batch
        curve = LazyCurve(rate, cost, batch, decisions=1, draws=False)
        return proved(self, Renyi(curve), self.verification, "see StayBit")

    def respond(self, dataset: int, coins: Coins) -> int:
        return int(coins.bernoulli_exp(self.learner.exponent(dataset)))


FIRST: Final = 0
STAYS: Final = 1
DRAWS: Final = 2
"""The indices of the mechanisms that ``LazyPolicy`` creates: FIRST draws the first expert, STAYS
decides whether to stay, and DRAWS draws later experts."""


@register("antiphon.Following/1", state=True)
class Following(NamedTuple):
    """The state of ``LazyPolicy``."""

    rounds: int
    """The number of losses so far."""
    scores: Losses
    """The experts' scores: minus their total losses, in steps of 1/grid."""
    expert: int | None
    """The expert that is followed; None before the first message."""
    batch: int = 0
    """The loss of the followed expert in the current batch, in steps of 1/grid."""
    draws: int = 0
    """The number of experts drawn since the first one."""
    refused: bool = False
    """Whether the filter has refused a draw; from then on the learner keeps its expert."""


@register("antiphon.LazyPolicy/1")
@attrs.frozen
class LazyPolicy(ExchangePostProcessor[Following]):
    """Lazy experts as the post-processor P of a complex mechanism, P ∘* ExtConComp =
    ``ComplexMechanism(LazyPolicy(learner, draws=n))``.

    Its answers have the law of ``learner``'s answers, until ``learner`` would draw an expert for
    the (n+1)-st time after the first one: then the expert is kept for good. A loss is answered by
    ⊤, and ``ADVICE`` by the expert. P creates, before all else and in this order: a uniform
    response, for the first expert; a composition of ``StayBit``, one for each decision; one of
    exponential mechanisms, one for each draw, with a zCDP filter that is full after n of them.

    Privacy: ``ap.guarantee`` derives it, w.r.t. ``learner.verification``, against adversaries that
    adapt: one stay bit's divergence (1-sparse parallel composition, first-pair consistent) and n
    times the η²/2-zCDP of a draw (the filter), added up (CM Thm 4.10, in Rényi divergences), and CM
    Thm 6.1. *P has the three properties of CM §6.1*: its destinations and answers are computed from
    the number of rounds and from messages from the right (destination, response). Take two runs
    with the same answers from the right, whose left messages differ in one loss. Creations are the
    same, and so is the expert x at all times. The i-th stay bit gets the loss of x in the i-th
    batch, in both: those of one batch differ, by 1 at most, the others are identical pairs. A draw
    gets the scores, whose entries differ by one loss at most, each: f_∼ of an exponential mechanism
    of that sensitivity, whose range is 2η. So f' holds (f→f'). Source: Asi, Koren, Liu and Talwar,
    Alg. 1, without fake switches, in the manner of CM §6-7. Raises: InvalidArgument unless
    ``learner`` is a ``LazyExperts`` with two experts or more; for a loss past the horizon.

    >>> import numpy as np
    >>> from antiphon.composition import ComplexMechanism
    >>> learner = LazyExperts(horizon=9, experts=2, rate=50, cost=1)
    >>> session = ComplexMechanism(LazyPolicy(learner, draws=3)).start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    learner: LazyExperts = attrs.field(validator=of_lazy_experts)
    draws: int = attrs.field(kw_only=True, converter=fields.size, metadata=fields.STREAM)
    _stay: Create = attrs.field(init=False, eq=False, repr=False)
    _draw: Create = attrs.field(init=False, eq=False, repr=False)
    passes_halt = True

    def __attrs_post_init__(self) -> None:
        if self.learner.experts == 1:
            raise InvalidArgument("experts must be > 1: a single expert needs no mechanism")
        draw = _as_concentrated(_exponential(self.learner))
        set_derived(self, _stay=Create(StayBit(self.learner)), _draw=draw)

    @classmethod
    def capped(cls, learner: LazyExperts, *, beta: float) -> Self:
        """The lazy policy with a limit on draws that is large enough with probability 1 - ``beta``,
        for any losses.

        Each of the k decisions leads to a draw with probability at most r = 1 - e^(-η(c+B)) given
        any past. By Chernoff's bound, n+1 of them do so with probability at most
        e^(-k·KL((n+1)/k‖r)).
        """
        decisions, most = learner.curve.decisions, -math.log(fields.beta(beta))
        drawn = -math.expm1(-float(learner.rate) * float(learner.cost + learner.batch))
        low, high = math.ceil(decisions * drawn), decisions
        while low < high:
            middle = (low + high) // 2
            enough = decisions * _relative_entropy((middle + 1) / decisions, drawn) >= most
            low, high = (low, middle) if enough else (middle + 1, high)
        return cls(learner, draws=max(low, 1))

    @cached_property
    def created(self) -> tuple[Create, ...]:
        """The messages by which P creates its mechanisms: one for the first expert, one for the
        decisions to stay, and one for the draws."""
        first = KaryResponse(epsilon=0, values=self.learner.experts)
        rho = _measure(self._draw)
        assert isinstance(rho, ZeroConcentrated)
        budget = ConcentratedFilter(rho=self.draws * rho.rho)
        stays = sparse_parallel([_measure(self._stay)], first_pair_consistent=True)
        charged = ExtConComp(budget=budget), adaptive_parameters(budget)
        return (
            Create(first),
            self._many(ExtConComp(), stays, "StayBit(learner)"),
            self._many(*charged, "an exponential mechanism of range 2·rate"),
        )

    def _many(self, composition: ExtConComp, f: Any, what: str) -> Create:
        known = why_untrusted(self) is None
        truth = f"all that P creates here is {what}" if known else ""
        return Create(Certified(composition, f, truth=truth))

    @property
    def lifting(self) -> Lifting:
        """The verification functions f of the learner and f' of the composition that P uses (CM
        Def. 4.9)."""
        inner = fixed_mechanisms(self.created)
        return Lifting(self.learner.verification, inner, Status.PROVED, "see LazyPolicy")

    def signature(self, right: Signature) -> Signature:
        return self.learner.signature

    @property
    def initial_state(self) -> Following:
        return Following(0, row(np.zeros(self.learner.experts), np.int64), None)

    def exchange(self, state: Following, message: Any) -> Exchanged[Following]:
        """Handles a query or a loss; after the last loss of a batch it decides whether to keep the
        expert."""
        rounds, scores, expert, batch, draws, refused = state
        if expert is None:
            *_, expert = yield from in_turn((*self.created, Ask(0, FIRST)))
            if expert is HALT:
                return state, HALT
        if type(message) is str:
            return state._replace(expert=expert), expert
        learner = self.learner
        if rounds >= learner.horizon:
            raise InvalidArgument(
                f"the horizon of {learner.horizon} losses is reached: give a learner with more"
            )
        rounds, scores, batch = rounds + 1, scores - message, batch + int(message[expert])
        if refused or rounds % learner.batch or rounds == learner.horizon:
            return Following(rounds, scores, expert, batch, draws, refused), TOP
        yield Ask(self._stay, STAYS)
        if not (yield Ask(Ask(batch, rounds // learner.batch - 1), STAYS)):
            if (yield Ask(self._draw, DRAWS)) is TOP:
                expert = yield Ask(Ask(scores.view(np.ndarray), draws), DRAWS)
                if expert is HALT:
                    return state, HALT
                draws += 1
            else:
                refused = True
        return Following(rounds, scores, expert, 0, draws, refused), TOP


def _exponential(learner: LazyExperts) -> ExponentialMechanism:
    """The mechanism that draws an expert x with weight e^(-η·(total loss of x)), η the rate of
    ``learner``; its scores are total losses in steps of 1/grid, negated."""
    rate = learner.rate
    twice = Log(rate.argument**2) if isinstance(rate, Log) else 2 * rate
    return ExponentialMechanism(
        epsilon=twice, candidates=learner.experts, sensitivity=learner.grid, arrays=True
    )


def _as_concentrated(mechanism: ExponentialMechanism) -> Create:
    """The message that creates the mechanism with a zCDP claim, which is converted from bounded
    range because the filter adds up ρ."""
    claim = next(each for each in mechanism.claims if type(each.measure) is BoundedRange)
    measure = converted(claim.measure, ZeroConcentrated)
    assert measure is not None
    return Create(mechanism, attrs.evolve(claim, measure=measure))


def _measure(create: Create) -> Any:
    """The privacy measure that the message ``create`` claims for its mechanism."""
    assert create.claim is not None
    return create.claim.measure


def _relative_entropy(p: float, q: float) -> float:
    """The relative entropy KL(p‖q) of two coins with probabilities p >= q."""
    if p >= 1:
        return -math.log(q) if p == 1 else math.inf
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
