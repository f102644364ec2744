"""The page about what is kept: its statements have tests, and here are those that had none."""

import json
import os
import re
import time
from pathlib import Path

import pytest
from flying import file
from test_service_killed import connected, post

from antiphon.composition import BasicFilter
from antiphon.numbers.errors import FileError
from antiphon.service.service import opened
from antiphon.service.tokens import issue

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "service_kept.md").read_text()
TESTS = {
    name
    for file in HERE.glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)
}


def test_each_statement_names_a_test():
    named = re.findall(r"`(test_\w+)`", PAGE)
    assert len(named) > 20
    assert [name for name in named if name not in TESTS] == []
    items = re.findall(r"^- .*?(?=^- |^$|\Z)", PAGE, re.M | re.S)
    assert len(items) > 12
    assert [item for item in items if "`test_" not in item] == []


def test_files_are_their_owners(tmp_path):
    before = os.umask(0)
    try:
        folder = tmp_path / "board"
        service = opened(file(folder, BasicFilter(epsilon=1)), sync="os")
        issue(folder / "tokens", "analyst", "ada")
        service.run.memory.save(folder)
        service.run.session.close()
    finally:
        os.umask(before)
    modes = {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}
    assert modes == dict.fromkeys(re.findall(r"^\| `(\S+)` \|", PAGE, re.M), 0o600)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_write_into(folder):
    for mode in (0o720, 0o702):
        folder.chmod(mode)
        with pytest.raises(FileError, match="others may write"):
            opened(file(folder, BasicFilter(epsilon=1)), sync="os")
    assert [*folder.iterdir()] == []


def test_where_flights_are(talked, folder):
    """As whole words: three digits, or two letters, may be part of a random id."""
    flown = re.compile(r"(?<![\w-])(HA|777)(?![\w-])")

    async def conversation(talk):
        await talk.create()
        await talk.fly(3, airline="HA", delay=777)

    talked(conversation)
    found = {each.name for each in folder.iterdir() if flown.search(each.read_text())}
    assert found == {"session.jsonl"}


def test_a_cookie_is_kept_as_it_should_be(talked, monkeypatch):
    clock = [time.monotonic()]
    monkeypatch.setattr("antiphon.service.service.time.monotonic", lambda: clock[0])

    async def conversation(talk):
        fields = {"token": talk.tokens["analyst"]}
        kept = {}
        for scheme in ("http", "https"):
            answer = await talk.client.post(f"{scheme}://localhost/enter", data=fields)
            kept[scheme] = answer.headers["set-cookie"]
        assert ["Secure" in each for each in kept.values()] == [False, True]
        cookie = kept["https"].partition("=")[2].partition(";")[0]
        assert len(cookie) == 43
        signed_in = []
        for hours in (11.9, 0.2):
            clock[0] += 3600 * hours
            signed_in.append(talk.service.signed_in(cookie) is not None)
        return signed_in

    assert talked(conversation) == [True, False]


@pytest.mark.slow
def test_what_a_process_prints(started, folder, tokens):
    with started() as (port, process, said):
        with connected(port) as connection:
            asked = "analyst", "/api/counters", {"airline": "HA", "epsilon": "1"}, "key-of-ada"
            assert post(connection, tokens, asked)[0] == 201
            flight = {"airline": "HA", "origin": "JFK", "delay": 777}
            for body, status in (({"events": [flight]}, 200), ({"events": [1]}, 422)):
                sent = "ingestion", "/api/events", body, f"key-{status}"
                assert post(connection, tokens, sent)[0] == status
            wrong = {"analyst": "wrong-token"}
            assert post(connection, wrong, ("analyst", "/api/counters", {}, "k"))[0] == 401
            connection.request("GET", f"/nothing?token={tokens['analyst']}")
            connection.getresponse().read()
        process.terminate()
        said += process.stdout.read()
    assert said.splitlines() == [
        "generation 0: 0 messages have been answered", f"http://127.0.0.1:{port}"
    ]  # fmt: skip
    assert json.loads((folder / "memory.json").read_text())["events"] == 1
