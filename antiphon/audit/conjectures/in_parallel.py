"""A search by several processes: each from a seed of its own, until one refutes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs

from antiphon.audit.conjectures.conjectured import Conjectured
from antiphon.audit.conjectures.conjecturing import Conjecture, HowFar
from antiphon.audit.running.by_path import Files
from antiphon.audit.running.sending import packed, unpacked
from antiphon.numbers import exact
from antiphon.numbers.errors import ExecutorError
from antiphon.protocol.coins.sampled import generator, system_words


class Order(NamedTuple):
    """What each process is to do."""

    seconds: float | None
    starts: int | None
    seed: int
    to_the_end: bool


def search_together(
    asked: Conjecture,
    workers: int,
    *,
    seconds: float | None = 60.0,
    starts: int | None = None,
    seed: int | None = None,
    watch: Callable[[HowFar], object] | None = None,
    to_the_end: bool = False,
) -> Conjectured:
    """``Conjecture.search`` in so many processes; ``starts`` are those of all of them together.

    Which of them ends first is not the seed's to say: what is found may differ between runs.
    Raises: as ``search``; ExecutorError if the pattern or the bound cannot be sent, or one dies.
    """
    figure = asked.figure  # its errors are raised here
    words = generator(system_words(4).tolist() if seed is None else seed)
    each = None if starts is None else -(-starts // exact.whole(workers, "workers"))
    try:
        parcel = packed(attrs.evolve(asked, bound=figure))
    except Exception as error:
        raise ExecutorError(f"the pattern cannot be sent to other processes: {error}") from error
    context: Any = multiprocessing.get_context("spawn")
    queue, enough = context.Queue(), context.Event()
    orders = [
        Order(seconds, each, int(word), to_the_end)
        for word in words.integers(2**62, size=exact.whole(workers, "workers"))
    ]
    crew = [
        context.Process(target=_work, args=(queue, enough, number, parcel, order), daemon=True)
        for number, order in enumerate(orders)
    ]
    for process in crew:
        process.start()
    return _gathered(queue, enough, crew, watch)


def _gathered(
    queue: Any, enough: Any, crew: list[Any], watch: Callable[[HowFar], object] | None
) -> Conjectured:
    """Listen until each has said what it found."""
    found: list[Conjectured] = []
    standings: dict[int, HowFar] = {}
    interrupted = False
    while len(found) < len(crew):
        try:
            number, said = _heard(queue, crew)
        except KeyboardInterrupt:
            interrupted = True
            enough.set()
            continue
        if isinstance(said, BaseException):
            enough.set()
            raise said
        if isinstance(said, HowFar):
            standings[number] = said
            if watch is not None:
                watch(_all(standings))
            continue
        found.append(unpacked(*said))
        if found[-1].refuted:
            enough.set()
    for process in crew:
        process.join()
    best = max(found, key=lambda each: each.loss)
    return attrs.evolve(best, starts=sum(each.starts for each in found), interrupted=interrupted)


def _heard(queue: Any, crew: list[Any]) -> tuple[int, Any]:
    """The next that one of them says. Raises: ExecutorError if one died without a word."""
    from queue import Empty

    while True:
        try:
            heard: tuple[int, Any] = queue.get(timeout=1)
            return heard
        except Empty:
            if any(process.exitcode not in (None, 0) for process in crew):
                raise ExecutorError("a process of the search died") from None


def _all(standings: dict[int, HowFar]) -> HowFar:
    each = standings.values()
    last = max(each, key=lambda one: one.seconds)
    return last._replace(starts=sum(one.starts for one in each), best=max(one.best for one in each))


def _work(queue: Any, enough: Any, number: int, parcel: tuple[Files, bytes], order: Order) -> None:
    """In another process: search, and say how far it is and what was found."""

    def watch(standing: HowFar) -> None:
        queue.put((number, standing))
        if enough.is_set():
            raise KeyboardInterrupt

    try:
        asked: Conjecture = unpacked(*parcel)
        found = asked.search(
            seconds=order.seconds, starts=order.starts, seed=order.seed, watch=watch,
            to_the_end=order.to_the_end,
        )  # fmt: skip
        queue.put((number, packed(found)))
    except Exception as error:
        queue.put((number, error))
