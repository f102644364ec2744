"""Base classes of all online learners, which give advice in each round and then learn of its
loss."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument
from antiphon.protocol import TOP, Coins, ContinualMechanism, set_derived
from antiphon.protocol.spaces import Arrays, Either, Finite, Integers, Signature, Space
from antiphon.verifiers.models import UpdatesAndQueries, event_level, updates_and_queries


def of_kind(kind: type[Any], text: str) -> "Callable[[Any, attrs.Attribute[Any], Any], None]":
    """An attrs validator that accepts only instances of a class; ``text`` is the error message."""

    def check(_: object, __: object, value: object) -> None:
        if not isinstance(value, kind):
            raise InvalidArgument(text)

    return check


ADVICE: Final = "advice"
"""The query for a learner's advice, for the next round."""
QUERIES: Final = Finite((ADVICE,))
ROUNDS: Final = fields.at_most(1 << 40, "no game is longer")

State = TypeVar("State", default=Any)


@attrs.frozen(kw_only=True)
class OnlineLearner(ContinualMechanism[State], Generic[State]):
    """An online learner, which answers a loss by ⊤, and ``ADVICE`` by the advice for the next loss.
    Abstract.

    A learner accepts at most ``horizon`` losses. Raises: InvalidArgument for a loss past the
    horizon; the state is unchanged.
    """

    private: ClassVar[bool] = True
    """Whether the learner claims privacy; if not, no verifier lets it be created."""

    horizon: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    verification: UpdatesAndQueries = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    """The verification function f: queries are the same, and one loss is replaced by another; by
    any other, unless the learner's claim is for some pairs of losses only."""

    def __attrs_post_init__(self) -> None:
        losses, advice = self._spaces()
        answers = Either((Finite((TOP,)), advice))
        set_derived(
            self, signature=Signature(Either((losses, QUERIES)), answers, losses),
            verification=updates_and_queries(event_level(), QUERIES),
        )  # fmt: skip

    @abstractmethod
    def _spaces(self) -> tuple[Space, Space]:
        """The pair of spaces that a learner defines: of its losses, and of its advice."""

    def step(self, state: State, message: Any, coins: Coins) -> tuple[State, Any]:
        if type(message) is str:
            return self._advise(state, coins)
        if self.rounds(state) >= self.horizon:
            raise InvalidArgument(
                f"the horizon of {self.horizon} losses is reached; build the learner with a larger "
                "one: its privacy is computed for that many"
            )
        return self._learn(state, message, coins), TOP

    def rounds(self, state: State) -> int:
        """The number of losses so far, read from the state."""
        told: Any = state
        found: int = getattr(told, "rounds", told)
        return found

    @abstractmethod
    def _advise(self, state: State, coins: Coins) -> tuple[State, Any]:
        """The advice for the next round, with the state after giving it, as (state, advice)."""

    @abstractmethod
    def _learn(self, state: State, loss: Any, coins: Coins) -> State:
        """The state after the loss of the present round."""

    def follow(
        self, state: State, losses: NDArray[np.int64], coins: Coins
    ) -> tuple[State, NDArray[Any]]:
        """The state after the rounds with these losses, and the advice in each; computed faster
        than message by message.

        For losses that do not depend on the advice, as one table.
        Raises: InvalidArgument for losses that a session would refuse, before anything is drawn.
        """
        updates = self.signature.updates
        assert isinstance(updates, Arrays)
        if not attrs.evolve(updates, shape=(len(losses), *updates.shape)).contains(losses):
            raise InvalidArgument(
                f"losses are a table with rows of {updates}; the games' of(…) put numbers on a grid"
            )
        if self.rounds(state) + len(losses) > self.horizon:
            raise InvalidArgument(f"{len(losses)} more losses are past the horizon {self.horizon}")
        if not len(losses):  # Without losses there is no round, and no advice is drawn.
            return state, self._none_shown()
        if isinstance(self, InBlocks):
            return self._follow(state, losses, coins)  # pyright: ignore[reportPrivateUsage]
        return self._one_by_one(state, losses, coins)

    def _none_shown(self) -> NDArray[Any]:
        _, advice = self._spaces()
        if isinstance(advice, Arrays):
            return np.empty((0, *advice.shape), advice.dtype)
        return np.empty(0, np.int64)

    def _one_by_one(
        self, state: State, losses: NDArray[np.int64], coins: Coins
    ) -> tuple[State, NDArray[Any]]:
        """The state after one or more rounds with these checked losses, and the advice in each,
        computed round by round."""
        shown = list[Any]()
        for loss in losses:
            state, advice = self._advise(state, coins)
            shown.append(advice)
            state = self._learn(state, loss, coins)
        return state, np.array(shown)


class InBlocks(ABC):
    """A learner with a faster implementation of many rounds at once. Abstract."""

    __slots__ = ()

    @abstractmethod
    def _follow(self, state: Any, losses: "Losses", coins: Coins) -> tuple[Any, NDArray[Any]]:
        """The same result as that of ``_one_by_one``, for the same coins, computed faster."""


Losses: TypeAlias = "NDArray[np.int64]"
"""The type of a loss, or of a table with a loss in each row."""

GRID: Final = fields.at_most(1 << 20, "round the losses to a coarser grid")


@attrs.frozen(kw_only=True)
class Learner(OnlineLearner[State], Generic[State]):
    """An online learner of experts, which answers a loss by ⊤, and ``ADVICE`` by the expert to
    follow. Abstract.

    A loss is an int64 array of ``experts`` entries in {0, …, ``grid``}. There are at most
    ``horizon`` losses. Raises: InvalidArgument for a loss past the horizon or off the grid; the
    state is unchanged.
    """

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    def _spaces(self) -> tuple[Space, Space]:
        losses = Arrays((self.experts,), "int64", 0, self.grid)
        return losses, Integers(0, self.experts - 1)
