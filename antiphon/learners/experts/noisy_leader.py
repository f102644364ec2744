"""Private follow-the-leader: softmax of the noisy sums of losses from a private counter.

The learning rate is chosen for nearly the least bound on regret.

**The bound.** Let sums L_t of losses in [0, 1]^d that are chosen beforehand have noise N_t ~
N(0, v_t·I), N_0 = 0, and x_t ∝ e^(-η(L_{t-1} + N_{t-1})), of noisy sums that are rounded to
1/256. Then expected regret is at most

    ln d/η + ηT/8 + ηT/256 + Σ_{0<t<T} (G(v_t) - G(v_{t-1}))⁺,

G(v) the integral over 0 <= u <= v of min(η(1 - 1/d)/2, √(ln d/(2u))).

*Proof*, first without rounding. Let Φ_t(N) = -ln(Σ_i e^(-η(L_t + N)_i)/d)/η. For fixed N, ⟨x_t,
ℓ_t⟩ <= Φ_t(N) - Φ_{t-1}(N) + η/8 (Hoeffding's lemma), with N = N_{t-1}. Only the law of N_{t-1}
matters, as the losses do not depend on it. Summed, as Φ_0(0) = 0, and as Φ_T(N) <= L_T(x*) + N(x*)
+ ln d/η, in which the noise has mean 0, expected regret is at most ln d/η + ηT/8 + Σ E[Φ_t(N_{t-1})
- Φ_t(N_t)]. Φ_t is concave, so a term where the variance falls is at most 0. Where it rises, N_t
has the law of N_{t-1} and independent noise, and with p the softmax of L_t + N, -dE[Φ_t(N)]/dv =
(η/2)·E[1 - ‖p‖²] <= η(1 - 1/d)/2. By Stein's lemma it is E⟨p, -N⟩/(2v), too, which is at most
E[max_i -N_i]/(2v) <= √(ln d/(2v)). Rounding moves each sum by 1/512 at most, and so a chance by a
factor of at most e^(η/256); losses lie in [0, 1], so that it costs η/256 a round at most. ∎

Noise costs only where its variance rises: for a tree, whose variance rises and falls all the time,
the bound is weak, and ``best_rate`` uses the largest variance as if it had risen once, as a
heuristic. Noise on a grid of 2^-32 of its deviation is treated as Gaussian. Source: derived here;
Cesa-Bianchi and Lugosi 2006, Thm 2.2, without noise.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, Self

import attrs
import numpy as np

from antiphon.composition.accounting.calibration import budget, largest_rho, short_rate
from antiphon.learners.experts.weighted import STEPS, Softmax, part
from antiphon.learners.learner import GRID, QUERIES, ROUNDS, InBlocks, Learner, Losses
from antiphon.learners.searching import keep_to, rounds
from antiphon.mechanisms import CountAfter, GaussianTreeCounter, fields
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter, Rolling
from antiphon.mechanisms.counters.counter import COUNT, Counter
from antiphon.numbers import ExactEpsilon, Floats, Intractable, InvalidArgument
from antiphon.protocol import Claim, Coins, column_safe, register, set_derived
from antiphon.protocol.provenance import assumed, claims_of, why_untrusted
from antiphon.verifiers.models import updates_and_queries

_LONGEST: Final = 1 << 20
"""The longest horizon for which the default counter, ``BufferedToeplitzCounter``, normalises the
columns of its matrix."""


@register("antiphon.Led/1", state=True)
class Led(NamedTuple):
    """The state of ``NoisyLeader``: the followed expert, and the counter's state."""

    expert: int | None
    """The expert that is followed; None before the first message."""
    counting: Any
    """The state of the private counter."""

    @property
    def rounds(self) -> int:
        """The number of losses so far."""
        updates: int = self.counting.updates
        return updates


def _of_losses(_: object, field: "attrs.Attribute[Any]", value: object) -> None:
    if not isinstance(value, Counter) or value.dimension is None:
        raise InvalidArgument("counter must be a counter with a dimension: one sum for each expert")
    if value.smallest != 0 or value.clip or value.users:
        raise InvalidArgument(
            "counter must take losses in 0..largest: smallest=0, without clip or users"
        )


@register("antiphon.NoisyLeader/1")
@column_safe(of="counter")
@attrs.frozen(kw_only=True)
class NoisyLeader(Learner[Led], InBlocks):
    """A private learner that draws the next expert x ∝ e^(-η·(noisy total loss of x)) after each
    loss, η = ``rate``.

    η = ``rate``; the sums are those of ``counter``, whose horizon, dimension and largest update are
    the learner's horizon, experts and grid. It is ``Softmax @ CountAfter() @ counter``, which
    answers a loss by the expert for the next round, but with a learner's messages: the loss is
    answered ⊤, and ``ADVICE`` by the expert that was drawn; the first is drawn uniformly.

    Privacy: the claim of ``counter``, w.r.t. the same neighbours among the losses, against adaptive
    adversaries; *proved* if the counter's is. *Proof* (CM Lemma 2.15): a loss goes on to the
    counter unchanged, followed by ``COUNT``; all else depends on the counter's answers, the
    learner's own coins, and the number of losses. So an adversary of the counter can simulate the
    learner: it answers ``ADVICE`` by itself, which f allows only as (ADVICE, ADVICE), and its
    messages to the counter are f'-valid, as f' ignores (COUNT, COUNT).

    Expected regret, against losses that do not depend on the advice: ``regret_bound``.
    Source: Agarwal and Singh 2017, on a tree; Kairouz et al. 2021; the bound on regret is proved
    in ``noisy_leader``.
    Raises: InvalidArgument for a counter without dimension, or whose updates are no losses;
    CompositionError for a rate that is a Log with sums in doubles.

    >>> import numpy as np
    >>> from antiphon.mechanisms import GaussianTreeCounter
    >>> counter = GaussianTreeCounter(horizon=9, rho=100, dimension=2)
    >>> session = NoisyLeader(rate=50, counter=counter).start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    rate: ExactEpsilon = attrs.field(converter=fields.rate)
    counter: Counter = attrs.field(validator=_of_losses)
    horizon: int = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    experts: int = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    grid: int = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    softmax: Softmax = attrs.field(init=False, eq=False, repr=False)
    """The post-processor that draws the expert, given noisy total losses in steps of 1/grid."""

    def __attrs_post_init__(self) -> None:
        counter = self.counter
        size = {"horizon": counter.horizon, "experts": counter.dimension, "grid": counter.largest}
        for name, bound in (("horizon", ROUNDS), ("grid", GRID)):
            fields.check_size(size[name], name, bound)
        set_derived(self, **size, softmax=Softmax(rate=part(self.rate, counter.largest)))
        # This call raises an error if the counter's sums are not of the type that ``Softmax``
        # takes.
        self.softmax.signature((CountAfter() @ counter).signature)
        Learner.__attrs_post_init__(self)
        near = updates_and_queries(counter.verification.updates, QUERIES)
        # A counter may claim privacy for some pairs of losses only: these are neighbouring for the
        # learner.
        set_derived(self, verification=near)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        experts: int,
        epsilon: object,
        delta: object,
        grid: int = 1,
        counter: Callable[..., Counter] | None = None,
    ) -> Self:
        """The (ε, δ)-DP learner with the least noise, and with a rate for which the bound on regret
        is nearly the least.

        ``counter``: a function of ``horizon``, ``dimension``, ``largest`` and ``rho`` that makes a
        counter; by default ``BufferedToeplitzCounter``, whose columns are normalised up to a
        horizon of 2^20. The choice uses no losses. Raises: InvalidArgument for ε or δ outside (0,
        ∞) and (0, 1); for a counter that spends more, or that does not protect any two losses.
        """
        make = _buffered if counter is None else counter
        rho = largest_rho(*budget(epsilon, delta))
        made = make(horizon=rounds(horizon), dimension=experts, largest=grid, rho=rho)
        rate = best_rate(horizon, experts, made.max_squared_error / grid**2)
        learner = cls(rate=rate, counter=made)
        if counter is not None:
            _protects_any_two(made)
            keep_to(learner, epsilon, delta)
        return learner

    @property
    def claims(self) -> tuple[Claim, ...]:
        lemma = "a function of noisy sums, of coins and of the number of losses (CM Lemma 2.15)"
        found = tuple(
            attrs.evolve(each, verification=self.verification, source=f"{each.source}; {lemma}")
            for each in claims_of(self.counter)
            if each.verification == self.counter.verification
        )
        return found if why_untrusted(self) is None else tuple(map(assumed, found))

    @property
    def regret_bound(self) -> float:
        """The proved bound on expected regret, at most the horizon. Raises: Intractable for a
        horizon past 2^20."""
        return regret_bound(float(self.rate), self.counter)

    @property
    def initial_state(self) -> Led:
        return Led(None, self.counter.initial_state)

    def _advise(self, state: Led, coins: Coins) -> tuple[Led, int]:
        expert = state.expert
        if expert is None:
            expert = coins.uniform_integer(self.experts)
            state = state._replace(expert=expert)
        return state, expert

    def _learn(self, state: Led, loss: Losses, coins: Coins) -> Led:
        counter = self.counter
        if type(counter) is BufferedToeplitzCounter:
            rolling = Rolling(counter, state.counting)
            expert = self._next_expert(rolling, loss, coins)
            return Led(expert, rolling.state())
        counting, _ = self.counter.step(state.counting, loss, coins)
        counting, sums = self.counter.step(counting, COUNT, coins)
        return Led(self.softmax.drawn(sums, coins), counting)

    def _follow(self, state: Led, losses: Losses, coins: Coins) -> tuple[Led, Losses]:
        counter = self.counter
        if type(counter) is not BufferedToeplitzCounter:
            return self._one_by_one(state, losses, coins)
        state, expert = self._advise(state, coins)
        shown, rolling = [expert], Rolling(counter, state.counting)
        shown += [self._next_expert(rolling, loss, coins) for loss in losses]
        return Led(shown.pop(), rolling.state()), np.array(shown)

    def _next_expert(self, rolling: Rolling, loss: Losses, coins: Coins) -> int:
        """The next expert, drawn by the noisy sums after the counter has added the loss."""
        rolling.count(loss, coins)
        return self.softmax.drawn(rolling.sums(), coins)


def _protects_any_two(counter: Counter) -> None:
    """Checks that a counter's claim covers any two losses, not only those within a smaller
    ``sensitivity``. Raises: InvalidArgument."""
    near, size = counter.sensitivity, counter.dimension or 1
    apart = counter.largest**2 * size ** (2 if counter.norm == 1 else 1)
    if near is not None and near**2 < apart:
        raise InvalidArgument(
            "the counter that was made protects near losses only: leave its sensitivity out, so "
            "that any two losses are neighbours"
        )


def _buffered(*, horizon: int, **parameters: Any) -> Counter:
    normalised = horizon <= _LONGEST
    return BufferedToeplitzCounter(horizon=horizon, normalised=normalised, **parameters)


def tree_ftrl(
    *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
) -> NoisyLeader:
    """Private follow-the-leader on a binary tree: ``NoisyLeader.tuned`` with a Gaussian tree
    counter.

    Follow the regularised leader as described in Agarwal and Singh 2017, *The Price of Differential
    Privacy for Online Learning*, here (ε, δ)-DP by zCDP.

    >>> tree_ftrl(horizon=8, experts=2, epsilon=1, delta=1e-6).counter.levels
    4
    """
    return NoisyLeader.tuned(
        horizon=horizon, experts=experts, epsilon=epsilon, delta=delta, grid=grid,
        counter=GaussianTreeCounter,
    )  # fmt: skip


_LONGEST_SUMMED: Final = 1 << 20
_SLOPE: Final = 1 / 8 + 1 / STEPS
_NEAR: Final = 1 / 8
_LEAST, _MOST = 2.0**-40, 64.0
"""The least and the largest learning rate between which ``best_rate`` searches."""


def noise_cost(rate: Floats | float, variance: Floats | float, experts: int) -> Floats:
    """The bound G(v) on the regret that noise of variance v causes: the integral of min(η(1 -
    1/d)/2, √(ln d/(2u))) over 0 <= u <= v, η = ``rate`` and d = ``experts``."""
    slope = np.multiply(rate, (1 - 1 / experts) / 2)
    log = math.log(experts)
    bend = np.divide(log, 2 * np.square(slope))
    root = math.sqrt(2 * log) * (np.sqrt(variance) - np.sqrt(bend))
    return np.where(variance <= bend, slope * variance, slope * bend + root)


def regret_bound(rate: float, counter: Counter) -> float:
    """The bound on expected regret that the module proves, at most the horizon. Raises: Intractable
    for a horizon past 2^20."""
    horizon, experts, grid = counter.horizon, counter.dimension or 1, counter.largest
    if horizon > _LONGEST_SUMMED:
        raise Intractable("errors at all times, by horizon", horizon, _LONGEST_SUMMED)
    if experts == 1:
        return 0.0
    errors = np.array([counter.squared_error(time) for time in range(horizon)]) / grid**2
    rises = np.diff(noise_cost(rate, errors, experts)).clip(0).sum()
    found = math.log(experts) / rate + rate * horizon * _SLOPE + float(rises)
    return min(found * (1 + 1e-9), float(horizon))


def best_rate(horizon: int, experts: int, variance: float) -> Fraction:
    """A learning rate for noise of this variance: the largest one whose bound on regret exceeds the
    least bound by at most 1/8.

    If one expert is better than the others by a gap, regret is about ln d/η plus the cost of noise,
    so a large rate is better.
    """
    experts = max(experts, 2)
    rates = np.geomspace(_LEAST, _MOST, 1 << 12)
    bounds = math.log(experts) / rates + rates * horizon * _SLOPE
    bounds += noise_cost(rates, variance, experts)
    return short_rate(float(rates[bounds <= bounds.min() * (1 + _NEAR)].max()))
