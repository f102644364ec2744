"""Simulators: a DP mechanism as post-processing of randomized response (CM App. A, B).

T ∘* RR_{ε,δ}(b) ≡ V[f] ∘* I(b) ∘* M, on which the composition theorems rest. A simulator is an IPM;
it takes the adversary's pairs on its left and, on its right, one sample of RR_{ε,δ}(b), which it
requests with the pair (0, 1) that I(b) resolves. All weights are Fractions, so the equivalence can
be decided exactly.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.audit.exact.arena import PartArena, messages_to_try, single_arena
from antiphon.audit.exact.beliefs import OVER, SPENT, Columns
from antiphon.audit.exact.cost import LIMIT
from antiphon.audit.exact.question import horizon
from antiphon.audit.exact.solver import Solver
from antiphon.numbers import exact
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import HALT, LEFT, RIGHT, TOP, Pair, PostProcessor, Side, Signal, set_derived
from antiphon.protocol.coins.coins import Coins, integer_weights
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import Anything, Signature
from antiphon.protocol.verification import Refused, Verification, read

Point: TypeAlias = tuple[Fraction, Fraction]
"""A pair of numbers, one for each world b, such as the shares (φ⁰, φ¹) of a history."""
Sample: TypeAlias = tuple[int, Signal]
"""A sample of RR_{ε,δ}(b): (r, ⊤) if r is b for certain, else (r, ⊥)."""

SAMPLE_QUERY = Pair(0, 1)
"""The query for a sample: I(b) turns it into the input b of randomized response."""


@attrs.frozen(eq=False)
class WeighedHistory:
    """A transcript h, reduced to the belief about the mechanism and the weights of both worlds.

    μ^b(h), the probability of h's answers to its queries under b, is ``masses[b]``. Equal histories
    are the same object.
    """

    length: int
    column: int
    weights: Point
    masses: Point

    @property
    def ended(self) -> bool:
        """Whether the last answer ended the interaction."""
        return self.column == OVER

    @property
    def spent(self) -> bool:
        """Whether the mechanism now only answers HALT, within a composition that goes on."""
        return self.column == SPENT


@attrs.frozen(eq=False)
class Share:
    """The share φ of a history, (φ⁰, φ¹): its probability in each world b if RR_{ε,δ} reveals b (CM
    App. A). Equal shares are one object."""

    point: Point


class Simulated(NamedTuple):
    """The state of a simulator of one mechanism."""

    judged: object
    """The state of the verification function f."""
    history: WeighedHistory
    share: Share
    """The share φ of the history; (1, 1) where the simulator does not use it."""
    sample: Sample | None
    """The sample of RR_{ε,δ}(b); None before it was requested."""
    waiting: Pair | None
    """The pair of messages that waits for the sample; else None."""


Found: TypeAlias = tuple[tuple[object, WeighedHistory], ...]
"""(answer, history after it), for every answer to a pair."""
Continuations: TypeAlias = tuple[tuple[object, WeighedHistory, Share], ...]
"""(answer, history after it, its share φ), for every answer to a pair."""
Key: TypeAlias = tuple[WeighedHistory, Share, Hashable]
"""(history, its ``Share`` φ, pair of messages): the key of a cached step."""
Sent: TypeAlias = tuple[Simulated, Side, object]


@attrs.frozen(eq=False)
class Simulator(PostProcessor[Simulated]):
    """A simulator T with T ∘* RR_{ε,δ}(b) ≡ V[f] ∘* I(b) ∘* M, for a finite M. Abstract."""

    mechanism: ContinualMechanism
    verification: Verification
    growth: Fraction
    """The value of e^ε, a rational number."""
    within: bool = attrs.field(default=False, kw_only=True)
    """Whether M is part of a composition, which goes on when M halts."""
    _arena: PartArena = attrs.field(init=False, repr=False)
    _solvers: tuple[Solver, Solver] = attrs.field(init=False, repr=False)
    _met: dict[object, WeighedHistory] = attrs.field(
        init=False, repr=False, factory=dict[object, WeighedHistory]
    )
    _known: dict[Key, Continuations | None] = attrs.field(
        init=False, repr=False, factory=dict[Key, Continuations | None]
    )
    """A cache of steps, since a step is computed again for every outcome of its coins."""
    _accepts: Callable[[object], bool] = attrs.field(init=False, repr=False)
    _laws: dict[tuple[Key, Sample | None], list[int] | None] = attrs.field(
        init=False, repr=False, factory=dict[tuple[Key, Sample | None], list[int] | None]
    )
    """A cache: the law of the continuations, given the sample, as integer weights."""
    _shares: dict[Point, Share] = attrs.field(init=False, repr=False, factory=dict[Point, Share])

    def __attrs_post_init__(self) -> None:
        columns, m = Columns(LIMIT), self.mechanism
        arena = single_arena(
            columns, m, m.initial_state, self.verification, messages_to_try(m), within=self.within
        )
        solvers = Solver(arena, 0, LIMIT), Solver(arena, 1, LIMIT)
        accepts = m.signature.queries.contains
        set_derived(self, _arena=arena, _solvers=solvers, _accepts=accepts)

    @property
    def initial_state(self) -> Simulated:
        one = Fraction(1), Fraction(1)
        history = self._history(0, self._arena.start(), one)
        return Simulated(self.verification.initial_state, history, self.share(one), None, None)

    def share(self, point: Point) -> Share:
        """The single ``Share`` object with these values."""
        return self._shares.setdefault(point, Share(point))

    def signature(self, right: Signature) -> Signature:
        return Signature(Anything(), Anything())

    def step(self, state: Simulated, side: Side, message: Any, coins: Coins) -> Sent:
        if side is RIGHT:
            state, message = state._replace(sample=message, waiting=None), state.waiting
        if type(state.judged) is Refused or type(message) is not Pair:
            return self._refuse(state)
        # A mechanism that has halted answers HALT for ever.
        if state.history.ended or state.history.spent:
            return state, LEFT, HALT
        key = state.history, state.share, fingerprint(message)
        found = self._continuations(state, message, key)
        if found is None:
            return self._refuse(state)
        drawn = key, state.sample
        if drawn not in self._laws:
            law = self.weights(state, found)
            self._laws[drawn] = None if law is None else integer_weights(law)
        weights = self._laws[drawn]
        if weights is None:
            return state._replace(waiting=message), RIGHT, SAMPLE_QUERY
        answer, history, share = found[coins.categorical(weights)]
        judged = read(self.verification, state.judged, message.zero, message.one)
        return state._replace(judged=judged, history=history, share=share), LEFT, answer

    def is_over(self, state: Simulated) -> bool:
        return state.history.ended or type(state.judged) is Refused

    def _refuse(self, state: Simulated) -> Sent:
        return state._replace(judged=Refused("the pair is not valid")), LEFT, HALT

    def _continuations(self, state: Simulated, pair: Pair, key: Key) -> Continuations | None:
        if not (self._accepts(pair.zero) and self._accepts(pair.one)):
            return None
        judged = read(self.verification, state.judged, pair.zero, pair.one)
        if type(judged) is Refused:
            return None
        if key not in self._known:
            found = self.respond(state.history, pair.zero, pair.one)
            self._known[key] = None if found is None else self.shares(state, found)
        return self._known[key]

    def respond(self, history: WeighedHistory, zero: object, one: object) -> Found | None:
        """(answer, history after it) for each answer to a pair; None if f refuses the pair."""
        columns, (w0, w1) = self._arena.columns, history.weights
        move = columns.respond(history.column, zero, one)
        if type(move) is Refused:
            return None
        found: list[tuple[object, WeighedHistory]] = []
        for number, (factor0, factor1, to) in zip(move.answers, move.branches, strict=True):
            shares = Fraction(factor0, move.denominator), Fraction(factor1, move.denominator)
            weights = w0 * shares[0], w1 * shares[1]
            found.append((columns.answer(number), self._history(history.length + 1, to, weights)))
        return tuple(found)

    def _history(self, length: int, column: int, weights: Point) -> WeighedHistory:
        key = length, column, weights
        known = self._met.get(key)
        if known is None:
            totals0, totals1 = self._arena.totals
            masses = weights[0] * totals0[column], weights[1] * totals1[column]
            known = self._met[key] = WeighedHistory(length, column, weights, masses)
        return known

    def ahead(self, history: WeighedHistory, bit: int, rounds: int) -> Fraction:
        """L^b(h) of CM App. A: the largest Pr_b − e^ε Pr_{1−b} by ``rounds`` queries after h."""
        weight, other = history.weights[bit], self.growth * history.weights[1 - bit]
        common = math.lcm(weight.denominator, other.denominator)
        solver = self._solvers[bit]
        gain = solver.solve_from(history.column, int(weight * common), int(other * common), rounds)
        return gain / common

    @abstractmethod
    def shares(self, state: Simulated, found: Found) -> Continuations:
        """The possible continuations after a message, with their shares φ, given the answers and
        histories ``found``."""

    @abstractmethod
    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        """The law of the next answer; None if it depends on a sample that is not there yet."""


@attrs.frozen(eq=False)
class VadhanWang(Simulator):
    """The simulator for pure DP (CM App. B, Lemma 4.7).

    ν^b = (e^ε μ^b − μ^{1−b})/(e^ε − 1) (μ^b if ε = 0). It requests its RR sample only when the two
    conditional laws first differ; so never while all pairs are identical.
    """

    def shares(self, state: Simulated, found: Found) -> Continuations:
        return tuple((answer, history, state.share) for answer, history in found)

    def _nu(self, history: WeighedHistory, bit: int) -> Fraction:
        mu, other = history.masses[bit], history.masses[1 - bit]
        if self.growth == 1:
            return mu
        nu = (self.growth * mu - other) / (self.growth - 1)
        if nu < 0:
            raise CompositionError("the mechanism is not epsilon-DP: its claim is false")
        return nu

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        laws = [
            [self._nu(history, bit) / whole for _, history, _ in found]
            if (whole := self._nu(state.history, bit))
            else None
            for bit in (0, 1)
        ]
        if state.sample is not None:
            return laws[state.sample[0]]
        return laws[0] if laws[0] == laws[1] else None


@attrs.frozen(eq=False)
class Lyu(Simulator):
    """The simulator for approximate DP (CM App. A, Lemma 4.6), up to a horizon.

    It requests its sample of RR_{ε,δ}(b) at the first message; on (b, ⊤) it answers by the
    conditionals of φ^b, on (r, ⊥) by those of ψ^r. ε = 0 is included (CM App. A: φ4).
    """

    delta: Fraction = attrs.field(kw_only=True)
    rounds: int = attrs.field(kw_only=True)

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        if state.sample is None:
            return None
        bit, sure = state.sample[0], state.sample[1] is TOP
        if sure:
            return [share.point[bit] for _, _, share in found]
        return [self._psi(history, share.point, bit) for _, history, share in found]

    def _psi(self, history: WeighedHistory, share: Point, bit: int) -> Fraction:
        """ψ^b of CM App. A: (e^ε μ^b − δe^ε φ^b − μ^{1−b} + δφ^{1−b})/((1−δ)(e^ε−1)), or its
        limit."""
        if self.delta == 1:
            return share[bit]
        rest = [mu - self.delta * phi for mu, phi in zip(history.masses, share, strict=True)]
        if self.growth == 1:
            return rest[bit] / (1 - self.delta)
        numerator = self.growth * rest[bit] - rest[1 - bit]
        return numerator / ((1 - self.delta) * (self.growth - 1))

    def shares(self, state: Simulated, found: Found) -> Continuations:
        """The possible continuations after a message: each answer in turn gets the largest share φ
        that the conditions (φ1)-(φ4) allow."""
        left = self.rounds - state.history.length - 1
        if left < 0:
            raise InvalidArgument(
                f"this simulator was built for {self.rounds} rounds; build a longer one"
            )
        needs = [self._needs(history, left) for _, history in found]
        taken = (sum(each) for each in zip(*needs, strict=True))
        room = [whole - each for whole, each in zip(state.share.point, taken, strict=False)]
        shares: list[Point] = []
        for (_, history), need in zip(found, needs, strict=True):
            upper = room[0] + need[0], room[1] + need[1]
            shares.append(self._largest(history, need, upper))
            room = [most - own for most, own in zip(upper, shares[-1], strict=True)]
        return tuple((a, h, self.share(s)) for (a, h), s in zip(found, shares, strict=True))

    def _needs(self, history: WeighedHistory, rounds: int) -> Point:
        """The lower bounds L^b(h)/δ on the share φ^b(h) of condition (φ1), for both worlds."""
        zero, one = (self.ahead(history, bit, rounds) / self.delta for bit in (0, 1))
        return zero, one

    def _largest(self, history: WeighedHistory, lower: Point, upper: Point) -> Point:
        """The coordinatewise largest share that satisfies the conditions (φ1)-(φ4) (CM App. A).

        Feasible points are closed under coordinatewise maxima, so the largest is bounded in each
        coordinate by an upper end or by (φ3). Each of the four candidates lies on two such lines,
        so any feasible one is the largest.
        """
        shrink = 1 / self.growth
        mu0, mu1 = (mu / self.delta for mu in history.masses)
        c0, c1 = mu0 - shrink * mu1, mu1 - shrink * mu0
        u0, u1 = upper
        if self.growth == 1:
            u0, u1 = min(u0, mu0), min(u1, mu1)  # At ε = 0 these bounds are condition (φ4).
        points = [(u0, u1), (u0, min(u1, c1 + shrink * u0)), (min(u0, c0 + shrink * u1), u1)]
        if self.growth != 1:
            x = (c0 + shrink * c1) / (1 - shrink * shrink)
            points.append((x, c1 + shrink * x))
        for x, y in points:
            within = lower[0] <= x <= u0 and lower[1] <= y <= u1
            if within and x - shrink * y <= c0 and y - shrink * x <= c1:
                return x, y
        raise CompositionError("the mechanism is not (epsilon, delta)-DP: its claim is false")


def vadhan_wang(
    mechanism: ContinualMechanism,
    verification: Verification | None = None,
    *,
    epsilon: exact.Epsilon | None = None,
    within: bool = False,
) -> VadhanWang:
    """The simulator T with T ∘* RR_{ε,0}(b) ≡ V[f] ∘* I(b) ∘* M (CM Lemma 4.7).

    The default is M's own claim. ``within``: M is part of a composition, which goes on after M
    halts. Raises: InvalidArgument if e^ε is not rational or δ > 0.
    """
    f, growth, delta = _claimed(
        mechanism, verification, epsilon, None if epsilon is None else Fraction(0)
    )
    if delta:
        raise InvalidArgument("vadhan_wang is for pure DP; for delta > 0 use lyu(…, rounds=…)")
    return VadhanWang(mechanism, f, growth, within=within)


def lyu(
    mechanism: ContinualMechanism,
    verification: Verification | None = None,
    *,
    epsilon: exact.Epsilon | None = None,
    delta: object = None,
    rounds: int,
    within: bool = False,
) -> Lyu:
    """The simulator T with T ∘* RR_{ε,δ}(b) ≡ V[f] ∘* I(b) ∘* M for ``rounds`` messages.

    CM Lemma 4.6. ``within``: M is part of a composition, which goes on after M halts. Raises:
    InvalidArgument if e^ε is not rational or δ = 0 (use ``vadhan_wang``).
    """
    f, growth, own = _claimed(mechanism, verification, epsilon, delta)
    if not own:
        raise InvalidArgument("lyu divides by delta; for delta = 0 use vadhan_wang")
    return Lyu(mechanism, f, growth, delta=own, rounds=horizon(rounds), within=within)


def _claimed(
    mechanism: ContinualMechanism,
    verification: Verification | None,
    epsilon: exact.Epsilon | None,
    delta: object,
) -> tuple[Verification, Fraction, Fraction]:
    given: Any = mechanism
    if not isinstance(given, ContinualMechanism):
        raise InvalidArgument(f"a simulator is of a continual mechanism, not {of_kind(given)}")
    claim = next(iter(mechanism.claims), None)
    f = claim.verification if verification is None and claim else verification
    if f is None or (claim is None and epsilon is None):
        raise InvalidArgument("the mechanism claims nothing: give verification, epsilon and delta")
    own_epsilon, own_delta = claim.parameters if claim else (Fraction(0), Fraction(0))
    chosen = own_epsilon if epsilon is None else exact.epsilon(epsilon)
    growth = exact.exp(chosen)
    if not isinstance(growth, Fraction):
        raise InvalidArgument("a simulator needs a rational e^epsilon: give epsilon=Log(q)")

    return f, growth, own_delta if delta is None else exact.probability(delta)
