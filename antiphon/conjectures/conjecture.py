"""Conjectures: a bound that is claimed for every composition of a pattern, and the search for a
refutation.

A refutation is exact: mechanisms with rational probabilities that keep their claim, and an
adversary that gains more than the bound. Finding none proves nothing.

A search may run on one core or many, in one piece or several. A checkpoint file holds the state of
a search: plain values, and laws as exact arrays.
"""

from collections import deque
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeAlias, TypedDict, Union

import attrs
from typing_extensions import Unpack

from antiphon.audit.game import handed_on
from antiphon.audit.running.checkpoint import Checkpoint, decode_result, encode_result
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.progress import Interrupt
from antiphon.audit.running.runner import Arrival, Workers, resumed, work
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.conjectures import ascent
from antiphon.conjectures.climbing import Climb
from antiphon.conjectures.exact_figures import epsilon_text
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.outcome import Conjectured
from antiphon.conjectures.patterns.pattern import Pattern
from antiphon.numbers import ExactEpsilon, exact
from antiphon.numbers.errors import ExecutorError, InvalidArgument, of_kind
from antiphon.protocol.coins.sampled import system_words
from antiphon.protocol.records.codec import Json


def kept_in(path: Union[str, Path]) -> Checkpoint:
    """The checkpoint of a search, kept in the file ``path``."""
    return Checkpoint(path, _written, lambda data: _memory(decode_result(data)), of="starts")


def _written(memory: ascent.Memory) -> Json:
    return encode_result(
        {
            "few": tuple((each.in_vain, *map(_plain, each.kept)) for each in memory.few),
            "ready": tuple(
                (each.number, each.place, each.seed, _stack(each.near)) for each in memory.ready
            ),
            "best": _plain(memory.best),
            "history": tuple(memory.history),
            "refuting": _plain(memory.refuting),
            "tried": memory.tried,
        }
    )


def _memory(said: Any) -> ascent.Memory:
    few = [ascent.Few(list(map(_climb, kept)), in_vain) for in_vain, *kept in said["few"]]
    ready = deque(
        ascent.Start(number, place, seed, None if near is None else _laws(near))
        for number, place, seed, near in said["ready"]
    )
    history: list[tuple[int, float]] = list(said["history"])
    best, refuting = (said[name] and _climb(said[name]) for name in ("best", "refuting"))
    return ascent.Memory(few, ready, best, history, refuting, said["tried"])


def _climb(plain: Any) -> Climb:
    size, gain, bit, laws = plain
    return Climb(size, gain, _laws(laws), bit)


def _plain(found: Climb | None) -> tuple[object, ...] | None:
    return found and (found.size, found.gain, found.bit, _stack(found.laws))


def _stack(laws: list[Doubles] | None) -> tuple[object, ...] | None:
    """Laws in the form that a checkpoint saves: the distinct laws, and for each mechanism the index
    of its law among them."""
    if laws is None:
        return None
    once = list({id(each): each for each in laws}.values())
    whose = tuple(next(i for i, own in enumerate(once) if own is each) for each in laws)
    return tuple(once), whose


def _laws(stack: Any) -> list[Doubles]:
    once, whose = stack
    return [once[place] for place in whose]


Bound: TypeAlias = Union[int, float, Fraction, Callable[[ExactEpsilon], Any], PrivacyCurve]
"""The type of a bound: a number, a function of ε, or a privacy curve."""


def _is_pattern(_: object, __: object, value: Any) -> None:
    if not isinstance(value, Pattern):
        raise InvalidArgument(
            "a conjecture is about a pattern: SparsePattern(epsilon=…, delta=…, creations=…, "
            "sparse=…), SparseRenyi, GamePattern, FilterPattern or MistakesPattern, not "
            f"{of_kind(value)}"
        )


@attrs.frozen
class Conjecture:
    """A conjecture: for every composition of a pattern, the δ (or the figure that the pattern
    names) at ``epsilon`` is at most ``bound``.

    The search is over mechanisms that answer up to ``rounds`` queries, with up to ``answers``
    different answers.
    """

    pattern: Pattern = attrs.field(validator=_is_pattern)
    bound: Bound
    epsilon: ExactEpsilon = attrs.field(default=Fraction(0), converter=exact.epsilon)
    rounds: int = attrs.field(default=2, kw_only=True)
    answers: int = attrs.field(default=3, kw_only=True)

    def __attrs_post_init__(self) -> None:
        exact.whole(self.rounds, "rounds")
        if exact.whole(self.answers, "answers") < 2:
            raise InvalidArgument("with fewer than 2 answers nothing is revealed")

    @property
    def figure(self) -> Fraction:
        """The bound at ``epsilon``, exactly; a bound computed in doubles is raised by its rounding
        error.

        Raises: InvalidArgument for an invalid bound, or one that a single mechanism already
        exceeds.
        """
        figure = _figure(_said(self.bound, self.epsilon))
        least = self.pattern.least(self.epsilon)
        if least is not None and figure < least[0]:
            raise InvalidArgument(
                f"the bound {figure} at ε = {epsilon_text(self.epsilon)} is below {least[0]}, "
                f"which {least[1]}: there is nothing to search for; give at least that much"
            )
        return figure

    def search(
        self,
        *,
        seconds: float | None = 60.0,
        starts: int | None = None,
        seed: int | None = None,
        watch: Callable[[ascent.HowFar], object] | None = None,
        to_the_end: bool = False,
        executor: Workers = None,
        checkpoint: Union[str, Path, None] = None,
    ) -> Conjectured:
        """Search for a refutation, until one is found, the time is up, or everything was searched.

        ``starts``: the largest number of local searches; with ``starts`` and a seed, and without
        ``seconds``, the result is reproducible with any number of workers. ``to_the_end``: after a
        refutation, go on to find the largest. Ctrl-C ends the search, and keeps the best. Cost:
        docs/conjectures.md.

        ``executor``: the workers, as for ``game.audit``: None (this process, and others where that
        pays), "serial", a number of processes, or a given pool or cluster. ``checkpoint``: a file
        from which the search resumes if it exists, and which is kept up to date; a checkpoint needs
        a seed, and holds a digest of it. ``starts`` counts all runs of a resumed search,
        ``seconds`` this run only.

        Raises: InvalidArgument; Intractable if every table of views is too large; MissingExtra
        without scipy; CheckpointError for a file that is damaged, in use, or of another
        conjecture; ExecutorError, with the result so far as its ``outcome``.
        """
        if watch is not None and not callable(watch):
            raise InvalidArgument("watch is a function, which is told HowFar after each climb")
        limits = ascent.Limits(seconds, starts, self.pattern.most)
        aim = ascent.Aim(self.pattern, self.epsilon, self.figure, to_the_end)
        sizes = self.pattern.sizes(self.rounds, self.answers)
        name = system_words(2).tobytes().hex()
        task = ascent.Climbs(name, self.pattern, self.epsilon, aim.figure, sizes)
        # This call raises MissingExtra early, if an optional package is missing.
        ascent.climber(task, 0)
        seeds = Chunks(total=ascent.ENDLESS, size=1, seed=seed)
        file = None if checkpoint is None else kept_in(checkpoint)
        arrived: SimpleQueue[Arrival | None] = SimpleQueue()
        with (
            resumed(task, Chunks(total=limits.starts, size=1, seed=seed), file) as (saver, saved),
            Interrupt(partial(arrived.put, None)) as interrupt,
        ):
            kept: Any = saved.result
            memory: ascent.Memory = (
                ascent.Memory([ascent.Few() for _ in sizes]) if kept is None else kept
            )
            under_way = ascent.Ascent(
                done=saved.chunks, aim=aim, chunks=seeds, limits=limits, memory=memory, saver=saver,
                sizes=sizes, watch=watch,
            )  # fmt: skip
            try:
                under_way.settle()
                work(task, under_way, executor, interrupt, arrived)
            except KeyboardInterrupt:
                interrupt.asked = True
            except ExecutorError as error:
                error.outcome = under_way.outcome(interrupted=True)
                raise
            finally:
                under_way.save()
                ascent.climber.cache_clear()
            return under_way.outcome(interrupted=interrupt.asked)


class Searching(TypedDict, total=False):
    """The options of a search: see ``Conjecture.search``."""

    seconds: float | None
    starts: int | None
    seed: int | None
    watch: Callable[[ascent.HowFar], object] | None
    to_the_end: bool
    executor: Workers
    checkpoint: Union[str, Path, None]


@handed_on(Conjecture.search)
def conjecture(
    pattern: Pattern,
    bound: Bound,
    epsilon: exact.Epsilon = 0,
    *,
    rounds: int = 2,
    answers: int = 3,
    **search: Unpack[Searching],
) -> Conjectured:
    """Search for mechanisms whose composition has a δ (or another figure of the pattern) above
    ``bound`` at ``epsilon``.

    The outcome is "refuted" (exactly) or "not refuted", never proved. The arguments are those of
    ``Conjecture`` and of its ``search``.

    >>> from fractions import Fraction
    >>> from antiphon.conjectures import SparsePattern
    >>> pattern = SparsePattern(epsilon=0, delta=Fraction(1, 10), creations=2, sparse=1)
    >>> found = conjecture(pattern, Fraction(1, 10), seed=1)     # one of two, and yet
    >>> found.refuted, found.loss > Fraction(1, 10)
    (True, True)
    """
    asked = Conjecture(pattern, bound, exact.epsilon(epsilon), rounds=rounds, answers=answers)
    return asked.search(**search)


_WRITTEN: Final = 12
"""The largest number of characters in a float that a person writes; a longer float counts as
computed, with rounding errors."""
_ROUNDING: Final = Fraction(1, 2**40)
"""The relative rounding error allowed for a computed float; a refutation must exceed it."""


def _figure(said: Any) -> Fraction:
    """The bound as an exact fraction. A float with more digits than a person writes counts as
    computed, and is raised by the rounding error that it may have."""
    figure = exact.fraction(said, "the bound")
    computed = isinstance(said, float) and len(repr(float(said))) > _WRITTEN
    return figure + abs(figure) * _ROUNDING if computed else figure


def _said(bound: Bound, epsilon: ExactEpsilon) -> Any:
    if isinstance(bound, PrivacyCurve):
        return bound.delta_at(epsilon)
    if not callable(bound):
        return bound
    try:
        return bound(epsilon)
    except Exception as error:
        raise InvalidArgument(
            f"the bound raised {type(error).__name__} at ε = {epsilon_text(epsilon)} ({error}): "
            "give a number, a function of ε that returns one, or a PrivacyCurve"
        ) from error
