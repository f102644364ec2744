"""The two kinds of a service share one interface: a live stream of events, and a board."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from antiphon.composition.guarantees.statement import Statement
from antiphon.service.event_counters import Said
from antiphon.service.memory import Json, Reply


class Run(Protocol):
    """A running mechanism behind a service. All that it shows is public: answers and figures."""

    @property
    def title(self) -> str: ...
    @property
    def path(self) -> str:
        """The path to which ingestion posts."""
        ...

    @property
    def derivation(self) -> str: ...
    @property
    def statement(self) -> Statement: ...

    def started(self, changed: Callable[[], None]) -> AbstractAsyncContextManager[None]:
        """Run until the block ends; ``changed`` is called when something new may be shown."""
        ...

    async def say(self, who: str, key: str, said: Said) -> Reply:
        """The reply to a request. The same key again: the same reply, and nothing happens."""
        ...

    def batch(self, data: object) -> Said:
        """The message of an ingestion's JSON body. Raises: Wrong."""
        ...

    def board(self) -> str:
        """The part of the board's page that changes, as HTML."""
        ...

    def forms(self) -> str:
        """The forms of an analyst, as HTML; "" if there is nothing to create or to ask."""
        ...

    def spent(self) -> str:
        """A section about the budget, as HTML."""
        ...

    def budget(self) -> Json:
        """The budget for programs."""
        ...

    def series(self) -> Json:
        """The newest released numbers for programs."""
        ...

    def one(self, number: int) -> Json | None:
        """A series by its number, for programs; None if there is none."""
        ...

    def csv(self, how: str, last: int | None) -> str:
        """All released numbers as CSV. Raises: InvalidArgument."""
        ...

    def state(self) -> str:
        """The lines that are printed at a start."""
        ...
