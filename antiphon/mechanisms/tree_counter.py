"""The binary-tree counter (Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

import attrs

from antiphon.protocol import exact
from antiphon.protocol.claims import Claim, Pure, Status
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import TOP
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Either, Finite, Integers, Signature
from antiphon.verifiers.functions import event_level, updates_and_queries

COUNT: Final = "count"
"""The query of a counter: the noisy sum of the updates so far."""


class Node(NamedTuple):
    """A finished subtree of the prefix, on a stack from the smallest to the largest."""

    size: int
    """How many updates it covers: a power of two."""
    total: int
    """Their exact sum."""
    noise: int | None
    """Its noise, drawn when it is first needed; None before."""
    below: Node | None
    """The next larger one."""


class CounterState(NamedTuple):
    """How many updates have come, and the subtrees that make up the prefix."""

    updates: int
    top: Node | None


def _horizon(value: object) -> int:
    return exact.whole(value, "horizon")


def _largest(value: object) -> int:
    return exact.whole(value, "largest")


def _epsilon(value: object) -> Fraction:
    return exact.positive(value, "epsilon")


@register("antiphon.TreeCounter/1")
@attrs.frozen
class TreeCounter(ContinualMechanism[CounterState, Any, Any]):
    """A running count of up to ``horizon`` updates x_t in {0, …, largest}.

    An update (int) is answered ⊤; ``COUNT`` is answered by the noisy sum (int). State:
    one node for each 1 in the binary form of t, so O(log t); a node's discrete Laplace
    noise of scale largest·levels/ε is drawn when a query first needs it, and kept, so
    asking twice gives the same answer. Amortised O(1) an update, O(log t) a query.

    Privacy: ε-DP w.r.t. ``updates_and_queries(event_level())``, against adaptive
    adversaries: one update lies in at most ``levels`` nodes, each an ε/levels-DP NIM,
    so Thm 5.5 with k = levels applies; proved, answers are integers sampled exactly.
    Source: Chan, Shi, Song 2011, Alg. 2; Dwork, Naor, Pitassi, Rothblum 2010.
    Raises: InvalidArgument for an update past the horizon; the state is unchanged.

    >>> counter = TreeCounter(horizon=8, epsilon=1000).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send(COUNT)
    (TOP, TOP, 2)
    """

    horizon: int = attrs.field(converter=_horizon, kw_only=True)
    epsilon: Fraction = attrs.field(converter=_epsilon, kw_only=True)
    largest: int = attrs.field(default=1, converter=_largest, kw_only=True)
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    _scale: Fraction = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        updates = Integers(0, self.largest)
        signature = Signature(
            Either((updates, _QUERIES)), Either((Finite((TOP,)), Integers())), updates
        )
        object.__setattr__(self, "signature", signature)
        object.__setattr__(self, "_scale", self.levels * self.largest / self.epsilon)

    @property
    def levels(self) -> int:
        """How many nodes one update can lie in: the heights of a tree over the horizon."""
        return self.horizon.bit_length()

    @property
    def initial_state(self) -> CounterState:
        return CounterState(0, None)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = updates_and_queries(event_level(), _QUERIES)
        source = "Chan, Shi, Song 2011; adaptive by CM Thm 5.5 over the nodes"
        return (Claim(Pure(self.epsilon), f, Status.PROVED, source),)

    def step(self, state: CounterState, message: Any, coins: Any) -> tuple[CounterState, Any]:
        if message != COUNT:
            return self._update(state, message), TOP
        top, total = self._noisy(state.top, coins)
        return (state if top is state.top else CounterState(state.updates, top)), total

    step_many = step

    def _update(self, state: CounterState, x: int) -> CounterState:
        updates, top = state
        if updates >= self.horizon:
            raise InvalidArgument(
                f"the horizon of {self.horizon} updates is reached; "
                "build the counter with a larger one"
            )
        size, total = 1, x
        while top is not None and top.size == size:
            size, total, top = 2 * size, total + top.total, top.below
        return CounterState(updates + 1, Node(size, total, None, top))

    def _noisy(self, top: Node | None, coins: Any) -> tuple[Node | None, int]:
        """The stack with all its noise drawn, and the noisy sum."""
        nodes: list[Node] = []
        while top is not None:
            nodes.append(top)
            top = top.below
        total = 0
        for node in reversed(nodes):
            noise = node.noise
            if noise is None or node.below is not top:
                noise = coins.discrete_laplace(self._scale) if noise is None else noise
                node = Node(node.size, node.total, noise, top)
            top = node
            total += node.total + noise
        return top, total


_QUERIES: Final = Finite((COUNT,))
