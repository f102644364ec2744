"""The verifier V[f] and the identifier I(b) (CM Def. 3.5 and 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import attrs

from antiphon.numbers.errors import CompositionError, InvalidArgument, PartError
from antiphon.populations.each_replica import accepting, to_scalar
from antiphon.protocol import HALT, LEFT, RIGHT, Coins, Pair, PostProcessor, Side, identical
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.mechanism import ONLY
from antiphon.protocol.provenance import reader
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import BITS, Anything, Either, Finite, Pairs, Signature, Space
from antiphon.protocol.verification import Refused, Verification
from antiphon.verifiers.models import is_verification

VerifierState: TypeAlias = object
"""The type of a verifier's state: the state of the verification function f, or ``Refused``."""
Check: TypeAlias = Callable[[object, object, object], object]


def checking(f: Verification) -> Check:
    """A function that makes one step of the verification function f and checks its result; where f
    is not column-safe, it is called for one replica (parallel run) at a time."""
    step = reader(f)
    return step if is_column_safe(f) else partial(_alone, f, step)


def _alone(f: object, step: Check, state: object, zero: object, one: object) -> object:
    return step(state, to_scalar(zero, f), to_scalar(one, f))


@register("antiphon.Verifier/1")
@column_safe
@attrs.frozen
class Verifier(PostProcessor[VerifierState]):
    """The verifier V[f]: it forwards messages from its left while f accepts their sequence, and
    then sends HALT.

    State: the state of f's automaton (the paper keeps the sequence itself), or ``Refused``, after
    which all answers are HALT. A verifier accepts any value from the left: f does not accept a
    value that is no pair of queries of the mechanism on the right (CM Remark 3.6). ``why_halted``
    gives the reason, outside the transcript.
    """

    verification: Verification = attrs.field(validator=is_verification)
    queries: Space | None = attrs.field(default=None, init=False, repr=False)
    """The space Q × Q, for the query space Q of the mechanism on the right; None if f itself
    refuses pairs outside it."""
    _accepts: Callable[[object], bool] | None = attrs.field(
        default=None, init=False, eq=False, repr=False
    )
    _read: Check = attrs.field(init=False, eq=False, repr=False)
    deterministic = True
    drawn_as = DrawnAs("V[f]", "f: {verification}", forwards=True)

    def __attrs_post_init__(self) -> None:
        set_derived(self, _read=checking(self.verification))

    @property
    def initial_state(self) -> VerifierState:
        return self.verification.initial_state

    def wired(self, right: Signature) -> Verifier:
        if not isinstance(right.queries, Pairs):
            raise CompositionError(
                "a verifier stands on the left of what takes pairs: Verifier(f) @ Identifier(b) @ M"
            )
        verifier = Verifier(self.verification)
        checked = self.verification.checked_space
        space = right.queries.space
        if checked is not None and type(space) not in (type(checked), Anything):
            raise CompositionError(
                f"{type(self.verification).__name__} is about {checked}, but what stands on the "
                f"right takes {str(space)[:80]}"
            )
        if checked != space:
            set_derived(verifier, queries=right.queries, _accepts=accepting(right.queries))
        return verifier

    def signature(self, right: Signature) -> Signature:
        return Signature(Anything(), Either((right.answers, _HALTS)), Anything())

    def step(
        self, state: VerifierState, side: Side, message: Any, coins: object
    ) -> tuple[VerifierState, Side, object]:
        if side is RIGHT:
            return state, LEFT, message
        if type(state) is Refused:
            return state, LEFT, HALT
        try:
            if type(message) is not Pair:
                state = _NO_PAIR
            elif self._accepts is not None and not self._accepts(message):
                state = _OUTSIDE
            else:
                state = self._read(state, message.zero, message.one)
        except PartError:
            raise
        except Exception as error:  # A message on which f raises an error is refused.
            state = Refused(f"checking the message raised {type(error).__name__}")
        if type(state) is Refused:
            return state, LEFT, HALT
        zero = message.zero
        if message.one is not zero and identical(zero, message.one):
            # Both sides become one object: its identity must not tell a mechanism the world.
            message = Pair(zero, zero)
        return state, RIGHT, message

    def is_over(self, state: VerifierState) -> bool | None:
        return True if type(state) is Refused else None

    def refused(self, state: VerifierState, reason: str) -> VerifierState:
        return state if type(state) is Refused else Refused(reason)

    def why_halted(self, state: VerifierState) -> str | None:
        return state.reason if type(state) is Refused else None


_NO_PAIR = Refused("the message is not a pair")
_OUTSIDE = Refused("a side of the pair is outside the query space")
_HALTS = Finite((HALT,))


def _bit(bit: int | None) -> int | None:
    if bit is not None and not BITS.contains(bit):
        raise InvalidArgument("an identifier's bit is 0 or 1 (None: chosen at start)")
    return bit


@register("antiphon.Identifier/1")
@column_safe
@attrs.frozen
class Identifier(PostProcessor[int]):
    """The identifier I(b): it takes a pair (m₀, m₁) from the left and forwards m_b; answers pass
    unchanged.

    ``Identifier(bit)`` has one initial state, ``Identifier()`` has {0, 1}, so that V[f] ∘* I ∘* M
    is an interactive mechanism whose neighbouring initial states are 0 and 1 (CM Cor. 3.8). The bit
    b is the secret of the privacy game: no repr and no view shows it.

    Raises: InvalidArgument for a message from the left that is no pair.
    """

    bit: int | None = attrs.field(
        default=None, converter=_bit, repr=False, metadata={"secret": True}
    )
    deterministic = True
    drawn_as = DrawnAs("I(b)", "identifier", forwards=True, picks=True)

    @property
    def initial_states(self) -> Space:  # type: ignore[override]
        return BITS if self.bit is None else ONLY

    @property
    def initial_state(self) -> int:
        if self.bit is None:
            raise CompositionError("Identifier() has two initial states; start(bit) chooses one")
        return self.bit

    def enter(self, initial: int) -> int:
        return self.initial_state if self.bit is not None else int(initial)

    def signature(self, right: Signature) -> Signature:
        return Signature(Pairs(right.queries), right.answers, Pairs(right.queries))

    def is_over(self, state: int) -> None:
        return None

    def step(self, state: int, side: Side, message: Any, coins: Coins) -> tuple[int, Side, object]:
        if side is RIGHT:
            return state, LEFT, message
        return state, RIGHT, message.one if state else message.zero
