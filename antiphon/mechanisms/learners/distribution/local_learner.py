"""Learners that hear one locally private answer a user: what they share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final, Generic, TypeVar

from antiphon.composition.complex_mechanism import Lifting
from antiphon.composition.creation import Create
from antiphon.composition.validity import sparse_parallel
from antiphon.mechanisms.learners.distribution.hypotheses import Hypotheses
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.claims import Status
from antiphon.protocol.exchanges import Exchanged, ExchangePostProcessor
from antiphon.protocol.messages import HALT, TOP, Ask
from antiphon.protocol.spaces import Either, Finite, Signature, Space, Tuples
from antiphon.verifiers.models import event_level, updates_and_queries
from antiphon.verifiers.relations import OnlyEntry

PREDICT: Final = "predict"
"""The first half of the query ("predict", x): what is p̂ in context x?"""

State = TypeVar("State")


class LocalLearner(ExchangePostProcessor[State], Generic[State]):
    """IPM: (x, y) -> ⊤, one user's context and label; ("predict", x) -> p̂ on [M]. Abstract.

    Stands on the left of ExtConComp, where it creates a mechanism for each user, and asks it once:
    ``ComplexMechanism(…)``. HALT to a user past the ``horizon``.
    Privacy: that of one user's mechanism, (ε, δ), w.r.t. streams in which one user has another
    label, the contexts and all queries being the same (f), against adversaries that adapt:
    ``ap.guarantee`` derives it. *P has the three properties of CM §6.1 from f to 1-sparse parallel
    composition*: it is deterministic; what it creates, which index it asks, what it learns and what
    it predicts is computed from contexts, queries, the number of users and answers from the right,
    all of which are the same in two f-valid runs (destination, response); only what is asked
    depends on y, and differs for one user at most, whose mechanism is asked nothing else (f→f').
    What is created answers a first message, then HALT: f'_j = f_∼, which is first-pair
    consistent. So CM Thm 5.2 for δ = 0, else Thm 5.5, and Thm 6.1.
    """

    __slots__ = ()
    hypotheses: Hypotheses
    horizon: int

    @property
    @abstractmethod
    def parameters(self) -> tuple[ExactEpsilon, Any]:
        """(ε, δ) of what is created for each user."""

    @abstractmethod
    def users(self, state: State) -> int:
        """How many have come."""

    @abstractmethod
    def creation(self, state: State, context: int) -> Create:
        """Of the mechanism of the next user."""

    @abstractmethod
    def asked(self, state: State, context: int, label: int) -> int:
        """What it is asked: all that is done with the label."""

    @abstractmethod
    def learned(self, state: State, context: int, answer: Any) -> State:
        """The state after a user's answer, or after HALT, by one whose mechanism failed."""

    @abstractmethod
    def predicted(self, state: State, context: int) -> Any:
        """The answer to ("predict", x)."""

    @property
    @abstractmethod
    def predictions(self) -> Space:
        """The answers to ("predict", x)."""

    @property
    def questions(self) -> Space:
        """The queries ("predict", x)."""
        return Tuples((Finite((PREDICT,)), self.hypotheses.of_contexts))

    @property
    def lifting(self) -> Lifting:
        """f: one user's label differs; f': one of what is created gets a differing pair."""
        outer = updates_and_queries(event_level(OnlyEntry(1)), self.questions)
        inner = sparse_parallel([self.parameters], first_pair_consistent=self.parameters[1] > 0)
        return Lifting(outer, inner, Status.PROVED, "see LocalLearner")

    def signature(self, right: Signature) -> Signature:
        users = Tuples((self.hypotheses.of_contexts, self.hypotheses.of_labels))
        answers = Either((Finite((TOP, HALT)), self.predictions))
        return Signature(Either((users, self.questions)), answers, users)

    def is_over(self, state: Any) -> None:
        return None

    def why_halted(self, state: State) -> str | None:
        over = self.users(state) >= self.horizon
        return (
            f"the horizon of {self.horizon} users is reached: build it with more" if over else None
        )

    def exchange(self, state: State, message: tuple[Any, int]) -> Exchanged[State]:
        """A user, or a question."""
        context, label = message
        if type(context) is str:
            return state, self.predicted(state, label)
        users = self.users(state)
        if users >= self.horizon:
            return state, HALT
        yield self.creation(state, context)
        answer = yield Ask(self.asked(state, context, label), users)
        return self.learned(state, context, answer), TOP
