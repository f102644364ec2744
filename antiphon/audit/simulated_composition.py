"""The composition simulator 𝒫 (CM §4-5): ExtConComp as post-processing of randomized response.

V[f] ∘* I(b) ∘* ExtConComp ≡ V[f] ∘* 𝒫 ∘* Comp[RR…](b, …, b). This is the proof of Theorems 4.10,
4.12, 5.2 and 5.5 as an object: 𝒫 keeps the samples of randomized response and runs one simulator
T_j for each created mechanism, which takes its sample only when it needs one. So the composition is
as private as Comp[RR…].
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.audit.exact.question import horizon
from antiphon.audit.simulators import SAMPLE_QUERY, lyu, vadhan_wang
from antiphon.composition.concurrent import ConComp, ConcurrentState
from antiphon.composition.creation import CompositionMessages, Create
from antiphon.composition.validity import FixedParameters, OfCreations, SparseParallel
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers import CompositionError, exact
from antiphon.protocol import LEFT, RIGHT, Coins, PostProcessor, Side, Verification
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.messages import HALT, TOP, Ask, Pair, identical
from antiphon.protocol.spaces import BITS, Anything, Pairs, Signature, Tuples
from antiphon.verifiers.models import EveryPair

Parameters: TypeAlias = tuple[exact.ExactEpsilon, Fraction]


@attrs.frozen
class RandomizedResponses(NoninteractiveMechanism[int, object]):
    """The composition Comp[RR_{ε₁,δ₁}, …] on (b, …, b): it maps the bit b to a tuple of samples."""

    parameters: tuple[Parameters, ...]

    @property
    def _parts(self) -> tuple[RandomizedResponse, ...]:
        return tuple(RandomizedResponse(epsilon=e, delta=d) for e, d in self.parameters)

    @property
    def signature(self) -> Signature:
        return Signature(BITS, Tuples(tuple(p.signature.answers for p in self._parts)), BITS)

    def respond(self, dataset: int, coins: Coins) -> tuple[object, ...]:
        return tuple(part.respond(dataset, coins) for part in self._parts)


@attrs.frozen(eq=False)
class FirstWorld(PostProcessor[ConcurrentState]):
    """The simulator I(0) ∘* M, which never uses a sample; correct while all pairs are identical.

    M steps, halts, fails and refuses as in ExtConComp.
    """

    created: Create

    @property
    def _alone(self) -> ConComp:
        return ConComp((self.created,))

    @property
    def initial_state(self) -> ConcurrentState:
        return self._alone.initial_state

    def step(
        self, state: ConcurrentState, side: Side, message: Pair, coins: Coins
    ) -> tuple[ConcurrentState, Side, object]:
        after, answer = self._alone.step(state, Ask(message.zero, 0), coins)
        return after, LEFT, answer

    def is_over(self, state: ConcurrentState) -> bool:
        return False


class Simulation(NamedTuple):
    """The simulation of a created mechanism: its creation, its simulator T_j, and T_j's state."""

    created: Create
    simulator: PostProcessor | None
    state: object


class SimulatedComposition(NamedTuple):
    """The state of the simulator 𝒫: its samples, and the state of each simulated mechanism."""

    samples: tuple[object, ...] | None
    """The samples r₁, …, r_k of the randomized responses; a used one is None."""
    simulations: tuple[Simulation, ...]
    waiting: Pair | None
    """The message that waits until the samples arrive."""
    over: bool = False
    """Whether a simulated mechanism refused a message, which ends the interaction."""


Place: TypeAlias = Callable[[int, tuple[object, ...], tuple[Parameters, ...], Create], int]
"""A function (j, samples, their parameters, creation of mechanism j) -> the sample's number."""


def by_index(index: int, *_: object) -> int:
    """The number of the sample that mechanism j takes: j itself (CM Thm 4.10)."""
    return index


def first_alike(
    _: int, samples: tuple[object, ...], parameters: tuple[Parameters, ...], created: Create
) -> int:
    """The number of the first unused sample with the mechanism's parameters (CM Thm 4.12)."""
    for place, (sample, own) in enumerate(zip(samples, parameters, strict=True)):
        if sample is not None and own == created.parameters:
            return place
    raise CompositionError("no sample of these parameters is left: the sequence is not valid")


@attrs.frozen(eq=False)
class CompositionSimulator(PostProcessor[SimulatedComposition]):
    """The simulator 𝒫 of Theorem 4.10, 4.12, 5.2 or 5.5; ``composition_simulator`` makes it."""

    parameters: tuple[Parameters, ...]
    choose: Callable[[Create, Pair], PostProcessor]
    """The function that chooses the simulator T_j of mechanism j at its first pair."""
    place: Place
    """The function that chooses the sample of simulator T_j: sample j (Thm 4.10), or the first
    unused one with the parameters of mechanism j."""
    _chosen: dict[object, PostProcessor] = attrs.field(
        init=False, factory=dict[object, PostProcessor], repr=False
    )

    @property
    def initial_state(self) -> SimulatedComposition:
        return SimulatedComposition(None, (), None)

    def signature(self, right: Signature) -> Signature:
        messages = Pairs(CompositionMessages())
        return Signature(messages, Anything(), messages)

    def is_over(self, state: SimulatedComposition) -> bool:
        return state.over  # A refusal ends all, a HALT one mechanism only, as in ExtConComp.

    def step(
        self, state: SimulatedComposition, side: Side, message: Any, coins: Coins
    ) -> tuple[SimulatedComposition, Side, object]:
        if side is RIGHT:
            state, message = state._replace(samples=message, waiting=None), state.waiting
        elif state.samples is None:
            return state._replace(waiting=message), RIGHT, SAMPLE_QUERY
        if type(message.zero) is not Ask:
            simulation = Simulation(message.zero, None, None)
            return state._replace(simulations=(*state.simulations, simulation)), LEFT, TOP
        pair = Pair(message.zero.query, message.one.query)
        return self._ask(state, message.zero.index, pair, coins)

    def _ask(
        self, state: SimulatedComposition, index: int, pair: Pair, coins: Coins
    ) -> tuple[SimulatedComposition, Side, object]:
        created, simulator, own = state.simulations[index]
        if simulator is None:
            simulator = self._simulator(created, pair)
            own = simulator.initial_state
        own, to, message = simulator.step(own, LEFT, pair, coins)
        samples = state.samples
        assert samples is not None
        while to is RIGHT:
            place = self.place(index, samples, self.parameters, created)
            sample, samples = samples[place], (*samples[:place], None, *samples[place + 1 :])
            own, to, message = simulator.step(own, RIGHT, sample, coins)
        simulations = list(state.simulations)
        simulations[index] = Simulation(created, simulator, own)
        over = message is HALT and bool(simulator.is_over(own))
        return SimulatedComposition(samples, tuple(simulations), None, over), LEFT, message

    def _simulator(self, created: Create, pair: Pair) -> PostProcessor:
        """The simulator of a creation; equal creations share it, so that states can be compared."""
        key = created, identical(pair.zero, pair.one)
        if key not in self._chosen:
            self._chosen[key] = self.choose(created, pair)
        return self._chosen[key]


def composition_simulator(verification: Verification, *, rounds: int) -> CompositionSimulator:
    """The simulator 𝒫 of Thm 4.10, 4.12, 5.2 or 5.5, by the kind of f, for ``rounds`` messages.

    For f_∞ the simulators T_j of mechanisms with identical pairs run without V[f'_j], which f_∞
    does not check either (corrected: docs/paper.md). Raises: CompositionError for another f, or f_∞
    with a positive δ (Thm 5.2's premise); InvalidArgument for rounds that are no int >= 0.
    """
    horizon(rounds)

    def guarded(created: Create, pair: Pair) -> PostProcessor:
        mechanism, (epsilon, delta) = created.mechanism, created.parameters
        if delta:
            return lyu(mechanism, epsilon=epsilon, delta=delta, rounds=rounds, within=True)
        return vadhan_wang(mechanism, epsilon=epsilon, within=True)

    def pure(created: Create, pair: Pair) -> PostProcessor:
        epsilon, delta = created.parameters
        if delta:
            return FirstWorld(created)
        return vadhan_wang(created.mechanism, EveryPair(), epsilon=epsilon, within=True)

    def first_pair(created: Create, pair: Pair) -> PostProcessor:
        return FirstWorld(created) if identical(pair.zero, pair.one) else guarded(created, pair)

    if isinstance(verification, OfCreations):
        parameters = tuple(created.parameters for created in verification.created)
        return CompositionSimulator(parameters, guarded, by_index)
    if isinstance(verification, FixedParameters):
        return CompositionSimulator(verification.parameters, guarded, first_alike)
    if isinstance(verification, SparseParallel):
        if verification.require_first_pair_consistent:
            return CompositionSimulator(verification.parameters, first_pair, first_alike)
        if any(delta for _, delta in verification.parameters):
            raise CompositionError(
                "Thm 5.2 needs every fixed delta to be 0; without first-pair consistency there is "
                "no simulator (CM §5.2)"
            )
        return CompositionSimulator(verification.parameters, pure, first_alike)
    raise CompositionError("a simulator is known for the four functions of composition only")
