"""The service with one fault each: twins.py FAULT service FILE.toml --folder FOLDER …

What the tests of ``test_service_killed`` have to notice, or they would notice nothing.
"""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from antiphon.cli import main
from antiphon.protocol import SampledCoins
from antiphon.service.event_counters import creates
from antiphon.service.memory import Reply, StreamMemory
from antiphon.service.writer import Writer
from antiphon.sessions.durable import durable_session

MOMENT = 0.05
ASKED = Writer.say


def acknowledges():
    """Flights, a moment before they are written."""

    async def later(writer, who, key, said):
        await asyncio.sleep(MOMENT)
        return await ASKED(writer, who, key, said)

    async def say(writer, who, key, said):
        if type(said) is int or creates(said):
            return await ASKED(writer, who, key, said)
        kept.append(asyncio.create_task(later(writer, who, key, said)))
        return Reply(200, {"events": len(said)})

    kept = []
    Writer.say = say


def does_twice():
    """What comes again by the same key; it answers late, so that it does come again."""

    async def say(writer, who, key, said):
        reply = await ASKED(writer, who, key, said)
        await asyncio.sleep(MOMENT)
        return reply

    first = StreamMemory.known

    def known(memory, who, key):
        return first(memory, who, key) if key == "first" else None

    StreamMemory.known, Writer.say = known, say


def goes_back():
    """To what it was at its last start: a backup that is written over what came after it."""
    folder = Path(sys.argv[sys.argv.index("--folder") + 1])
    copies = [(each, folder / f"{each.name}.bak") for each in folder.glob("session.jsonl*")]
    copies = [pair for pair in copies if pair[0].suffix != ".bak"]
    before = [(each, each.read_bytes()) for each, _ in copies]
    for each, copy in copies:
        if copy.exists():
            each.write_bytes(copy.read_bytes())
    for each, content in before:
        (folder / f"{each.name}.bak").write_bytes(content)


def tosses_again():
    """The same noise in each process."""
    durable_session.SampledCoins = lambda: SampledCoins(seed=7)


def other_noise():
    """Writes other coins than it tossed."""
    taken = durable_session.RecordedCoins.take

    def take(tape):
        return tuple(each._replace(value=each.value + 1) for each in taken(tape))

    durable_session.RecordedCoins.take = take


FAULTS = acknowledges, does_twice, goes_back, tosses_again, other_noise

if __name__ == "__main__":
    fault = sys.argv.pop(1)
    next(each for each in FAULTS if each.__name__ == fault)()
    sys.exit(main())
