"""A conjecture: a bound that is said to hold for every composition of a pattern. Searched, judged.

What is found is exact: mechanisms with rational probabilities that keep their claim, and an
adversary that gains more than the bound. What is not found proves nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.audit.conjectures.conjectured import Conjectured
from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.patterns.pattern import Pattern, Reached, shown
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.coins.sampled import generator, system_words

Bound: TypeAlias = Union[int, float, Fraction, Callable[[ExactEpsilon], Any], PrivacyCurve]
"""A number, a function of ε, or a curve."""
_CLEARLY: Final = 1e-6
"""A gain in doubles that is more than this above the bound is judged."""
_FURTHER: Final = 1e-9
"""By how much one has to be better that is judged after another."""


class HowFar(NamedTuple):
    """How far a search is: told after every climb."""

    seconds: float
    starts: int
    best: float
    bound: Fraction


def _is_pattern(_: object, __: object, value: Any) -> None:
    if not isinstance(value, Pattern):
        raise InvalidArgument(
            "a conjecture is about a pattern: SparsePattern(epsilon=…, delta=…, creations=…, "
            "sparse=…), SparseRenyi, GamePattern, FilterPattern or MistakesPattern, not a "
            f"{type(value).__name__}"
        )


@attrs.frozen
class Conjecture:
    """Every composition of a pattern loses at most ``bound`` at ``epsilon``.

    Mechanisms are sought that answer up to ``rounds`` questions, with up to ``answers`` answers.
    """

    pattern: Pattern = attrs.field(validator=_is_pattern)
    bound: Bound
    epsilon: ExactEpsilon = attrs.field(default=Fraction(0), converter=exact.epsilon)
    rounds: int = attrs.field(default=2, kw_only=True)
    answers: int = attrs.field(default=3, kw_only=True)

    def __attrs_post_init__(self) -> None:
        exact.whole(self.rounds, "rounds")
        if exact.whole(self.answers, "answers") < 2:
            raise InvalidArgument("with fewer than 2 answers nothing is told")

    @property
    def figure(self) -> Fraction:
        """The bound at ``epsilon``. Raises: InvalidArgument for what is no bound, or none at all:
        one that a single mechanism may go beyond.
        """
        figure = exact.fraction(_said(self.bound, self.epsilon), "the bound")
        least = self.pattern.least(self.epsilon)
        if least is not None and figure < least[0]:
            raise InvalidArgument(
                f"the bound {figure} at ε = {shown(self.epsilon)} is below {least[0]}, which "
                f"{least[1]}: there is nothing to search for; give at least that much"
            )
        return figure

    def search(
        self,
        *,
        seconds: float | None = 60.0,
        starts: int | None = None,
        seed: int | None = None,
        watch: Callable[[HowFar], object] | None = None,
        to_the_end: bool = False,
    ) -> Conjectured:
        """Search for what refutes it, until it is refuted, the time is up or all was looked at.

        ``starts``: climbs at most; with them and a seed, without ``seconds``, the same is found
        again. ``to_the_end``: once refuted, go on for what refutes it by most. Ctrl-C ends the
        search, and keeps the best. Cost: docs/conjectures.md.
        Raises: InvalidArgument; Intractable where no table of views is small enough; MissingExtra
        without scipy.
        """
        figure = self.figure
        random = generator(system_words(4).tolist() if seed is None else seed)
        search = _Search(self, figure, to_the_end)
        limits = _Limits(seconds, starts)
        try:
            climbs = self.pattern.climbs(self.rounds, self.answers, self.epsilon, random)
            for climb in climbs:
                done = search.add(climb)
                if watch is not None:
                    watch(HowFar(limits.spent, search.starts, search.gain, figure))
                if done or limits.over(search.starts):
                    break
        except KeyboardInterrupt:
            search.interrupted = True
        return search.outcome()


def conjecture(
    pattern: Pattern,
    bound: Bound,
    epsilon: exact.Epsilon = 0,
    *,
    rounds: int = 2,
    answers: int = 3,
    seconds: float | None = 60.0,
    starts: int | None = None,
    seed: int | None = None,
    watch: Callable[[HowFar], object] | None = None,
    to_the_end: bool = False,
) -> Conjectured:
    """Search for mechanisms with which a composition loses more than a bound at ``epsilon``.

    Refuted exactly, or not refuted: never proved. The arguments are those of ``Conjecture`` and of
    its ``search``.

    >>> from fractions import Fraction
    >>> from antiphon.audit.conjectures import SparsePattern
    >>> pattern = SparsePattern(epsilon=0, delta=Fraction(1, 10), creations=2, sparse=1)
    >>> found = conjecture(pattern, Fraction(1, 10), seed=1)     # one of two, and yet
    >>> found.refuted, found.loss > Fraction(1, 10)
    (True, True)
    """
    asked = Conjecture(pattern, bound, exact.epsilon(epsilon), rounds=rounds, answers=answers)
    return asked.search(
        seconds=seconds, starts=starts, seed=seed, watch=watch, to_the_end=to_the_end
    )


class _Limits:
    """When to stop."""

    def __init__(self, seconds: float | None, starts: int | None) -> None:
        self._begun = time.monotonic()
        self._seconds, self._starts = seconds, starts
        if seconds is not None and not seconds > 0:
            raise InvalidArgument("seconds is a positive number, or None for no end of time")
        if starts is not None:
            exact.whole(starts, "starts")

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._begun

    def over(self, starts: int) -> bool:
        """Whether to stop after so many climbs."""
        late = self._seconds is not None and self.spent >= self._seconds
        return late or (self._starts is not None and starts >= self._starts)


class _Search:
    """What has been found so far."""

    def __init__(self, asked: Conjecture, figure: Fraction, to_the_end: bool) -> None:
        self.asked, self.figure = asked, figure
        self.starts, self.interrupted = 0, False
        self.best: Reached | None = None
        self._history: list[tuple[int, float]] = []
        self._to_the_end = to_the_end
        self._judged: Judged | None = None
        self._tried = float(figure) + _CLEARLY

    @property
    def gain(self) -> float:
        """Of the best, in doubles."""
        return -math.inf if self.best is None else self.best.gain

    def add(self, climb: Reached) -> bool:
        """Take note of a climb; whether the search is over."""
        self.starts += 1
        if self.best is None or climb.gain > self.gain + _FURTHER:
            self.best = climb
            self._history.append((self.starts, climb.gain))
        if self._to_the_end or self.gain <= self._tried:
            return False
        return self._judge(self.best) > self.figure

    def _judge(self, best: Reached) -> Fraction:
        """The best is judged, and kept if it is exactly better than what was."""
        self._tried = best.gain + _FURTHER
        found = self.asked.pattern.judged(best, self.asked.epsilon)
        if self._judged is None or found.loss > self._judged.loss:
            self._judged = found
        return self._judged.loss

    def outcome(self) -> Conjectured:
        """The best of all, judged."""
        asked = self.asked
        if self.best is not None and (self._judged is None or self.gain > self._tried):
            self._judge(self.best)
        return Conjectured(
            asked.pattern, asked.epsilon, self.figure, self._judged, self.starts,
            asked.pattern.sizes(asked.rounds, asked.answers), tuple(self._history),
            self.interrupted,
        )  # fmt: skip


def _said(bound: Bound, epsilon: ExactEpsilon) -> Any:
    if isinstance(bound, PrivacyCurve):
        return bound.delta_at(epsilon)
    if not callable(bound):
        return bound
    try:
        return bound(epsilon)
    except Exception as error:
        raise InvalidArgument(
            f"the bound raised {type(error).__name__} at ε = {shown(epsilon)} ({error}): give a "
            "number, a function of ε that returns one, or a PrivacyCurve"
        ) from error
