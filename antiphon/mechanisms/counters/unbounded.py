"""A counter without a horizon: epochs of doubling length (Chan, Shi, Song 2011, the hybrid
mechanism)."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import attrs

from antiphon.mechanisms.counters import tails
from antiphon.mechanisms.counters.counter import COUNT, Counter, Counting
from antiphon.mechanisms.counters.factors.rows import Amount, message_of
from antiphon.mechanisms.counters.tails import ErrorsShown
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import TOP, Claim, Coins, ContinualMechanism, Signature
from antiphon.protocol.measures.kinds import Approximate, Pure, ZeroConcentrated
from antiphon.protocol.provenance import assumed, claims_of, why_untrusted
from antiphon.protocol.registry import column_safe, register


@register("antiphon.Epochs/1", state=True)
class Epochs(NamedTuple):
    """The state of an unbounded counter: one noisy sum of all finished epochs, and the exact sum
    and the counter's state of the current epoch."""

    updates: int
    before: Amount
    """The noisy sum of all finished epochs."""
    number: int
    """The number of finished epochs."""
    total: Amount
    """The exact sum of the current epoch's updates."""
    inner: Counting
    """The state of the current epoch's counter."""


def _prototype(_: object, field: "attrs.Attribute[Counter]", value: object) -> None:
    if not isinstance(value, Counter):
        raise InvalidArgument("an UnboundedCounter is made from a counter, that of its first epoch")
    if getattr(value, "keep", 1) != 1:  # pyright: ignore[reportUnknownArgumentType]
        raise InvalidArgument("decayed sums have no epochs: give a DecayedCounter a long horizon")
    if value.events > 1 and value.norm == 2:
        raise InvalidArgument(
            "several events may fall into several epochs, whose ρ add up differently than within "
            "one: use a counter with Laplace noise, or events=1"
        )


@register("antiphon.UnboundedCounter/1")
@column_safe(of="counter")
@attrs.frozen(kw_only=True)
class UnboundedCounter(ContinualMechanism[Epochs], ErrorsShown):
    """A counter for any number of updates: one counter for each epoch, and noisy totals of finished
    epochs.

    Epoch i has 2^i·``counter.horizon`` updates, counted by ``counter`` with that horizon;
    when it ends its total is released once more, with noise of its own that costs as much
    as the counter. An answer is the sum of the totals and the current counter's count.

    State: the current counter's and three numbers. Privacy: twice the ε or ρ that ``counter``
    claims, w.r.t. the same f, against adaptive adversaries: an update lies in one epoch, in its
    counter and in its total; with k events (ε only) each costs at most 1/k of either. Proved for
    the counters of this library. Source: Chan, Shi, Song 2011, §3.3 (hybrid mechanism).

    >>> from antiphon.mechanisms import TreeCounter
    >>> counter = UnboundedCounter(counter=TreeCounter(horizon=2, epsilon=1000)).start(seed=1)
    >>> [counter.send(1) for _ in range(7)][-1], counter.send("count")
    (TOP, 7)
    """

    counter: Counter = attrs.field(validator=_prototype)
    _known: dict[int, Counter] = attrs.field(
        init=False, eq=False, repr=False, factory=dict[int, Counter]
    )
    """A cache of the counters of the epochs so far. Each object has its own, as a cache shared by
    all would compare counters by ``==``, which a user's class may define."""

    @property
    def signature(self) -> Signature:
        return self.counter.signature

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(chain.from_iterable(map(self._with_total, claims_of(self.counter))))

    def _with_total(self, inner: Claim) -> tuple[Claim, ...]:
        """The claims that follow from an epoch counter's claim ``inner`` when the epoch's noisy
        total is released, too.

        Proved for this library's counters, whose claim is the same for every horizon; for others
        only assumed. Empty, if the two do not add up.
        """
        measure, more, pure = inner.measure, self._parameter, self.counter.norm == 1
        if type(measure) is ZeroConcentrated and not pure:
            measure = ZeroConcentrated(measure.rho + more)
        elif type(measure) is Pure and pure:
            measure = Pure(_up(measure.epsilon) + more)
        elif type(measure) is Approximate and pure:
            measure = Approximate(_up(measure.epsilon) + more, measure.delta)
        else:
            return ()
        source = f"{inner.source}; epochs by Chan, Shi, Song 2011, §3.3"
        found = attrs.evolve(inner, measure=measure, source=source)
        return (found if why_untrusted(self) is None else assumed(found),)

    @property
    def _parameter(self) -> Fraction:
        """The ε or ρ of an epoch's counter; an epoch's noisy total costs as much again."""
        name = "epsilon" if self.counter.norm == 1 else "rho"
        value: Fraction = getattr(self.counter, name)
        return value

    @property
    def scale(self) -> Fraction:
        """The scale of the noise of an epoch's total: Laplace scale or Gaussian σ."""
        distance = self.counter.events * self.counter.distance
        if self.counter.norm == 1:
            return distance / self._parameter
        return exact.root_up(distance**2 / (2 * self._parameter))

    @property
    def initial_state(self) -> Epochs:
        return Epochs(0, 0, 0, 0, self.epoch(0).initial_state)

    def epoch(self, number: int) -> Counter:
        """The counter of an epoch; numbered from 0, each twice as long as the one before."""
        known = self._known.get(number)
        if known is None:
            known = attrs.evolve(self.counter, horizon=self.counter.horizon << number)
            self._known[number] = known
        return known

    def step(self, state: Epochs, message: Any, coins: Coins) -> tuple[Epochs, Any]:
        current = self.epoch(state.number)
        if type(message) is str:
            inner, count = current.step(state.inner, COUNT, coins)
            return state._replace(inner=inner), message_of(state.before, count)
        if state.inner.updates == current.horizon:
            state = self._closed(state, coins)
            current = self.epoch(state.number)
        inner, _ = current.step(state.inner, message, coins)
        total = state.total + current.value(message)
        return Epochs(state.updates + 1, state.before, state.number, total, inner), TOP

    def _closed(self, state: Epochs, coins: Coins) -> Epochs:
        """The state at the start of the next epoch, with a noisy total of the finished epoch."""
        noise = self.counter.noise(coins, self.scale)
        before, number = state.before + state.total + noise, state.number + 1
        return Epochs(state.updates, before, number, 0, self.epoch(number).initial_state)

    def state_size(self, updates: int) -> int:
        """The count of numbers that the largest state holds for each coordinate."""
        return self.epoch(self._place(updates)[0]).state_size + 3

    def squared_error(self, updates: int, since: int = 0) -> float:
        number, own = self._place(updates)
        first, start = self._place(since)
        if not 0 <= since <= updates:
            raise InvalidArgument(f"since is an int between 0 and the time {updates}")
        # Two counts in one epoch contain the same noisy totals, which cancel in their difference.
        if since and first == number:
            return self.epoch(number).squared_error(own, start)
        found = number * self._total_variance + self.epoch(number).squared_error(own)
        if not since:
            return found
        return tails.added(found, self.squared_error(since))

    @property
    def _total_variance(self) -> float:
        """The variance of the noise of an epoch's total."""
        if self.counter.norm == 1:
            return tails.discrete_laplace_variance(self.scale)
        return tails.discrete_gaussian_variance(self.scale)

    def max_squared_error(self, updates: int) -> float:
        """The largest expected squared error over the times 1, …, updates."""
        return max(largest for largest, _, _ in self._epochs(updates))

    def mean_squared_error(self, updates: int) -> float:
        """The mean of the expected squared errors at the times 1, …, updates."""
        return math.fsum(mean * times for _, mean, times in self._epochs(updates)) / updates

    def _epochs(self, updates: int) -> Iterator[tuple[float, float, int]]:
        """For each epoch: the largest and the mean of its squared errors, and its length."""
        number, own = self._place(updates)
        if not updates:
            raise InvalidArgument("errors are those of one update or more")
        for each in range(number):
            before, inner = each * self._total_variance, self.epoch(each)
            yield before + inner.max_squared_error, before + inner.mean_squared_error, inner.horizon
        last = [self.squared_error(time) for time in range(updates - own + 1, updates + 1)]
        yield max(last), math.fsum(last) / own, own

    def error_bound(self, updates: int, *, beta: float, since: int = 0) -> float:
        """A bound on the error of every coordinate of the count after ``updates`` updates, with
        probability at least 1 - beta.

        Half of beta each for the totals and for the current counter. With ``since``: of the sum of
        the updates after the first ``since``, with half of beta for each of two counts.
        """
        number, own = self._place(updates)
        first, start = self._place(since)
        if since and first == number:
            return self.epoch(number).error_bound(own, beta=beta, since=start)
        if since:
            return sum(self.error_bound(each, beta=beta / 2) for each in (updates, since))
        inner = self.epoch(number).error_bound(own, beta=beta / 2)
        if not number:
            return inner
        share = beta / 2 / (self.counter.dimension or 1)
        if self.counter.norm == 1:
            return inner + tails.laplace_tail(self.scale, number, share)
        return inner + tails.gaussian_tail(number * float(self.scale) ** 2, share)

    def band(self, updates: int, *, beta: float) -> float:
        """Half the width, at time ``updates``, of a confidence band that holds at all times.

        A union bound with beta·6/(π²t²) for time t.
        """
        return self.error_bound(updates, beta=beta * 6 / (math.pi * max(updates, 1)) ** 2)

    def _place(self, updates: int) -> tuple[int, int]:
        """The number of the epoch that contains the last of ``updates`` updates, and the position
        of this update in the epoch, counted from 1."""
        if type(updates) is not int or updates < 0:
            raise InvalidArgument("a time is an int >= 0")
        first = self.counter.horizon
        number = (max(0, updates - 1) // first + 1).bit_length() - 1
        return number, updates - first * ((1 << number) - 1)


def _up(epsilon: exact.ExactEpsilon) -> Fraction:
    return exact.bracket(epsilon, 40)[1]
