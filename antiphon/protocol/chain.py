"""∘*: interactive post-processing and chains (CM Def. 2.13-2.16, Alg. 1-2).

``P @ M`` is P ∘* M and ``P1 @ P2`` is P₁ ∘* P₂. Chains are flat: one list of
parts and one cursor that walks between them, so ∘* is associative by
construction and a chain of ten thousand parts needs no call stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs

from antiphon.numbers.errors import REFUSALS, InvalidArgument, ProtocolError
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.forwarding import doubtful, forwarding, only_forwards
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism
from antiphon.protocol.messages import HALT
from antiphon.protocol.provenance import assumed, claims_of, doubt
from antiphon.protocol.spaces import Signature, Space, Tuples

if TYPE_CHECKING:
    from antiphon.protocol.coins import Coins

MAX_HOPS: Final = 1_000_000
"""How many steps one message may cause before a chain gives up."""


Step: TypeAlias = "Callable[[Any, Side, Any, Coins], tuple[object, Side, object]]"
States: TypeAlias = tuple[object, ...]
"""Those of the parts, left to right."""


# P ∘* M (CM Alg. 1): P is given what comes from the left; what it sends right M answers, and P is
# given the answer, from the right; what it sends left is the answer of the whole. P₁ ∘* P₂ (Alg. 2)
# does the same with both sides open. Written as calls, a chain is a stack as deep as the chain is
# long. But a part's step returns before its message goes on, and all that it remembers is in its
# own state: a frame of that stack holds nothing but who is to speak. So one cursor is enough.
# Brackets leave no trace in it, which is associativity (law 3).
#
# What leaves a part to the left comes to its left neighbour from the right, and conversely. The
# list of states is the walk's own: a step that raises leaves it half changed, and the tuple that
# the caller has as it was (law 1).


def walk(
    steps: Sequence[Step],
    states: list[object],
    here: int,
    side: Side,
    message: object,
    coins: Coins,
    max_hops: int,
) -> tuple[Side, object]:
    """Move a cursor over parts until a message leaves them; ``states`` change in place.

    Returns the side it left to, and the message. Each hop costs one step.
    """
    end = len(steps)
    for _ in range(max_hops):
        states[here], side, message = steps[here](states[here], side, message, coins)
        if side is LEFT:
            here -= 1
            if here < 0:
                return LEFT, message
            side = RIGHT
        elif side is RIGHT:
            here += 1
            if here == end:
                return RIGHT, message
            side = LEFT
        else:
            raise ProtocolError("a post-processor must send to Side.LEFT or Side.RIGHT")
    raise ProtocolError(
        f"one message caused more than {max_hops} steps; a pair of parts seems to talk for ever "
        "(raise max_hops if it does not)"
    )


@column_safe(of="links")
@attrs.frozen
class Links(PostProcessor[States]):
    """P₁ ∘* … ∘* P_n: IPMs chained into one IPM (CM Def. 2.16, Alg. 2)."""

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
    """Wire parts from right to left; each sees the signature on its right."""
    wired: list[PostProcessor] = []
    for part in reversed(parts):
        wired.append(part.wired(right))
        right = wired[-1].signature(right)
    return tuple(reversed(wired)), right


@column_safe
@attrs.frozen
class AnyChain(Mechanism[States]):
    """P₁ ∘* … ∘* P_n ∘* M: an IM (CM Def. 2.14, Alg. 1). Made by ``@``.

    State: the tuple of the parts' states, left to right. ``parts`` is public.
    """

    links: tuple[PostProcessor, ...]
    mechanism: Mechanism
    # A field over a property: frozen, so as good as one.
    signature: Signature = attrs.field(eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    max_hops: int = attrs.field(default=MAX_HOPS, repr=False, kw_only=True)

    @cached_property
    def _steps(self) -> Sequence[Step]:
        last = _answering(self._queries.contains, self.mechanism.step)
        return [*(link.step for link in self.links), last]

    @cached_property
    def _queries(self) -> Space:
        return self.mechanism.signature.queries

    @cached_property
    def _forwards(self) -> bool:
        return all(forwarding(link) is not None for link in self.links)

    @cached_property
    def _populated(self) -> dict[type[Coins], Sequence[Step]]:
        return {}

    def _steps_with(self, coins: Coins) -> Sequence[Step]:
        """For a population: each part as such coins have it stepped."""
        kind = type(coins)
        if kind not in self._populated:
            last = _answering(coins.accepts(self._queries), coins.steps(self.mechanism))
            self._populated[kind] = [*map(coins.steps, self.links), last]
        return self._populated[kind]

    @property
    def parts(self) -> tuple[PostProcessor | Mechanism, ...]:
        """All parts, left to right; the mechanism comes last."""
        return (*self.links, self.mechanism)

    @property
    def initial_states(self) -> Space:
        """The choices of the parts that have one: its own space if it is one part."""
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
        """M's own claims, if every link touches answers only (CM Lemma 2.15)."""
        if not all(map(only_forwards, self.links)):
            return ()
        lemma = "post-processing (CM Lemma 2.15)"
        inner = claims_of(self.mechanism)
        claims = (attrs.evolve(c, source=f"{c.source}; {lemma}") for c in inner)
        proved = all(doubtful(link) is None for link in self.links)
        if proved and doubt(self.mechanism, "claims") is None:
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
        """The state with its leftmost verifier halted; None if no verifier stands guard."""
        for place, link in enumerate(self.links):
            after = link.refused(state[place], reason)
            if after is not None:
                return (*state[:place], after, *state[place + 1 :])
        return None

    def carries_data(self, state: States, message: object) -> bool:
        if self._forwards:
            return self.mechanism.carries_data(state[-1], message)
        return True  # nothing is known of what the links make of it

    def is_over(self, state: States) -> bool:
        decided = _decided(self.links, state)
        return self.mechanism.is_over(state[-1]) if decided is None else decided

    def public_state(self, state: States) -> tuple[tuple[str, str], ...]:
        return self.mechanism.public_state(state[-1])

    def failures(self, state: States) -> tuple[BaseException, ...]:
        return self.mechanism.failures(state[-1])

    def inside(self, state: States) -> tuple[Mechanism, object]:
        return self.mechanism, state[-1]

    def why_halted(self, state: States) -> str | None:
        reasons = (part.why_halted(own) for part, own in zip(self.parts, state, strict=True))
        return next((reason for reason in reasons if reason is not None), None)


@attrs.frozen
class Chain(AnyChain, ContinualMechanism[States]):  # pyright: ignore[reportIncompatibleVariableOverride]
    """A chain with one initial state: a CM."""

    @property
    def initial_state(self) -> States:
        return AnyChain.enter(self, None)


def chain(parts: Sequence[PostProcessor], mechanism: Mechanism) -> AnyChain:
    """parts[0] ∘* … ∘* mechanism, flattened: a Chain if every part has one initial state.

    Raises: CompositionError for parts that do not fit.
    """
    wired, signature = _wire(parts, mechanism.signature)
    # Only the new parts are looked at, so that n parts chained one by one stay cheap.
    single = isinstance(mechanism, ContinualMechanism) and all(
        part.initial_states == ONLY for part in wired
    )
    if isinstance(mechanism, AnyChain):
        wired, mechanism = (*wired, *mechanism.links), mechanism.mechanism
    return (Chain if single else AnyChain)(wired, mechanism, signature)


def join(left: PostProcessor, right: PostProcessor | Mechanism) -> Links | AnyChain:
    """left ∘* right, for an IPM or a mechanism on the right."""
    parts = left.links if isinstance(left, Links) else (left,)
    if isinstance(right, Links):
        return Links((*parts, *right.links))
    return Links((*parts, right)) if isinstance(right, PostProcessor) else chain(parts, right)


def _decided(links: Sequence[PostProcessor], states: States) -> bool | None:
    """Whether a HALT that left these links ends the interaction; None: it came from their right."""
    answers = (link.is_over(own) for link, own in zip(links, states, strict=False))
    return next((answer for answer in answers if answer is not None), None)


def _answering(
    accepts: Callable[[object], bool], step: Callable[[Any, Any, Coins], tuple[object, object]]
) -> Step:
    """The mechanism as the last part of a chain: it always sends left.

    It stands behind its query space, because a post-processor may be wrong.
    """

    def answer(
        state: object, side: Side, message: object, coins: Coins
    ) -> tuple[object, Side, object]:
        if accepts(message):
            state, message = step(state, message, coins)
            return state, LEFT, message
        raise InvalidArgument(
            f"a {type(message).__name__} reached the mechanism at the end of a chain that is "
            "outside its query space; the post-processor on its left must send queries only"
        )

    return answer
