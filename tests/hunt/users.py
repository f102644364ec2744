"""What a user might write: finite mechanisms and post-processors of their own, honest or not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon import Claim, NoninteractiveMechanism, PostProcessor, Side, spaces
from antiphon.composition import Lifting, sparse_parallel
from antiphon.composition.complex_mechanism import Delegating
from antiphon.mechanisms import SparseVector, TreeCounter
from antiphon.mechanisms.counters import unbounded
from antiphon.mechanisms.counters.tree_counter import NoisyNodes
from antiphon.protocol import Pure, Status
from antiphon.selfcheck.theorems.complex_mechanisms import EachBit
from antiphon.selfcheck.theorems.finite import clipped
from antiphon.verifiers import event_level

HALF = Fraction(1, 2)
COUNT = spaces.Finite(("count",))
"""Public queries."""


def stated(measure: Any, verification: Any) -> Claim:
    """A claim under the author's own word that it is proved."""
    return Claim(measure, verification, Status.PROVED, "its author's proof")


@attrs.frozen
class Brief(ap.ContinualMechanism[Any, Any, Any]):
    """Rows of weights of two hidden states, as of ``Table``; it halts after two answers, so that
    its claims need no bound on the messages. State: (answers so far, hidden state)."""

    rows: tuple[Any, ...]
    claims: tuple[Claim, ...] = ()  # type: ignore[assignment]
    initial_state = (0, 0)
    signature = ap.Signature(spaces.BITS, spaces.BITS)

    def step(self, state: Any, message: int, coins: Any) -> Any:
        told, hidden = state
        if told == 2:
            return state, ap.HALT
        hidden, answer = divmod(coins.categorical(self.rows[hidden][message]), 2)
        return (told + 1, hidden), answer


# --- relations ------------------------------------------------------------------------------------


@attrs.frozen
class Upwards:
    """One side is less than the other: not symmetric."""

    def holds(self, zero: Any, one: Any) -> bool:
        return type(zero) is type(one) is int and zero < one


@attrs.frozen
class Nothing:
    """Numbers at most 1 apart; of no length, so that it looks empty."""

    def __len__(self) -> int:
        return 0

    def holds(self, zero: Any, one: Any) -> bool:
        return type(zero) is type(one) is int and abs(zero - one) <= 1


# --- mechanisms that may stand where one of the library's is meant to -----------------------------


@attrs.frozen(kw_only=True, repr=False)
class OwnCounter(TreeCounter):
    """A counter with finite noise and a claim of its own."""

    noise: tuple[int, ...] = ()
    """The weights of what is added to a node; empty: a node is clipped to the range instead."""
    claims: tuple[Claim, ...] = attrs.field(default=(), eq=False)  # type: ignore[assignment]

    def _noise(self, coins: Any) -> Any:
        return coins.categorical(self.noise) - len(self.noise) // 2

    def _noisy(self, top: Any, coins: Any) -> Any:
        if self.noise or top is None:
            return TreeCounter._noisy(self, top, coins)
        below, total = self._noisy(top.below, coins)
        noise = top.noise
        if noise is None:
            largest = self.largest * top.size
            noise = coins.categorical(clipped(top.total, largest)) - top.total
            top = top._replace(noise=noise)
        return top._replace(below=below), total + top.total + noise


@attrs.frozen(kw_only=True, repr=False)
class LessNoise(TreeCounter):
    """A part of the noise, and a true claim."""

    parts: int = 2

    @property
    def claims(self) -> Any:
        return (stated(Pure(self.parts * self.epsilon), self.verification),)

    def _noise(self, coins: Any) -> Any:
        return coins.discrete_laplace(self.scale / self.parts)


@attrs.frozen(kw_only=True)
class OwnSparse(SparseVector):
    """Answers ⊤ with a chance that depends on what was asked last and before; halts in the end."""

    look: str = "last"
    """What the chance is about: the last value, or its difference to the first."""
    chances: tuple[int, ...] = (1, 2, 3)
    """In quarters, from the least of what is looked at to the most."""
    questions: int = 2
    claims: tuple[Claim, ...] = attrs.field(default=(), eq=False)  # type: ignore[assignment]

    @property
    def initial_state(self) -> Any:
        return ()

    def step(self, state: Any, message: int, coins: Any) -> Any:
        if len(state) == self.questions:
            return state, ap.HALT
        first, reach = (*state, message)[0], len(self.chances) // 2
        seen = message if self.look == "last" else message - first
        chance = Fraction(self.chances[max(-reach, min(reach, seen)) + reach], 4)
        kept = (first, *(None,) * len(state))
        return kept, ap.TOP if coins.bernoulli(chance) else ap.BOTTOM


@attrs.frozen
class OwnStart(ap.Mechanism):
    """An interactive mechanism: several initial states, and a table of what they answer."""

    rows: tuple[tuple[int, ...], ...]
    claims: tuple[Claim, ...] = ()  # type: ignore[assignment]

    @property
    def initial_states(self) -> Any:
        return spaces.Finite(tuple(range(len(self.rows))))

    @property
    def signature(self) -> Any:
        return ap.Signature(spaces.Finite(("ask", "x")), spaces.Integers(0, len(self.rows[0]) - 1))

    def step(self, state: Any, message: Any, coins: Any) -> Any:
        return state, 0 if message == "x" else coins.categorical(self.rows[state])


# --- classes that change what a claim is about ----------------------------------------------------


@ap.column_safe
class Tells(NoninteractiveMechanism):
    """Every message as it is, by the step that a NIM inherits."""

    def step(self, state: Any, message: Any, coins: Any) -> Any:
        return True, message


class NoNoise(NoisyNodes):
    def _noisy(self, top: Any, coins: Any) -> Any:
        return top, 0 if top is None else top.total


class Doubled(SparseVector):
    def _calibrate(self, budget: Any) -> None:
        SparseVector._calibrate(self, 16 * budget)


# --- values that lie ------------------------------------------------------------------------------


class Like(Fraction):
    """A number that is equal to 1."""

    def __eq__(self, other: object) -> bool:
        return bool(other == 1)

    def __hash__(self) -> int:
        return hash(1)


class Small(Fraction):
    """A number that is at most any other."""

    def __le__(self, other: object) -> bool:
        return True

    __lt__ = __le__


@attrs.frozen(eq=False, init=False, slots=False)
class Shifty(Pure):
    """An ε that is 50, and at one look 0."""

    def __init__(self, look: int) -> None:
        self.__dict__.update(look=look, count=0)

    @property
    def epsilon(self) -> Any:  # type: ignore[override]
        self.__dict__["count"] += 1
        return Fraction(0 if self.__dict__["count"] == self.__dict__["look"] else 50)


class Equal(TreeCounter):
    """Equal to every counter, and without noise."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(TreeCounter(horizon=1, epsilon=1))

    def _noise(self, coins: Any) -> Any:
        return 0


def forget_epochs() -> None:
    """Empty the library's cache of epochs, if it has one."""
    clear = getattr(getattr(unbounded, "_epoch", None), "cache_clear", None)
    if clear is not None:
        clear()


# --- post-processors ------------------------------------------------------------------------------


@attrs.frozen
class OwnLink(PostProcessor):
    """Says that it forwards; ``tells`` what it was told, if it does."""

    tells: bool = False
    deterministic = forwards_queries = True
    initial_state = None

    def is_over(self, state: Any) -> Any:
        return None

    def step(self, state: Any, side: Side, message: Any, coins: Any) -> Any:
        if side is Side.LEFT:
            return message if self.tells else None, Side.RIGHT, message
        told = message is not ap.HALT and self.tells
        return state, Side.LEFT, (state, message) if told else message


@attrs.frozen
class Machine(PostProcessor):
    """P of a complex mechanism, as a table: (where it stands, what it hears) -> what it does.

    ``program[place]`` has what it does on a bit 0, on a bit 1, and on an answer that counts
    as 0 or as 1: ("create", j), ("ask", i, what), ("say", what) or ("keep", what), which says it
    and keeps the bit, and the next place; a fifth, if it has one, is what it does on a public
    query. After ``patience`` answers it says something in any case, so that it does not go on for
    ever.
    """

    program: tuple[Any, ...]
    creates: tuple[ap.Create, ...]
    patience: int = 4
    deterministic = True
    initial_state = (0, 0, 0)

    def signature(self, right: Any) -> Any:
        asked = len(min(self.program, key=len)) > 4
        queries = spaces.Finite((0, 1, *COUNT.values)) if asked else spaces.BITS
        return ap.Signature(queries, spaces.Anything(), spaces.BITS)

    def step(self, state: Any, side: Side, message: Any, coins: Any) -> Any:
        place, bit, waited = state
        if COUNT.contains(message) and side is Side.LEFT:
            heard, waited = 4, 0
        elif side is Side.LEFT:
            heard, bit, waited = message, message, 0
        else:
            heard = 2 + (message in (1, ap.TOP) or (type(message) is tuple and message[0] == 1))
        (act, *what), after = self.program[place][heard]
        if waited == self.patience:
            return (after, 0, 0), Side.LEFT, 0
        state = after, bit, waited + 1
        if act == "create":
            return state, Side.RIGHT, self.creates[what[0] % len(self.creates)]
        said = bit if what[-1] == "bit" else 1 - bit if what[-1] == "flip" else what[-1]
        if act == "ask":
            return state, Side.RIGHT, ap.Ask(said, what[0])
        told = message if what[-1] == "heard" and heard > 1 else said
        return (after, bit if act == "keep" else 0, 0), Side.LEFT, told


@attrs.frozen
class Declares(EachBit):
    """Says so of one bit that differs; its numbers cannot be listed, so it is believed."""

    @property
    def lifting(self) -> Lifting:
        inner = sparse_parallel([self.kind.parameters], first_pair_consistent=True)
        return Lifting(event_level(), inner)

    def signature(self, right: Any) -> Any:
        return spaces.Signature(spaces.Integers(), spaces.Anything(), spaces.BITS)


@attrs.frozen
class Curved(Delegating):
    """A user's mechanism as it is, that states a curve of its own."""

    claims: tuple[Claim, ...] = ()
