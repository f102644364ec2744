"""A live instance of a mechanism: the only place where state is stored and changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol

import attrs
import numpy as np
from typing_extensions import TypeVar

from antiphon.numbers import errors
from antiphon.numbers.errors import InvalidArgument, ProtocolError, of_kind
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.sampled import SampledCoins, tell_of_forks
from antiphon.protocol.cursor import Stepping
from antiphon.protocol.display import Card, Displayed, Grid
from antiphon.protocol.messages import ATOMS, HALT, SAME, Ask, Creation, Pair, freeze
from antiphon.protocol.registry import Unregistered, lookup, name_of
from antiphon.protocol.spaces import NOTHING, Anything, Space

if TYPE_CHECKING:
    from antiphon.protocol.budget_view import BudgetInSight, Price


@attrs.frozen
class Exchange:
    """One message and its answer in a live session; ``secret`` if the message is private data."""

    message: object = attrs.field(eq=SAME)
    answer: object = attrs.field(eq=SAME)
    secret: bool = False


@attrs.frozen
class Last:
    """The last exchange of a session: its number, counted from 1, its message and its answer.

    In memory only: the message may be data.
    """

    number: int
    message: object = attrs.field(eq=SAME, repr=False)
    answer: object = attrs.field(eq=SAME, repr=False)


def outside(mechanism: Stepping, message: object) -> str:
    """The error text for a message outside the query space of a mechanism, with the cure."""
    queries = mechanism.signature.queries
    cure, chain = queries.cure(message), getattr(mechanism, "within", mechanism)
    first, *_ = getattr(chain, "links", None) or (chain,)
    if getattr(first, "left", NOTHING) is None:  # as a decorator without signature= leaves it
        cure = f"; {name_of(first)} takes what its right takes, unless you pass signature=…"
    return (
        f"{of_kind(message)} outside the query space of {name_of(mechanism)}; it takes "
        f"{str(queries)[:200]}{cure}"
    )


def sealed(message: object, queries: Space) -> object:
    """The message with its arrays made read-only; for a verifier, a value that cannot be a message
    becomes a placeholder.

    The query space of a verifier is ``Anything``: a value that cannot be a message is replaced by
    its type's name, which the verifier refuses. Raises: InvalidArgument for such a value in front
    of any other mechanism.
    """
    try:
        return freeze(message)
    except InvalidArgument:
        if type(queries) is not Anything:
            raise
        return Unregistered(type(message).__qualname__)


FAILED: Final = "a step failed", "a step killed its process"
"""The two beginnings of the text by which a session says that a failed step has ended it."""


class Accounts(Protocol):
    """The interface of budget accounting, which ``antiphon.sessions.spending`` implements."""

    def budget_of(self, mechanism: Any, state: object, *, failed: bool = False) -> BudgetInSight:
        """The budget of the composition in this state: the amounts spent and remaining."""
        ...

    def price_of(self, whole: Any, state: Any, create: object) -> Price:
        """Cost of creating a mechanism, and whether the creation would be accepted."""
        ...


def _nobody() -> Accounts:
    raise ProtocolError("no budget accounting is registered: import antiphon, which registers it")


_accounts: Callable[[], Accounts] = _nobody


def accounts_from(load: Callable[[], Accounts]) -> None:
    """Set the function that returns the ``Accounts``, called when a budget is first requested."""
    global _accounts
    _accounts = load


M = TypeVar("M", bound=Stepping, default=Any)


class Session(Displayed, Generic[M]):
    """A running mechanism M(s): send it a message, get its answer.

    Safe to use from several threads: a lock makes every ``send`` one whole step.
    A session cannot be copied, pickled or carried through a fork, because two
    copies would answer with the same noise.

    A message that is refused raises and changes nothing. A step that fails later
    is an outcome: the session answers HALT, is over, and keeps the exception in
    ``failure``, outside the transcript (law 1).

    After an interrupt (Ctrl-C) a message has been answered or not: ``last`` is the last exchange
    that happened, even if the caller never received the answer. State, charges and answer change in
    one store. An interrupt in the middle of a step ends the session, because its coins are used up.
    """

    __slots__ = (
        "__weakref__", "_accepts", "_coins", "_exchanges", "_lock", "_mechanism", "_now", "_over",
        "_seeded", "_step", "_stepping", "failure",
    )  # fmt: skip
    # A call of this method on a session is a frequent mistake: at run time an error shows the right
    # call, and a type checker reports that the method is missing.
    if not TYPE_CHECKING:
        ask = errors.Elsewhere("write live.send(ap.Ask(query, index))")

    def __init__(
        self,
        mechanism: M,
        state: object,
        *,
        seed: int | np.random.SeedSequence | None = None,
        coins: Coins | None = None,
        keep: bool = False,
    ) -> None:
        if coins is not None and seed is not None:
            raise InvalidArgument("give a session a seed or coins, not both")
        self._mechanism = mechanism
        self._now: tuple[object, int, object, object] = state, 0, None, None
        """The present of the session: the mechanism's state, the number of exchanges so far, the
        last message and the last answer."""
        self._coins: Coins = SampledCoins(seed) if coins is None else coins
        self._seeded = not isinstance(self._coins, SampledCoins) or self._coins.seeded
        queries = mechanism.signature.queries
        self._accepts = None if type(queries) is Anything else queries.contains
        self._step = mechanism.step
        self._over: str | None = None
        self._exchanges: list[Exchange] | None = [] if keep else None
        self.failure: BaseException | None = None
        self._lock = threading.RLock()
        self._stepping: object = None
        """The value of ``_now`` at the start of the last step; while ``_now`` still has this value,
        that step is running."""
        tell_of_forks(self)

    # The possible outcomes of one send (CM §2.2.1; laws 1 and 6; docs/halting.md):
    #
    #   refused    The message is outside Q, or the step raises an AntiphonError and no coin has
    #              been drawn. ``send`` raises, and nothing has happened: state, coins, transcript
    #              are unchanged, and the session goes on.
    #   answered   State, number, message and answer are stored at once, in ``_now``. After an
    #              interrupt, either nothing or all of this is stored.
    #   failed     The step raises after a draw, or raises an error that is no refusal. Its coins
    #              are not tossed again: an adversary that could have a failing step repeated would
    #              choose among its noise. So the answer is HALT, for ever, with the state
    #              unchanged; the exception, which may hold data, is for the caller only.
    #
    # After a failed step ``send`` raises two kinds of exceptions: an interrupt, and READINGS, where
    # the coins or a faulty part are to blame: HALT would look like the mechanism's own answer.
    #
    # The lock is reentrant, so a step that sends to its own session passes it, and is detected by
    # ``_stepping``. The list of exchanges is written before ``_now``, so after an interrupt it may
    # have one exchange too many: only as many as the number in ``_now`` count.

    def send(self, message: object) -> Any:
        """Send one message and return its answer.

        Raises: InvalidArgument for a message outside Q; ProtocolError after HALT, and for a
        step that sends to its own session; the state is unchanged.
        """
        kind = type(message)
        if kind is not Pair and kind is not Ask and kind not in ATOMS:
            message = sealed(message, self._mechanism.signature.queries)
        with self._lock:
            if self._over is not None:
                raise self._is_over()
            if self._accepts is not None and not self._accepts(message):
                raise InvalidArgument(outside(self._mechanism, message))
            now, drawn = self._now, self._coins.draws
            # Other threads wait for the lock, so this thread is inside a step of this very session.
            if self._stepping is now:
                raise ProtocolError(
                    "a step sends to its own session, which waits for that step: a mechanism "
                    "answers one message at a time; what it needs of itself is in its state"
                )
            before = now[0]
            secret = self._exchanges is not None and self._mechanism.carries_data(before, message)
            try:
                self._stepping = now
                after, answer = self._step(before, message, self._coins)
                if answer is HALT and self._mechanism.is_over(after):
                    self._over = "the mechanism halted"
                if self._exchanges is not None:
                    self._exchanges[now[1] :] = [Exchange(message, answer, secret)]
                self._now = after, now[1] + 1, message, answer
            except BaseException as error:
                # After an interrupt that came after this store, the message counts as answered.
                if self._now is not now:
                    raise
                if isinstance(error, errors.AntiphonError) and self._coins.draws == drawn:
                    self._stepping = None
                    raise
                self._over, self.failure = "a step failed; see session.failure", error
                if not isinstance(error, Exception) or isinstance(error, errors.READINGS):
                    raise
                answer = HALT
                if self._exchanges is not None:
                    self._exchanges[now[1] :] = [Exchange(message, answer, secret)]
                self._now = before, now[1] + 1, message, answer
            return answer

    @errors.written_as("live.create(M)")
    def create(self, mechanism: object, claim: object = None) -> Any:
        """Create a mechanism in a composition: ``send(Create(mechanism, claim))``.

        Raises: as ``send``.

        >>> from antiphon import Ask, ExtConComp
        >>> from antiphon.mechanisms import TreeCounter
        >>> live = ExtConComp().start()
        >>> live.create(TreeCounter(horizon=8, epsilon=1))
        TOP
        >>> live.send(Ask(1, 0))                                # the query first, then the index
        TOP
        """
        if claim is None and isinstance(mechanism, Creation):
            return self.send(mechanism)
        make: Callable[[object, object], object] = lookup("antiphon.Create/1")
        return self.send(make(mechanism, claim))

    def _is_over(self) -> ProtocolError:
        return ProtocolError(f"the session is over ({self._over}); {self._instead}")

    _instead = "start another"
    """The advice at the end of the error text for a message to a session that is over."""

    @property
    def mechanism(self) -> M:
        """The mechanism that runs in this session."""
        return self._mechanism

    @property
    def seeded(self) -> bool:
        """Whether the noise comes from a seed, or from given coins: for study only."""
        return self._seeded

    @property
    def last(self) -> Last | None:
        """The last exchange that happened; None before the first."""
        _, number, message, answer = self._now
        return Last(number, message, answer) if number else None

    @property
    def failures(self) -> tuple[BaseException, ...]:
        """All exceptions of steps so far, for the caller only: first those of the created
        mechanisms, then the exception of the session's own step."""
        own = () if self.failure is None else (self.failure,)
        return (*self._mechanism.failures(self._now[0]), *own)

    @property
    def over(self) -> bool:
        """Whether the session is over: its mechanism has halted, or one of its steps failed."""
        return self._over is not None

    @property
    def why_halted(self) -> str | None:
        """Why the mechanism halted, for the caller only; None while it runs or if unknown."""
        return self._mechanism.why_halted(self._now[0]) or self._over

    @property
    def budget(self) -> BudgetInSight:
        """The budget of the session's composition: spent until now, and remaining (docs/budget.md).

        Raises: ProtocolError if there is no composition in the mechanism.
        """
        failed = self._over is not None and self._over.startswith(FAILED)
        return _accounts().budget_of(self._mechanism, self._now[0], failed=failed)

    def price(self, create: object) -> Price:
        """The cost of ``Create(M)`` if it were sent now; nothing is changed, no coin is tossed.

        Raises: the errors of ``send``; ProtocolError if there is no composition in the mechanism.
        """
        if self._over is not None:
            raise self._is_over()
        return _accounts().price_of(self._mechanism, self._now[0], create)

    @property
    def transcript(self) -> tuple[Exchange, ...]:
        """The messages and answers so far, if started with ``keep=True``: keep it secret.

        Raises: ProtocolError if the session keeps no transcript.
        """
        if self._exchanges is None:
            raise ProtocolError("this session keeps no transcript; start it with keep=True")
        return tuple(self._exchanges[: self._now[1]])

    def public(self) -> tuple[Exchange, ...]:
        """Transcript without private data: the answers, and those messages that are no updates."""
        return tuple(
            attrs.evolve(exchange, message=None) if exchange.secret else exchange
            for exchange in self.transcript
        )

    def forked(self) -> None:
        """In a forked child, end the session: two copies would answer with the same noise."""
        self._over = "it was forked"
        self._lock = threading.RLock()

    def _card(self) -> Card:
        state, number, _, _ = self._now
        rows = [("exchanges", f"{number:,}"), *self._mechanism.public_state(state)]
        if self.failures:
            rows.append(("failed steps", f"{len(self.failures)}, see session.failures"))
        return Card(f"{name_of(self._mechanism)}, {self._over or 'live'}", (Grid(rows),))

    def __repr__(self) -> str:
        # The session's own failure is not counted, as the text ``_over`` names it.
        failed = len(self.failures) - (self.failure is not None)
        parts = f"; steps of {failed} part(s) failed, see session.failures" if failed else ""
        return f"<Session of {name_of(self._mechanism)}, {self._over or 'live'}{parts}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a session cannot be copied or pickled: two copies would answer with the same noise; "
            "start another from the mechanism"
        )
