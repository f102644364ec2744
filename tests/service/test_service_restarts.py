"""A service that stops and goes on: what it remembers, and from where."""

import asyncio
import json
from fractions import Fraction

import pytest
from logs import add

from antiphon.cli import main
from antiphon.service.listening import events
from antiphon.service.memory import StreamMemory


def public(memory):
    return memory.number, memory.events, memory.counters, memory.replies, memory.made


def test_all_is_remembered(talking, tmp_path):
    async def whole():
        async with talking() as talk:
            await talk.create(key="c")
            await talk.fly(70, key="f")
            asked = await talk.ask(key="a")
            before = public(talk.service.run.memory)
        async with talking() as talk:
            assert talk.service.run.session.generation == 1
            assert public(talk.service.run.memory) == before
            assert (await talk.ask(key="a")).text == asked.text
            assert (await talk.fly(70, key="f")).status_code == 200
            assert (await talk.fly(71, key="f")).status_code == 409
            assert (await talk.create(key="c")).json() == {"counter": 0}
            await talk.fly(5)
            count = (await talk.ask()).json()
            assert count["events"] == 75
            assert talk.service.run.memory.number == before[0] + 2
            return public(talk.service.run.memory)

    after = asyncio.run(whole())
    (tmp_path / "board" / "memory.json").unlink()  # all of it follows from the log
    board = StreamMemory.read(tmp_path / "board", _board(tmp_path))
    assert public(board) == after


def _board(tmp_path):
    from antiphon.sessions.durable.reading import opening

    path = tmp_path / "board" / "session.jsonl"
    with path.open("rb") as file:
        return opening(file, path).rebuild_system().links[0]


def test_a_log_that_is_begun_anew(talking, monkeypatch):
    monkeypatch.setattr("antiphon.service.writer._SAVE", 1000)
    monkeypatch.setattr("antiphon.service.writer._COMPACT", 5000)

    async def whole():
        async with talking() as talk:
            await talk.create()
            for number in range(60):
                await talk.fly(3, key=f"f-{number}")
            size = talk.service.run.session.path.stat().st_size
            before = public(talk.service.run.memory)
        async with talking() as talk:
            assert size < 9000
            assert public(talk.service.run.memory) == before
            assert talk.service.run.memory.lost == 0
            assert (await talk.fly(3, key="f-0")).json() == {"events": 3}
            return talk.service.run.memory.events

    assert asyncio.run(whole()) == 180


def test_compacting_by_hand_forgets_nothing_after_a_clean_stop(talking, tmp_path, capsys):
    async def one():
        async with talking() as talk:
            await talk.create()
            await talk.fly(9, key="f")
            return public(talk.service.run.memory)

    before = asyncio.run(one())
    path = str(tmp_path / "board" / "session.jsonl")
    assert main(["session", "compact", path]) == 0

    async def other():
        async with talking() as talk:
            return public(talk.service.run.memory), talk.service.run.memory.lost

    assert asyncio.run(other()) == (before, 0)


def test_compacting_by_hand_after_a_crash_is_told(talking, tmp_path):
    async def one():
        async with talking() as talk:
            await talk.create()
            await talk.fly(9, key="f")

    asyncio.run(one())
    (tmp_path / "board" / "memory.json").unlink()  # as if it had been killed before it was kept
    assert main(["session", "compact", str(tmp_path / "board" / "session.jsonl")]) == 0

    async def other():
        async with talking() as talk:
            memory = talk.service.run.memory
            assert "of 2 messages replies and counts are forgotten" in talk.service.run.state()
            assert (memory.lost, memory.events, len(memory.counters)) == (2, 9, 1)
            assert talk.service.run.spending.budget.spent[0] == Fraction(1, 2)
            return (await talk.ask()).status_code

    assert asyncio.run(other()) == 200


def test_what_was_in_flight_is_told(talking, tmp_path):
    async def one():
        async with talking() as talk:
            await talk.create()

    asyncio.run(one())
    said = '{"says":{"tuple":["feed","f-1",{"tuple":[{"tuple":["UA","JFK",20]}]}]}}\n'
    path = tmp_path / "board" / "session.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    shape = json.loads(next(line for line in lines if line.startswith('{"says"')))
    said = {"says": _like(shape["says"], ["feed", "f-1", [["UA", "JFK", 20]]])}
    add(path, json.dumps(said))
    with path.open("a") as file:
        file.write('{"answ')

    async def other():
        async with talking() as talk:
            said = talk.service.run.state()
            assert "in flight when it stopped, and answered now: a message of feed, key f-1" in said
            assert "torn" in said
            assert (await talk.fly(key="f-1")).json() == {"events": 1}  # it has happened: once
            return talk.service.run.memory.events

    assert asyncio.run(other()) == 1


def _like(shape, value):
    """As the log writes tuples."""
    if type(value) is not list:
        return value
    tag = next(iter(shape)) if type(shape) is dict else None
    inner = [_like(shape, each) for each in value]
    return {tag: inner} if tag else inner


def test_old_keys_are_forgotten(talked, monkeypatch):
    monkeypatch.setattr("antiphon.service.memory.KEPT", 5)

    async def conversation(talk):
        await talk.create(key="c")
        await talk.ask(key="a")
        for number in range(9):
            await talk.fly(key=f"f-{number}")
        assert (await talk.create(key="c")).json() == {"counter": 0}  # never forgotten
        return {who: [*keys] for who, keys in talk.service.run.memory.replies.items()}

    assert talked(conversation) == {"ada": ["a"], "feed": [f"f-{n}" for n in range(4, 9)]}


@pytest.mark.slow
def test_a_series_is_thinned(talked, monkeypatch):
    monkeypatch.setattr("antiphon.service.memory.POINTS", 8)

    async def conversation(talk):
        await talk.create()
        for _ in range(40):
            await talk.fly()
            await talk.ask()
        (counter,) = talk.service.run.memory.counters
        return [point.events for point in counter.series]

    series = talked(conversation)
    assert len(series) <= 8
    assert (series[0], series[-1]) == (1, 40)
    assert series == sorted(series)


def test_counters_are_asked_from_time_to_time(talked):
    async def conversation(talk):
        await talk.create()
        await talk.fly(30)
        for _ in range(200):
            await asyncio.sleep(0.02)
            last = talk.service.run.memory.counters[0].last
            if last is not None and last.events == 30:
                return True
        return False

    assert talked(conversation, pace=0.02)


def test_events_tell_what_is_new(talked):
    async def conversation(talk):
        heard = events(talk.service)
        assert await anext(heard) == "retry: 2000\n\n"
        assert (await anext(heard)).startswith("event: changed")
        waiting = asyncio.ensure_future(anext(heard))
        await asyncio.sleep(0.01)
        await talk.create()
        said = await waiting
        await talk.fly()  # while the stream rests: it is told of all the same
        assert (await anext(heard)).startswith("event: changed")
        talk.service.end()
        rest = [each async for each in heard]
        assert len(rest) <= 1
        return said

    assert talked(conversation).startswith("event: changed\ndata: ")


def test_what_is_told_of_is_there_to_be_fetched(talked):
    """The board is drawn a few times a second only, and nobody is left with the one before."""

    async def conversation(talk):
        service, heard, found = talk.service, events(talk.service), []
        for number in range(3):
            assert f'id="c{number}"' not in service.drawn.board
            await talk.create()
            while f"data: {service.version}\n" not in await anext(heard):
                pass
            found.append(f'id="c{number}"' in service.drawn.board)
        return found

    assert talked(conversation) == [True] * 3


def test_a_memory_that_cannot_be_kept_is_in_the_log(talking, folder, monkeypatch, capfd):
    monkeypatch.setattr("antiphon.service.writer._SAVE", 200)

    def full(*_):
        raise OSError("no space left")

    async def whole():
        with monkeypatch.context() as patch:
            patch.setattr(StreamMemory, "save", full)
            async with talking() as talk:
                await talk.create()
                assert [(await talk.fly()).status_code for _ in range(9)] == [200] * 9
                before = public(talk.service.run.memory)
        assert "not kept: OSError" in capfd.readouterr().err
        assert not (folder / "memory.json").exists()
        async with talking() as talk:
            return public(talk.service.run.memory) == before

    assert asyncio.run(whole())


def test_a_writer_that_breaks_leaves_nobody_waiting(talking, monkeypatch):
    def broken(*_):
        raise RuntimeError("a bug")

    found = []

    async def whole():
        async with talking() as talk:
            monkeypatch.setattr(StreamMemory, "take", broken)
            sent = [asyncio.create_task(talk.fly()) for _ in range(5)]
            done, _ = await asyncio.wait(sent, timeout=5)
            found.extend(each.result().status_code for each in done)
            found.append((await talk.fly()).status_code)

    with pytest.raises(RuntimeError, match="a bug"):
        asyncio.run(whole())
    assert found == [503] * 6
