# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false
"""A running live stream: its durable session, the writer of requests, and texts for its pages."""

from __future__ import annotations

import asyncio
import csv
import io
import secrets
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import attrs

import antiphon as ap
from antiphon.composition.guarantees.statement import stated
from antiphon.service import pages
from antiphon.service.asked import Wrong
from antiphon.service.definition import StreamFile
from antiphon.service.drawing import drawing
from antiphon.service.event_counters import MOST, Event, Said, Watch
from antiphon.service.memory import LOG, Json, LiveCounter, Released, Reply, StreamMemory
from antiphon.service.spending import Spending
from antiphon.service.writer import Writer
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.durable.journal import Sync
from antiphon.sessions.durable.resuming import Witness

PATH = "/api/events"


class StreamRun:
    """A live stream in its folder: the counters of analysts, and their released counts."""

    path = PATH

    def __init__(self, file: StreamFile, session: DurableSession, pace: float) -> None:
        self.file, self.session, self.title = file, session, file.title
        self.memory = StreamMemory.read(file.folder, file.machine)
        self.spending = Spending.of(session)
        """The state of the budget after the last creation of a counter."""
        self._made, self._pace, self._asked = len(self.memory.counters), pace, -1
        promise = ap.guarantee(session.mechanism)
        self.derivation = str(promise)
        self.statement = stated(promise.derivation, public=self._public())
        self.risk = promise.risk()

    @asynccontextmanager
    async def started(self, changed: Callable[[], None]) -> AsyncGenerator[None]:
        """Context manager: until it ends, requests are logged, and counters asked regularly."""

        def told() -> None:
            if len(self.memory.counters) > self._made:
                self._made, self.spending = len(self.memory.counters), Spending.of(self.session)
            changed()

        self.writer = Writer(self.session, self.memory, told)
        writing, asking = asyncio.create_task(self.writer.run()), asyncio.create_task(self._ask())
        try:
            yield
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            await self.writer.close(writing)

    async def _ask(self) -> None:
        """Ask all counters for their counts every ``pace`` seconds, if there are new events."""
        while True:
            await asyncio.sleep(self._pace)
            if self.memory.events != self._asked:
                self._asked = self.memory.events
                await asyncio.gather(*(self.say("", "", number) for number, _ in self._live()))

    def _live(self) -> Iterator[tuple[int, LiveCounter]]:
        return ((number, each) for number, each in enumerate(self.memory.counters) if each)

    async def feed(self, who: str, key: str, data: object) -> Reply:
        """The reply to a JSON body with events. Raises: Wrong."""
        return await self.say(who, key, self.batch(data))

    async def say(self, who: str, key: str, said: Said) -> Reply:
        """Send a message to the mechanism by the writer, and return the reply to its request."""
        return await self.writer.say(who, key, said)

    # --- messages from requests ---------------------------------------------------------------

    def batch(self, data: object) -> tuple[Event, ...]:
        """The batch of events in a body {"events": [{field: value, …}, …]}. Raises: Wrong."""
        given: Any = data.get("events") if type(data) is dict and len(data) == 1 else None
        if type(given) is not list or not 0 < len(given) <= MOST:
            raise Wrong(422, "not events", f'the body is {{"events": […]}}, of 1 to {MOST} events')
        machine, names = self.file.machine, [*self.file.words]
        events = tuple(
            tuple(each[name] for name in names)
            if type(each) is dict and each.keys() == {*names}
            else None
            for each in given
        )
        for place, event in enumerate(events):
            if not machine.event.contains(event):
                text = f"event {place}: an object of {', '.join(names)}, each as the file has it"
                raise Wrong(422, "not an event", text)
        return cast("tuple[Event, ...]", events)

    def watch(self, data: object) -> Watch:
        """The watch (description of a counter) in a JSON body. Raises: Wrong."""
        machine, names = self.file.machine, [*self.file.words]
        charges = {str(each): each for each in machine.charges}
        found: Any = None
        if type(data) is dict and data.keys() <= {*names, "epsilon"}:
            text = data.get("epsilon")
            charge = charges.get(text) if type(text) is str else None
            found = (*(data.get(name, "") for name in names), charge)
        if not machine.watch.contains(found):
            raise Wrong(
                422, "not a counter", f'{", ".join(names)}, "" for any, as /derivation lists them; '
                f"epsilon, one of {', '.join(map(repr, charges))}",
            )  # fmt: skip
        watch: Watch = found
        return watch

    def form(self, fields: dict[str, str]) -> Watch:
        """The watch (description of a counter) in a form, whose fields are texts. Raises: Wrong."""
        said: Json = dict(fields)
        for field in self.file.machine.fields:
            numbers = {str(each): each for each in field.least}
            said[field.name] = numbers.get(fields.get(field.name, ""), fields.get(field.name, ""))
        return self.watch(said)

    # --- released counts for pages and programs -----------------------------------------------

    def counted(self, number: int, body: Json) -> str:
        """The sentence that answers a form that asked for a count."""
        point = Released(body["events"], body["count"], body["within"])
        counter = self.memory.counters[number]
        assert counter is not None
        return f"Counter {number}: {point.count:,}{self._beside(counter, point)}."

    def _beside(self, counter: LiveCounter, point: Released) -> str:
        """A note after a count: a bound on its error, and whether it is an impossible count."""
        most = self.memory.seen(counter, point.events)
        text = f" of {most:,} {self.file.noun}, give or take {point.within:,} (95%)"
        if 0 <= point.count <= most:
            return text
        return f"{text}; the noise took it there, as no true count is below 0 or above {most:,}"

    def board(self) -> str:
        noun, spending = self.file.noun, self.spending
        note = (
            f"{self.memory.events:,} {noun} have come. What is spent stays spent, and how many "
            f"{noun} came is no secret."
        )
        shown = [self._card(number, each) for number, each in [*self._live()][::-1]]
        cards = "".join(shown) or '<p class="card">There is no counter yet.</p>'
        return pages.budget_card(spending.percent, spending.words, note) + cards

    def _card(self, number: int, counter: LiveCounter) -> str:
        noun, last = self.file.noun, counter.last
        name, said, picture = pages.escape(self.file.name(counter.watch)), "", ""
        if last is not None:
            rest = pages.escape(self._beside(counter, last))
            said = f"<strong>{last.count:,}</strong>{rest}"
            points = [(each.events, each.count, each.within) for each in counter.series]
            ends = f"{points[0][0]:,} {noun}", f"{max(points[-1][0], points[0][0] + 1):,} {noun}"
            ends = pages.escape(ends[0]), pages.escape(ends[1])
            picture = drawing(points, f"{name}: {last.count:,}{rest}", ends, signed=False)
        soft = (
            f"Counter {number}, from number {counter.born:,} of the {noun} on, with ε = "
            f"{counter.watch[-1]}; of the budget it takes {self.spending.share(number)}."
        )
        return pages.series_card(number, name, said, picture, soft)

    def forms(self) -> str:
        words, machine = self.file.words, self.file.machine
        choices = [
            (field.name, words[field.name].label, [
                (str(each), words[field.name].option.replace("{}", str(each)) if each else "any")
                for each in field.choices
            ])
            for field in machine.fields
        ]  # fmt: skip
        charges = [(str(each), str(each)) for each in machine.charges]
        choices.append(("epsilon", "ε, of the budget", charges))
        known = [(str(n), f"{n}: {self.file.name(each.watch)}") for n, each in self._live()]
        keys = secrets.token_urlsafe(12), secrets.token_urlsafe(12)
        ask = pages.ask_form(keys[0], known) if known else ""
        return f"<div>{pages.create_form(keys[1], choices)}{ask}</div>"

    def spent(self) -> str:
        spending = self.spending
        rows = [
            (str(number), f"{self.file.name(each.watch)}, with ε = {each.watch[-1]}",
             spending.share(number))
            for number, each in self._live()
        ]  # fmt: skip
        return pages.spent_section(
            spending.words,
            spending.delta,
            [*spending.figures],
            ("Counter", "Counts", "Takes"),
            rows,
        )

    def budget(self) -> Json:
        return self.spending.data()

    def series(self) -> Json:
        shown = [self._public_of(number, each) for number, each in self._live()]
        return {"events": self.memory.events, "counters": shown}

    def one(self, number: int) -> Json | None:
        counters = self.memory.counters
        found = counters[number] if number < len(counters) else None
        if found is None:
            return None
        series = [*map(attrs.asdict, found.series)]
        return {**self._public_of(number, found), "series": series}

    def _public_of(self, number: int, counter: LiveCounter) -> Json:
        *choices, epsilon = counter.watch
        watch = {**dict(zip(self.file.words, choices, strict=True)), "epsilon": str(epsilon)}
        last = attrs.asdict(counter.last) if counter.last else {"count": None}
        share = self.spending.share(number)
        return {"counter": number, **watch, "charge": share, "from": counter.born, **last}

    def csv(self, how: str, last: int | None) -> str:
        if how != "total" or last is not None:
            raise ap.InvalidArgument("a live stream has totals only")
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(["counter", *self.file.words, "epsilon", "events", "count", "error at 95 %"])
        for number, each in self._live():
            for point in each.series:
                lines.writerow([number, *each.watch, point.events, point.count, point.within])
        return text.getvalue()

    def _public(self) -> tuple[str, ...]:
        noun = self.file.noun
        return (
            f"An update is a batch of {noun}. Protected is one event of one batch, whatever other "
            "event it had been; who takes part in several is not protected as a whole.",
            f"How many {noun} come, in which batches, which counters are created and when one is "
            "asked is public.",
        )

    def state(self) -> str:
        session, memory = self.session, self.memory
        lines = [f"generation {session.generation}: {memory.number:,} messages have been answered"]
        if session.cut:
            lines.append(f"cut from the log: {session.cut}")
        if memory.in_flight is not None:
            who, key = memory.in_flight
            whose = f"of {who}, key {key}" if who else "of the service's own"
            lines.append(f"in flight when it stopped, and answered now: a message {whose}")
        if memory.lost:
            lines.append(f"of {memory.lost:,} messages replies and counts are forgotten")
        if session.over:
            lines.append(f"the session is over: {session.why_halted}")
        return "\n".join(lines)


def open_stream(
    file: StreamFile, *, sync: Sync = "each", pace: float = 1, moved: bool = False,
    witness: Witness | None = None,
) -> StreamRun:  # fmt: skip
    """The live stream, with its session begun or resumed. Raises: the errors of ``ap.resume``."""
    path, system = file.folder / LOG, file.machine.system()
    if path.exists():
        session = ap.resume(path, mechanism=system, sync=sync, moved=moved, witness=witness)
    else:
        session = ap.begin(system, path, sync=sync, witness=witness)
    return StreamRun(file, session, pace)
