"""Mechanisms: pure step functions (state, message, coins) -> (state, answer).

An interactive mechanism (IM) is a ``Mechanism`` (CM Def. 2.6), a continual one (CM) is a
``ContinualMechanism`` (Def. 3.1), an adversary is an ``Adversary`` (Def. 2.11). A ``step`` never
mutates its state, draws only from its coins and may assume that the message belongs to
``signature.queries``: its caller (session, chain, composition) has checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np
from typing_extensions import TypeVar

from antiphon.numbers.errors import CompositionError, Elsewhere, InvalidArgument, of_kind
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.registry import name_of
from antiphon.protocol.session import Session
from antiphon.protocol.spaces import Finite, Signature, Space

State = TypeVar("State", default=Any)
Query = TypeVar("Query", default=Any)
Answer = TypeVar("Answer", default=Any)


class Mechanism(ABC, Generic[State, Query, Answer]):
    """An interactive mechanism (IM): a randomised state function with initial states (CM Def. 2.6).

    Five methods have defaults that a subclass may override: ``claims``, ``carries_data``,
    ``is_over``, ``why_halted`` and ``inside``.
    """

    __slots__ = ()

    __immutable__ = True
    """A mark that values of the class are immutable: a mechanism holds parameters, and no state."""

    # A call of one of these methods on a mechanism is a frequent mistake: at run time an error
    # shows the right call, and a type checker reports that the method is missing.
    if not TYPE_CHECKING:
        send = Elsewhere("it runs in a session: write live = M.start(); live.send(message)")
        create = Elsewhere("it runs in a session: write live = M.start(); live.create(M)")
        guarantee = Elsewhere("write ap.guarantee(M)")
        audit = Elsewhere("write ap.PrivacyGame(M, f).audit(adversary, epsilon=1, samples=10_000)")

        def __matmul__(self, other: object) -> object:
            raise CompositionError(
                f"a post-processor stands on the left of @, not {of_kind(self)}; side by side "
                "mechanisms are ap.ConComp([M1, M2])"
            )

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The message spaces of the mechanism: queries Q and answers A."""

    @property
    @abstractmethod
    def initial_states(self) -> Space:
        """The set S^init of initial states that ``start`` accepts."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The privacy claims of the mechanism; empty if it makes none."""
        return ()

    @abstractmethod
    def step(self, state: State, message: Query, coins: Coins) -> tuple[State, Answer]:
        """One step: (state, message) -> (state', answer), for a message in Q.

        Raises: an AntiphonError before any coin is drawn or data read, to refuse
        the message; the state is unchanged.
        """

    def enter(self, initial: Any) -> State:
        """The state in which a mechanism starts, given an element of ``initial_states``: by
        default that element itself."""
        state: State = initial
        return state

    def carries_data(self, state: State, message: Query) -> bool:
        """Whether a message contains private data, which public transcripts hide."""
        return self.signature.updates.contains(message)

    def is_over(self, state: State) -> bool:
        """Whether the interaction ends when the mechanism, in this state, answers HALT.

        False for a composition that only passes on the HALT of one of its children.
        """
        return True

    def why_halted(self, state: State) -> str | None:
        """The reason why the mechanism answers HALT in this state; never part of a transcript."""
        return None

    def public_state(self, state: State) -> tuple[tuple[str, str], ...]:
        """Pairs (name, value) of the public part of a state, such as the budget so far, for
        users who inspect a session."""
        return ()

    def failures(self, state: State) -> tuple[BaseException, ...]:
        """The exceptions that have ended parts of the mechanism, as its state records them; never
        part of a transcript.

        By default, the failures of the mechanism that is ``inside``.
        """
        within = self.inside(state)
        if within is not None:
            return within[0].failures(within[1])
        return self.died(state) if isinstance(self, HasParts) else ()

    def inside(self, state: State) -> tuple[Mechanism, Any] | None:
        """The mechanism that this one wraps, and its state, both taken from this mechanism's
        ``state``; None if this mechanism wraps no other.

        A session finds the composition whose budget it shows by this method.
        """
        return None

    def start(
        self,
        initial: object = None,
        *,
        seed: int | np.random.SeedSequence | None = None,
        coins: Coins | None = None,
        keep: bool = False,
    ) -> Session[Self]:
        """Start a session: a live, stateful instance M(s).

        Args: ``initial``, an element of ``initial_states`` (none for a CM); ``seed`` or ``coins``,
        else the operating system's entropy; ``keep``, whether to hold the transcript of this live
        use. ``ap.begin`` starts a session that outlives its process. Raises: InvalidArgument for an
        initial state outside ``initial_states``.
        """
        return Session(self, entered(self, initial), seed=seed, coins=coins, keep=keep)


class HasParts(ABC):
    """A mechanism that steps other mechanisms; each of these may fail while the others go on."""

    __slots__ = ()

    @abstractmethod
    def died(self, state: Any) -> tuple[BaseException, ...]:
        """The exceptions that have ended mechanisms inside this one, as its state records them."""


def entered(mechanism: Mechanism, initial: object) -> Any:
    """The state in which a mechanism starts from ``initial``. Raises: InvalidArgument if
    ``initial`` is no initial state of the mechanism."""
    if not isinstance(mechanism, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(
            f"a mechanism is started, such as a TreeCounter, not {of_kind(mechanism)}"
        )
    if not mechanism.initial_states.contains(initial):
        raise InvalidArgument(
            f"a start needs one of the initial states of {name_of(mechanism)}: "
            "pass initial, an element of mechanism.initial_states; a seed has a name, start(seed=7)"
        )
    return mechanism.enter(initial)


class ContinualMechanism(Mechanism[State, Query, Answer]):
    """A continual mechanism (CM): an interactive one with a single initial state (CM Def. 3.1)."""

    __slots__ = ()

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The only initial state; it holds no private data."""

    @property
    def initial_states(self) -> Space:
        return ONLY

    def enter(self, initial: object) -> State:
        return self.initial_state


ONLY = Finite((None,))
"""The space {None}: the initial states of a mechanism that has no choice of initial state."""
