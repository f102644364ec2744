"""Common parts of all online learners: they advise, and learn of a round when its loss comes."""

from __future__ import annotations

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


def of_kind(kind: type[Any], text: str) -> Callable[[Any, attrs.Attribute[Any], Any], None]:
    """A validator: of a class; the text says what is expected."""

    def check(_: object, __: object, value: Any) -> None:
        if not isinstance(value, kind):
            raise InvalidArgument(text)

    return check


ADVICE: Final = "advice"
"""The query of a learner: what to do in the round whose loss comes next."""
QUERIES: Final = Finite((ADVICE,))
ROUNDS: Final = fields.at_most(1 << 40, "no game is longer")

State = TypeVar("State", default=Any)


@attrs.frozen(kw_only=True)
class OnlineLearner(ContinualMechanism[State], Generic[State]):
    """(a loss) -> ⊤; (``ADVICE``) -> what to do in the round whose loss comes next. Abstract.

    At most ``horizon`` losses.
    Raises: InvalidArgument for a loss past the horizon; the state is unchanged.
    """

    private: ClassVar[bool] = True
    """Whether it claims anything: what does not cannot stand behind a verifier."""

    horizon: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    verification: UpdatesAndQueries = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    """f: one loss differs, by any two losses where nothing else is said; queries are the same."""

    def __attrs_post_init__(self) -> None:
        losses, advice = self._spaces()
        answers = Either((Finite((TOP,)), advice))
        set_derived(
            self, signature=Signature(Either((losses, QUERIES)), answers, losses),
            verification=updates_and_queries(event_level(), QUERIES),
        )  # fmt: skip

    @abstractmethod
    def _spaces(self) -> tuple[Space, Space]:
        """The spaces of losses and of advice."""

    def step(self, state: State, message: Any, coins: Coins) -> tuple[State, Any]:
        if type(message) is str:
            return self._advise(state, coins)
        if self.rounds(state) >= self.horizon:
            raise InvalidArgument(
                f"the horizon of {self.horizon} losses is reached; build the learner with a larger "
                "one: its privacy is reckoned for so many"
            )
        return self._learn(state, message, coins), TOP

    def rounds(self, state: State) -> int:
        """How many losses have come: a state has that number, or is it."""
        told: Any = state
        found: int = getattr(told, "rounds", told)
        return found

    @abstractmethod
    def _advise(self, state: State, coins: Coins) -> tuple[State, Any]:
        """The advice, and the state after it."""

    @abstractmethod
    def _learn(self, state: State, loss: Any, coins: Coins) -> State:
        """The state after one more loss."""

    def follow(
        self, state: State, losses: NDArray[np.int64], coins: Coins
    ) -> tuple[State, NDArray[Any]]:
        """The advice in each of some rounds: a session's answers, in one loop.

        For losses that do not depend on what is shown, as one table.
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
        if not len(losses):  # nobody has asked, so nothing is drawn
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
        """The same of losses that were checked, at least one."""
        shown = list[Any]()
        for loss in losses:
            state, advice = self._advise(state, coins)
            shown.append(advice)
            state = self._learn(state, loss, coins)
        return state, np.array(shown)


class InBlocks(ABC):
    """A learner that follows many rounds faster than one by one. Abstract."""

    __slots__ = ()

    @abstractmethod
    def _follow(self, state: Any, losses: Losses, coins: Coins) -> tuple[Any, NDArray[Any]]:
        """As ``_one_by_one``: to the same draws it says the same."""


Losses: TypeAlias = "NDArray[np.int64]"
"""A loss, or a table with a loss in each row."""

GRID: Final = fields.at_most(1 << 20, "round the losses to a coarser grid")


@attrs.frozen(kw_only=True)
class Learner(OnlineLearner[State], Generic[State]):
    """(a loss) -> ⊤; (``ADVICE``) -> the expert to follow. Abstract.

    A loss is an int64 array of ``experts`` entries in {0, …, ``grid``}. At most ``horizon``.
    Raises: InvalidArgument for a loss past the horizon or off the grid; the state is unchanged.
    """

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    def _spaces(self) -> tuple[Space, Space]:
        losses = Arrays((self.experts,), "int64", 0, self.grid)
        return losses, Integers(0, self.experts - 1)
