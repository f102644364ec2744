"""Every refusal of the service: its status, its words, and that it changed nothing."""

import asyncio
import json
import logging

import pytest

from antiphon.numbers.errors import InvalidArgument
from antiphon.service.gate import BODY
from antiphon.service.tokens import issue
from antiphon.sessions.durable.durable_session import DurableSession


def refused(answer, status, error):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    said = answer.json()
    assert said.keys() == {"error", "message"}
    assert (said["error"], bool(said["message"])) == (error, True)
    return True


JSON = {"Content-Type": "application/json"}
POSTS = ["/api/events", "/api/counters", "/api/counters/0/ask"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic wrong",
        "Bearer " + "x" * 9999,
        "Bearer é",
    ],
    ids=["none", "empty", "bare", "blank", "wrong", "basic", "long", "not ASCII"],
)
def test_wrong_tokens(talked, path, authorization):
    async def conversation(talk):
        headers = {"Idempotency-Key": "a"}
        if authorization is not None:
            headers["Authorization"] = authorization.encode()
        answer = await talk.client.post(path, json={}, headers=headers)
        assert answer.headers["www-authenticate"] == "Bearer"
        return refused(answer, 401, "no token") and talk.service.run.memory.number == 0

    assert talked(conversation)


def test_roles_are_kept_apart(talked):
    async def conversation(talk):
        for path, role in zip(POSTS, ("analyst", "ingestion", "ingestion"), strict=True):
            answer = await talk.client.post(path, json={}, headers=talk.headers(role))
            refused(answer, 403, "another role")
        return talk.service.run.memory.number

    assert talked(conversation) == 0


def test_a_token_in_a_url_is_none(talked):
    async def conversation(talk):
        url = f"/api/counters?token={talk.tokens['analyst']}"
        answer = await talk.client.post(url, json={}, headers={"Idempotency-Key": "a"})
        return refused(answer, 401, "no token")

    assert talked(conversation)


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 65, "a/b", "a\n"])
def test_a_key_is_needed(talked, key):
    async def conversation(talk):
        headers = {**talk.headers("analyst"), "Idempotency-Key": key.encode()}
        return refused(await talk.client.post(POSTS[1], json={}, headers=headers), 400, "no key")

    assert talked(conversation)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"[" * 9999, b"1" * 9999, b'{"events": [}'],
    ids=["empty", "open", "bytes", "deep", "digits", "torn"],
)
@pytest.mark.parametrize(("path", "role"), [(POSTS[0], "ingestion"), (POSTS[1], "analyst")])
def test_bad_json(talked, path, role, body):
    async def conversation(talk):
        headers = {**talk.headers(role), **JSON}
        return refused(await talk.client.post(path, content=body, headers=headers), 400, "bad JSON")

    assert talked(conversation)


GOOD = {"airline": "UA", "origin": "JFK", "delay": 20}


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (None, "not events"), ([], "not events"), ({}, "not events"), (1, "not events"),
        ({"events": []}, "not events"), ({"events": [GOOD] * 101}, "not events"),
        ({"events": {"0": GOOD}}, "not events"), ({"events": [GOOD], "x": 1}, "not events"),
        ({"events": [None]}, "not an event"), ({"events": [[]]}, "not an event"),
        ({"events": [GOOD, {**GOOD, "airline": "ZZ"}]}, "not an event"),
        ({"events": [{**GOOD, "origin": None}]}, "not an event"),
        ({"events": [{**GOOD, "origin": ["JFK"]}]}, "not an event"),
        ({"events": [{**GOOD, "delay": True}]}, "not an event"),
        ({"events": [{**GOOD, "delay": 1.0}]}, "not an event"),
        ({"events": [{**GOOD, "delay": 10**30}]}, "not an event"),
        ({"events": [{**GOOD, "more": 1}]}, "not an event"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_batch(talked, said, error):
    async def conversation(talk):
        headers = {**talk.headers("ingestion"), **JSON}
        answer = await talk.client.post(POSTS[0], content=json.dumps(said), headers=headers)
        return refused(answer, 422, error) and talk.service.run.memory.number

    assert talked(conversation) == 0


@pytest.mark.parametrize(
    "said",
    [
        None, [], "x", {}, {"epsilon": 1}, {"epsilon": "1/3"}, {"epsilon": "1/0"},
        {"epsilon": "9" * 5000}, {"epsilon": "1e9999999"}, {"epsilon": "nan"}, {"epsilon": "-1"},
        {"epsilon": "1", "airline": None}, {"epsilon": "1", "airline": "<b>"},
        {"epsilon": "1", "delay": "15"}, {"epsilon": "1", "delay": 16},
        {"epsilon": "1", "delay": False}, {"epsilon": "1", "origin": {"a": 1}},
        {"epsilon": "1", "horizon": 1}, {"epsilon": "1e99999999"}, {"epsilon": "1e-99999999"},
        {"epsilon": " 1/20 "}, {"epsilon": "١/20"}, {"epsilon": "1_0/200"}, {"epsilon": "5e-2"},
        {"epsilon": "0.5"}, {"epsilon": "2/4"}, {"epsilon": "+1"}, {"epsilon": "01"},
    ],
    ids=lambda said: str(said)[:40],
)  # fmt: skip
def test_what_is_no_counter(talked, said):
    async def conversation(talk):
        headers = {**talk.headers("analyst"), **JSON}
        answer = await talk.client.post(POSTS[1], content=json.dumps(said), headers=headers)
        return refused(answer, 422, "not a counter") and talk.service.run.memory.number

    assert talked(conversation) == 0


@pytest.mark.parametrize("number", ["-1", "x", "1e3", "٣", "9" * 5000, "0x1"])
def test_what_is_no_number(talked, number):
    async def conversation(talk):
        return refused(await talk.ask(number), 422, "not a number")

    assert talked(conversation)


def test_a_body_that_is_too_long_is_not_read(talked):
    async def conversation(talk):
        read = []

        async def parts():
            while True:
                read.append(1)
                assert len(read) < 100
                yield b" " * 1024

        declared = {**talk.headers("ingestion"), **JSON, "Content-Length": str(BODY + 1)}
        answer = await talk.client.post(POSTS[0], content=parts(), headers=declared)
        refused(answer, 413, "too long")
        assert len(read) <= 1  # what the transport has at hand
        answer = await talk.client.post(
            POSTS[0], content=parts(), headers={**talk.headers("ingestion"), **JSON}
        )
        refused(answer, 413, "too long")
        assert len(read) <= BODY // 1024 + 4
        length = {**declared, "Content-Length": "9" * 5000}
        return refused(
            await talk.client.post(POSTS[0], content=b"", headers=length), 413, "too long"
        )

    assert talked(conversation)


def test_a_body_of_another_type(talked):
    async def conversation(talk):
        headers = {**talk.headers("analyst"), "Content-Type": "text/plain"}
        answer = await talk.client.post(POSTS[1], content=b"{}", headers=headers)
        return refused(answer, 415, "another type")

    assert talked(conversation)


def test_floods(talked, clock):
    async def conversation(talk):
        answers = [await talk.ask(7) for _ in range(130)]
        assert [each.status_code for each in answers] == [404] * 100 + [429] * 30
        refused(answers[-1], 429, "too many")
        assert int(answers[-1].headers["retry-after"]) == 1
        assert (await talk.fly()).status_code == 200  # another token has a rate of its own
        wrong = {"Authorization": "Bearer wrong", "Idempotency-Key": "a"}
        guesses = [await talk.client.post(POSTS[1], json={}, headers=wrong) for _ in range(40)]
        assert [each.status_code for each in guesses] == [401] * 20 + [429] * 20
        clock.now += 1
        assert (await talk.ask(7)).status_code == 404
        return (await talk.fly()).status_code

    assert talked(conversation) == 200


def test_a_key_again(talked):
    async def conversation(talk):
        first, again = await talk.create(key="k"), await talk.create(key="k")
        assert (
            (first.status_code, first.json())
            == (again.status_code, again.json())
            == (201, {"counter": 0})
        )
        other = await talk.create({"airline": "AA", "epsilon": "1/2"}, key="k")
        refused(other, 409, "key in use")
        assert (await talk.fly(key="k")).status_code == 200  # another token's keys are its own
        assert (await talk.fly(key="k")).json() == {"events": 1}
        refused(await talk.fly(key="k", airline="AA"), 409, "key in use")
        refused(await talk.ask(0, key="k"), 409, "key in use")
        memory = talk.service.run.memory
        return memory.number, memory.events, len(memory.counters)

    assert talked(conversation) == (2, 1, 1)


def test_a_key_again_at_the_same_time(talked):
    async def conversation(talk):
        answers = await asyncio.gather(*(talk.fly(key="k") for _ in range(20)))
        other = asyncio.gather(talk.fly(key="l"), talk.fly(key="l", airline="AA"))
        assert sorted(each.status_code for each in await other) == [200, 409]
        assert {each.text for each in answers} == {'{"events":1}'}
        return talk.service.run.memory.events

    assert talked(conversation) == 2


def test_what_is_refused_is_public(talking, folder, tmp_path):
    """No budget and no counter: functions of what was created, whatever the flights were."""

    def conversation(airline):
        async def whole():
            async with talking() as talk:
                await talk.create()
                await talk.fly(50, airline=airline)
                answers = [
                    await talk.create({"airline": "UA", "epsilon": "1"}, key=f"{n}")
                    for n in range(3)
                ]
                answers += [await talk.ask(n) for n in (2, 3, 10)]
                return [(each.status_code, each.text) for each in answers]

        found = asyncio.run(whole())
        for name in ("session.jsonl", "session.jsonl.guard", "memory.json"):
            (folder / name).rename(tmp_path / f"{airline}-{name}")
        return found

    one, other = conversation("UA"), conversation("AA")
    assert one == other
    assert [status for status, _ in one] == [201, 402, 402, 404, 404, 404]


def test_too_much_that_waits(talked, monkeypatch):
    monkeypatch.setattr("antiphon.service.writer.WAITING", 3)

    async def conversation(talk):
        answers = await asyncio.gather(*(talk.fly() for _ in range(30)))
        busy = [each for each in answers if each.status_code == 503]
        refused(busy[0], 503, "busy")
        assert busy[0].headers["retry-after"] == "1"
        taken = [each for each in answers if each.status_code == 200]
        return len(taken) == talk.service.run.memory.events and len(taken) + len(busy) == 30

    assert talked(conversation)


def test_a_session_that_has_ended(talked):
    async def conversation(talk):
        await talk.create()
        talk.service.run.session.path.unlink()
        refused(await talk.fly(), 503, "closed")
        refused(await talk.ask(), 503, "closed")
        return (await talk.client.get("/")).status_code  # what was released stays to be seen

    assert talked(conversation) == 200


@pytest.mark.parametrize(
    "path", ["/nothing", "/api/nothing", "/static/tokens", "/static/../tokens"]
)
def test_what_is_not_there(talked, path):
    async def conversation(talk):
        return refused(await talk.client.get(path), 404, "not found")

    assert talked(conversation)


def test_another_method(talked):
    async def conversation(talk):
        return refused(await talk.client.delete("/api/counters"), 405, "method not allowed")

    assert talked(conversation)


def test_a_fault_tells_nothing(talked, monkeypatch):
    async def conversation(talk):
        def broken(*_):
            raise RuntimeError("canary")

        monkeypatch.setattr("antiphon.service.pages.budget_card", broken)
        answer = await talk.client.get("/board")
        assert "canary" not in answer.text
        return refused(answer, 500, "fault")

    assert talked(conversation)


def test_every_answer_keeps_a_browser_to_this_site(talked):
    async def conversation(talk):
        for path in ("/", "/board", "/derivation", "/enter", "/api/counters", "/nothing"):
            headers = (await talk.client.get(path)).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"

    talked(conversation)


def test_tokens_are_kept_as_digests_and_out_of_logs(talked, tmp_path, caplog, capfd):
    async def conversation(talk):
        with caplog.at_level(logging.DEBUG):
            await talk.create()
            await talk.fly()
        return [*talk.tokens.values()]

    secrets = talked(conversation)
    files = [each.read_text() for each in (tmp_path / "board").iterdir()]
    said = [caplog.text, *capfd.readouterr(), *files]
    assert not any(secret in text for secret in secrets for text in said)
    modes = {each.name: each.stat().st_mode & 0o77 for each in (tmp_path / "board").iterdir()}
    assert modes == dict.fromkeys(
        ("session.jsonl", "session.jsonl.guard", "memory.json", "tokens"), 0
    )


def test_a_replaced_token_ends(talked, tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("antiphon.service.tokens.time.monotonic", lambda: clock[0])

    async def conversation(talk):
        assert (await talk.create()).status_code == 201
        fresh = issue(tmp_path / "board" / "tokens", "analyst", "ada")
        clock[0] += 2
        refused(await talk.create(), 401, "no token")
        talk.tokens["analyst"] = fresh
        return (await talk.create(key="fresh")).status_code

    assert talked(conversation) == 201


def test_tokens_of_the_environment(talked, tmp_path, monkeypatch):
    lines = (tmp_path / "board" / "tokens").read_text()
    (tmp_path / "board" / "tokens").unlink()
    monkeypatch.setenv("ANTIPHON_SERVICE_TOKENS", lines)

    async def conversation(talk):
        return (await talk.create()).status_code

    assert talked(conversation) == 201


# --- forms of browsers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "noise"), [(-12, True), (-1, True), (0, False), (60, False), (61, True)]
)
def test_a_count_that_cannot_be_says_that_it_is_noise(talked, monkeypatch, count, noise):
    monkeypatch.setattr(
        "antiphon.mechanisms.counters.tree_counter.TreeCounter.step",
        lambda _, state, message, coins: (state, count),
    )

    async def conversation(talk):
        await talk.create()
        await talk.fly(60)
        await talk.client.post("/enter", data={"token": talk.tokens["analyst"]})
        asked = await talk.client.post("/ask", data={"key": "q", "counter": "0"})
        board = await talk.client.get("/board")
        card = board.text.split("<section")[2]
        shown = [asked.text.partition("</p>")[0], *card.split("<svg")]
        for each, told in zip(shown, ("Counter 0: {}", "<strong>{}</strong>", ": {}"), strict=True):
            assert told.format(count) + " of 60 flights" in each
        return ["no true count is below 0 or above 60" in each for each in shown]

    assert talked(conversation) == [noise] * 3


def test_a_form_needs_whoever_signed_in(talked):
    async def conversation(talk):
        client = talk.client
        for path in ("/create", "/ask"):
            assert (await client.post(path, data={"key": "a"})).status_code == 401
        assert (await client.post("/enter", data={"token": "wrong"})).status_code == 401
        wrong = await client.post("/enter", data={"token": talk.tokens["ingestion"]})
        assert wrong.status_code == 401
        entered = await client.post("/enter", data={"token": talk.tokens["analyst"]})
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        kept = entered.headers["set-cookie"]
        assert "HttpOnly" in kept
        assert "SameSite=strict" in kept
        assert talk.tokens["analyst"] not in kept
        fields = {"key": "k", "airline": "UA", "origin": "", "delay": "15", "epsilon": "1/2"}
        assert (await client.post("/create", data=fields)).status_code == 201
        assert (await client.post("/create", data=fields)).status_code == 201  # sent twice
        assert (await client.post("/create", data={**fields, "airline": "AA"})).status_code == 409
        assert (await client.post("/create", data={**fields, "key": ""})).status_code == 400
        assert (await client.post("/create", data={**fields, "delay": "x"})).status_code == 422
        elsewhere = {"Origin": "http://elsewhere.test"}
        assert (await client.post("/create", data=fields, headers=elsewhere)).status_code == 403
        assert (await client.post("/ask", data={"key": "q", "counter": "0"})).status_code == 200
        assert (await client.post("/leave", data={"a": ""})).status_code == 303
        client.cookies.clear()
        assert (await client.post("/create", data=fields)).status_code == 401
        return talk.service.run.memory.number

    assert talked(conversation) == 2


def test_what_is_shown_is_escaped(talked):
    from antiphon.service.memory import LiveCounter, Released
    from antiphon.service.tokens import Holder

    async def conversation(talk):
        await talk.create()
        run, frame = talk.service.run, talk.service.frame
        run.memory.counters[0] = LiveCounter(("<b>", '"><i>', "", 1), 0, [Released(1, 1, 1)])
        holder = Holder("analyst", "<u>", "")
        page = frame.board(run.board(), holder, said="<s>", forms=run.forms())
        page += frame.derivation("<b>", run.spent(), holder)
        return [tag for tag in ("<b>", "<i>", "<u>", "<s>") if tag in page]

    assert talked(conversation) == []


def test_json_is_what_a_client_reads(talked):
    async def conversation(talk):
        await talk.create()
        await talk.fly(60)
        count = (await talk.ask()).json()
        shown = (await talk.client.get("/api/counters")).json()["counters"][0]
        whole = (await talk.client.get("/api/counters/0")).json()
        missing = await talk.client.get("/api/counters/4")
        refused(missing, 404, "no such counter")
        budget = (await talk.client.get("/api/budget")).json()
        assert budget["spent"] == ["1/2", "0"]
        assert shown["count"] == count["count"] == whole["series"][-1]["count"]
        return json.dumps(count)

    assert '"events": 60' in talked(conversation)


def test_who_waits_behind_a_refusal_keeps_the_order(talked, monkeypatch):
    """Five batches of flights wait together; the session refuses the second."""
    sent, stepped = DurableSession.send_many, []

    def refusing(session, messages):
        for message in messages:
            _, key, _ = message
            if key == "1":
                raise InvalidArgument("not this one")
            yield from sent(session, [message])
            stepped.append(key)

    monkeypatch.setattr(DurableSession, "send_many", refusing)

    async def conversation(talk):
        answers = await asyncio.gather(*(talk.fly(key=f"{n}") for n in range(5)))
        return [each.status_code == 200 for each in answers]

    assert talked(conversation) == [True, False, True, True, True]
    assert stepped == ["0", "2", "3", "4"]
