"""The composition ∘*: interactive post-processing and chains (CM Def. 2.13-2.16, Alg. 1-2).

``P @ M`` is P ∘* M and ``P1 @ P2`` is P₁ ∘* P₂. Chains are flat: one list of
parts and one cursor that walks between them, so ∘* is associative by
construction and a chain of ten thousand parts needs no call stack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeAlias, overload

import attrs

from antiphon.numbers.errors import REFUSALS, InvalidArgument, of_kind
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.cursor import LEFT, MAX_HOPS, Side, Step, walk
from antiphon.protocol.forwarding import Forwarding, doubtful, forwarding, only_forwards
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism, State
from antiphon.protocol.messages import HALT
from antiphon.protocol.provenance import assumed, claims_of, why_assumed
from antiphon.protocol.registry import column_safe
from antiphon.protocol.spaces import Signature, Space, Tuples


class PostProcessor(ABC, Generic[State]):
    """An interactive post-processor (IPM), between a left and a right party (CM Def. 2.13).

    ``step`` takes a message from one side and sends the next to either. Two declarations, checked
    by the conformance suite, let claims pass through: ``deterministic`` (draws no coins) and
    ``forwards_queries`` (sends every left message on unchanged and touches answers only, keeping no
    memory of queries). ``forwards_queries`` is True, or a ``Forwarding`` that says where it is
    proved.

    Five defaults to override: ``wired``, ``signature``, ``is_over``, ``refused``, ``why_halted``.
    """

    __slots__ = ()

    __immutable__ = True
    deterministic: bool = False
    forwards_queries: bool | Forwarding = False
    initial_states: Space = ONLY
    """The space of initial choices for ``start``; by default it has a single element."""

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The initial state. Raises: CompositionError if there are several."""

    def enter(self, initial: Any) -> State:
        """The state in which the post-processor starts, given an element of ``initial_states``."""
        return self.initial_state

    @abstractmethod
    def step(
        self, state: State, side: Side, message: Any, coins: Coins
    ) -> tuple[State, Side, object]:
        """One step: (state, side the message comes from, message) -> (state', side the next
        message goes to, message')."""

    def wired(self, right: Signature) -> PostProcessor:
        """This post-processor, prepared for a right neighbour with the message spaces ``right``.

        Raises: CompositionError if it cannot stand there.
        """
        return self

    def signature(self, right: Signature) -> Signature:
        """The message spaces on the left of the post-processor, given those on its ``right``."""
        return right

    def is_over(self, state: State) -> bool | None:
        """Whether a HALT that the post-processor sends to the left in this state ends the
        interaction.

        True by default: the post-processor's own HALT is final. A post-processor that only passes
        answers on returns None: then the party that sent the HALT decides.
        """
        return True

    def refused(self, state: State, reason: str) -> State | None:
        """The state after the party on the right has refused a message; None for a post-processor
        that does not handle refusals.

        Only a verifier handles refusals: it answers HALT, so that no exception leaves the privacy
        game.
        """
        return None

    def why_halted(self, state: State) -> str | None:
        """The reason why the post-processor sends HALT in this state; None if unknown."""
        return None

    @overload
    def __matmul__(self, other: PostProcessor) -> Links: ...
    @overload
    def __matmul__(self, other: ContinualMechanism) -> Chain: ...
    @overload
    def __matmul__(self, other: Mechanism) -> AnyChain: ...
    def __matmul__(self, other: object) -> Links | AnyChain:
        return join(self, other) if isinstance(other, PostProcessor | Mechanism) else NotImplemented  # pyright: ignore[reportUnknownArgumentType]


States: TypeAlias = tuple[object, ...]
"""The tuple of the states of all parts of a chain, from left to right."""


@column_safe(of="links")
@attrs.frozen
class Links(PostProcessor[States]):
    """P₁ ∘* … ∘* P_n: several post-processors chained into one (CM Def. 2.16, Alg. 2)."""

    links: tuple[PostProcessor, ...]

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        return all(link.deterministic for link in self.links)

    @property
    def forwards_queries(self) -> bool:  # type: ignore[override]
        return all(map(only_forwards, self.links))

    @property
    def initial_state(self) -> States:
        return tuple(link.initial_state for link in self.links)

    def step(
        self, state: States, side: Side, message: object, coins: Coins
    ) -> tuple[States, Side, object]:
        steps, states = [link.step for link in self.links], list(state)
        start = 0 if side is LEFT else len(steps) - 1
        to, message = walk(steps, states, start, side, message, coins, MAX_HOPS)
        return tuple(states), to, message

    def is_over(self, state: States) -> bool | None:
        return _decided(self.links, state)

    def wired(self, right: Signature) -> Links:
        return Links(_wire(self.links, right)[0])

    def signature(self, right: Signature) -> Signature:
        return _wire(self.links, right)[1]


def _wire(
    parts: Sequence[PostProcessor], right: Signature
) -> tuple[tuple[PostProcessor, ...], Signature]:
    """Prepare the parts of a chain from right to left: each part is given the message spaces
    (signature) of its right neighbour."""
    wired: list[PostProcessor] = []
    for part in reversed(parts):
        wired.append(part.wired(right))
        right = wired[-1].signature(right)
    return tuple(reversed(wired)), right


@column_safe
@attrs.frozen
class AnyChain(Mechanism[States]):
    """P₁ ∘* … ∘* P_n ∘* M: a mechanism behind post-processors, itself an interactive mechanism (CM
    Def. 2.14, Alg. 1). Made by ``@``.

    State: the tuple of the parts' states, left to right. ``parts`` is public.
    """

    links: tuple[PostProcessor, ...]
    mechanism: Mechanism
    # This frozen field takes the place of the base class's property ``signature``.
    signature: Signature = attrs.field(eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    max_hops: int = attrs.field(default=MAX_HOPS, repr=False, kw_only=True)

    @cached_property
    def _steps(self) -> Sequence[Step]:
        last = _answering(self.mechanism.signature.queries.contains, self.mechanism.step)
        return [*(link.step for link in self.links), last]

    @cached_property
    def _forwards(self) -> bool:
        return all(forwarding(link) is not None for link in self.links)

    @cached_property
    def _populated(self) -> dict[type[Coins], Sequence[Step]]:
        return {}

    def _steps_with(self, coins: Coins) -> Sequence[Step]:
        """The step functions of all parts for these coins, cached by the class of the coins."""
        kind = type(coins)
        if kind not in self._populated:
            accepts = coins.accepts(self.mechanism.signature.queries)
            last = _answering(accepts, coins.steps(self.mechanism))
            self._populated[kind] = [*map(coins.steps, self.links), last]
        return self._populated[kind]

    @property
    def parts(self) -> tuple[PostProcessor | Mechanism, ...]:
        """All parts of the chain, left to right; the mechanism comes last."""
        return (*self.links, self.mechanism)

    @property
    def initial_states(self) -> Space:
        """The space of initial choices: that of the only part with a choice of initial state, or
        the product of the spaces of several such parts."""
        free = [part.initial_states for part in self.parts if part.initial_states != ONLY]
        return free[0] if len(free) == 1 else Tuples(tuple(free)) if free else ONLY

    def enter(self, initial: Any) -> States:
        free = [part for part in self.parts if part.initial_states != ONLY]
        chosen = iter(initial if len(free) > 1 else (initial,))
        return tuple(
            part.enter(None if part.initial_states == ONLY else next(chosen)) for part in self.parts
        )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The mechanism's claims, if all post-processors only forward queries (CM Lemma 2.15)."""
        if not all(map(only_forwards, self.links)):
            return ()
        lemma = "post-processing (CM Lemma 2.15)"
        inner = claims_of(self.mechanism)
        claims = (attrs.evolve(c, source=f"{c.source}; {lemma}") for c in inner)
        proved = all(doubtful(link) is None for link in self.links)
        if proved and why_assumed(self.mechanism, "claims") is None:
            return tuple(claims)
        return tuple(map(assumed, claims))

    def step(self, state: States, message: object, coins: Coins) -> tuple[States, object]:
        states, steps = list(state), self._steps_with(coins) if coins.many else self._steps
        try:
            _, answer = walk(steps, states, 0, LEFT, message, coins, self.max_hops)
        except REFUSALS as error:
            halted = self._halted(state, f"the message was refused: {type(error).__name__}")
            if halted is None:
                raise
            return halted, HALT
        return tuple(states), answer

    def _halted(self, state: States, reason: str) -> States | None:
        """The parts' states after the leftmost verifier has halted; None without a verifier."""
        for place, link in enumerate(self.links):
            after = link.refused(state[place], reason)
            if after is not None:
                return (*state[:place], after, *state[place + 1 :])
        return None

    def carries_data(self, state: States, message: object) -> bool:
        if self._forwards:
            return self.mechanism.carries_data(state[-1], message)
        return True  # A post-processor may send private data on, given a public message.

    def is_over(self, state: States) -> bool:
        decided = _decided(self.links, state)
        return self.mechanism.is_over(state[-1]) if decided is None else decided

    def public_state(self, state: States) -> tuple[tuple[str, str], ...]:
        if self._forwards:
            return self.mechanism.public_state(state[-1])
        # The mechanism's public state may depend on messages that a post-processor has chosen by
        # private data.
        return ()

    def inside(self, state: States) -> tuple[Mechanism, object]:
        return self.mechanism, state[-1]

    def why_halted(self, state: States) -> str | None:
        reasons = (part.why_halted(own) for part, own in zip(self.parts, state, strict=True))
        return next((reason for reason in reasons if reason is not None), None)


@attrs.frozen
class Chain(AnyChain, ContinualMechanism[States]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """A chain with a single initial state, which is a continual mechanism."""

    @property
    def initial_state(self) -> States:
        return AnyChain.enter(self, None)


def chain(parts: Sequence[PostProcessor], mechanism: Mechanism) -> AnyChain:
    """The chain parts[0] ∘* parts[1] ∘* … ∘* mechanism, without nesting; a ``Chain`` if no part has
    a choice of initial state.

    Raises: CompositionError for parts that do not fit.
    """
    wired, signature = _wire(parts, mechanism.signature)
    # Only the new parts are wired, so that adding n parts one after another stays cheap.
    single = isinstance(mechanism, ContinualMechanism) and all(
        part.initial_states == ONLY for part in wired
    )
    if isinstance(mechanism, AnyChain):
        wired, mechanism = (*wired, *mechanism.links), mechanism.mechanism
    return (Chain if single else AnyChain)(wired, mechanism, signature)


def join(left: PostProcessor, right: PostProcessor | Mechanism) -> Links | AnyChain:
    """left ∘* right, where the right side is a post-processor or a mechanism."""
    parts = left.links if isinstance(left, Links) else (left,)
    if isinstance(right, Links):
        return Links((*parts, *right.links))
    return Links((*parts, right)) if isinstance(right, PostProcessor) else chain(parts, right)


def _decided(links: Sequence[PostProcessor], states: States) -> bool | None:
    """Whether the interaction ends by a HALT that these post-processors send to the left; None if
    the mechanism on their right decides."""
    answers = (link.is_over(own) for link, own in zip(links, states, strict=False))
    return next((answer for answer in answers if answer is not None), None)


def _answering(
    accepts: Callable[[object], bool], step: Callable[[Any, Any, Coins], tuple[object, object]]
) -> Step:
    """The step of a mechanism in the form of a post-processor's step, for the last part of a chain:
    every answer goes to the left.

    The step checks each message against the query space, because a post-processor may send a wrong
    message.
    """

    def answer(
        state: object, side: Side, message: object, coins: Coins
    ) -> tuple[object, Side, object]:
        if accepts(message):
            state, message = step(state, message, coins)
            return state, LEFT, message
        raise InvalidArgument(
            f"{of_kind(message)} reached the mechanism at the end of a chain that is "
            "outside its query space; the post-processor on its left must send queries only"
        )

    return answer
