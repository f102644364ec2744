"""What is sent by somebody who means harm, or by a proxy that reads it in another way."""

import asyncio
import random
import time
from collections import Counter
from fractions import Fraction
from urllib.parse import quote

import pytest
from test_service_refusals import GOOD, JSON, POSTS, refused

from antiphon.composition import BasicFilter
from antiphon.service import listening, threshold
from antiphon.service.routes import app_of
from antiphon.service.tokens import Tokens, issue
from antiphon.service.wire import floods
from antiphon.service.wire.floods import Buckets, address_of

FLIGHT = '{"airline": "UA", "origin": "JFK", "delay": 20}'


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ('{"events": [{"airline": "UA", "origin": "JFK", "delay": NaN}]}', 400, "bad JSON"),
        ('{"events": [{"airline": "UA", "origin": "JFK", "delay": -Infinity}]}', 400, "bad JSON"),
        ('{"events": [{"airline": "UA", "origin": "JFK", "delay": 1e999}]}', 422, "not an event"),
        ('{"events": [{"airline": "UA", "delay": 1, "delay": 2}]}', 400, "bad JSON"),
        (f'{{"events": [{FLIGHT}], "events": [{FLIGHT}]}}', 400, "bad JSON"),
        ("[" * 9000 + "]" * 9000, 400, "bad JSON"),
        ("[" * 90 + "]" * 90, 422, "not events"),
        ('{"events": ["\\ud800"]}', 422, "not an event"),
        ("\ufeff" + f'{{"events": [{FLIGHT}]}}', 400, "bad JSON"),
    ],
    ids=[
        "NaN", "Infinity", "too large", "twice", "twice outside", "deep", "less deep",
        "half a sign", "BOM",
    ],
)  # fmt: skip
def test_json_that_others_read_in_another_way(talked, body, status, error):
    async def conversation(talk):
        headers = {**talk.headers("ingestion"), **JSON}
        answer = await talk.client.post(POSTS[0], content=body.encode(), headers=headers)
        return refused(answer, status, error) and talk.service.run.memory.number

    assert talked(conversation) == 0


def test_json_in_another_encoding(talked):
    async def conversation(talk):
        headers = {**talk.headers("ingestion"), **JSON}
        body = f'{{"events": [{FLIGHT}]}}'.encode("utf-16")
        return refused(
            await talk.client.post(POSTS[0], content=body, headers=headers), 400, "bad JSON"
        )

    assert talked(conversation)


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [("Authorization", 401, "no token"), ("Idempotency-Key", 400, "no key")],
)
def test_a_header_that_comes_twice_is_none(talked, name, status, error):
    async def conversation(talk):
        headers = [*talk.headers("ingestion").items(), *JSON.items()]
        headers += [(name, dict(headers)[name])]
        answer = await talk.client.post(POSTS[0], json={"events": [GOOD]}, headers=headers)
        return refused(answer, status, error)

    assert talked(conversation)


def test_a_field_of_a_form_that_comes_twice(talked):
    async def conversation(talk):
        client = talk.client
        token = talk.tokens["analyst"]
        twice = await client.post(
            "/enter", content=f"token={token}&token={token}",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )  # fmt: skip
        return twice.status_code

    assert talked(conversation) == 400


# --- who comes from where ------------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("LOCALHOST:8000", 200), ("127.0.0.1:8000", 200), ("[::1]:8000", 200),
        ("[::1]", 200), ("evil.test", 421), ("localhost.evil.test", 421), ("", 421),
        ("evil.test:127.0.0.1", 421), (":8000", 421), ("127.0.0.1@evil.test", 421),
        ("localhost:[", 421), ("localhost:", 421), ("localhost:8000:1", 421), ("[", 421),
    ],
)  # fmt: skip
def test_it_answers_to_its_own_names(talked, host, status):
    async def conversation(talk):
        answer = await talk.client.get("/api/counters", headers={"Host": host})
        if status == 421:
            refused(answer, 421, "another host")
        return answer.status_code

    assert talked(conversation) == status


def test_it_answers_to_a_name_that_it_was_given(talked):
    import httpx

    async def conversation(talk):
        transport = httpx.ASGITransport(app_of(talk.service, ["Board.example"]))
        async with httpx.AsyncClient(transport=transport) as client:
            urls = ("http://board.example/", "http://board.example:99/", "http://other.example/")
            return [(await client.get(url)).status_code for url in urls]

    assert talked(conversation) == [200, 200, 421]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201), ({"Origin": "http://localhost"}, 201), ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": "null"}, 403), ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "http://localhost:81"}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403), ({"Origin": "http://["}, 403),
        ({"Origin": "http://localhost/[::"}, 403), ({"Origin": "http://a@localhost"}, 403),
        ({"Origin": ""}, 403),
    ],
    ids=str,
)  # fmt: skip
def test_a_form_of_another_site(talked, headers, status):
    async def conversation(talk):
        await talk.client.post("/enter", data={"token": talk.tokens["analyst"]})
        fields = {"key": "k", "airline": "UA", "origin": "", "delay": "15", "epsilon": "1/2"}
        answer = await talk.client.post("/create", data=fields, headers=headers)
        assert talk.service.run.memory.number == (status == 201)
        return answer.status_code

    assert talked(conversation) == status


PIECES = (
    "http://", "localhost", "[", "]", ":", "/", "//", "@", "%", "%00", "%5b", "\\", ";", ",", "=",
    "&", "?", "#", '"', "80", "9" * 30, "-1", "1e99999999", "nan", "\x7f", "\xff", " ", "bearer ",
    "board=", "application/json", "application/x-www-form-urlencoded", "chunked", "https",
    "same-origin",
)  # fmt: skip
BODIES = (
    "{}",
    '{{"epsilon": "{}"}}',
    '{{"epsilon": {}}}',
    '{{"events": [{}]}}',
    "key=a&counter={}",
    "key=a&epsilon={}",
    "token={}",
    "key={}",
)
NAMES = (
    "Origin", "Host", "Sec-Fetch-Site", "Cookie", "Content-Type", "Content-Length", "Authorization",
    "Idempotency-Key", "X-Forwarded-For", "X-Forwarded-Proto", "Accept", "Range", "Referer",
)  # fmt: skip
PATHS = (
    "/", "/board", "/derivation", "/events", "/enter", "/leave", "/create", "/ask", "/static/x",
    "/api/counters", "/api/counters/0", "/api/counters/0/ask", "/api/events", "/api/budget",
)  # fmt: skip


def test_no_header_and_no_body_is_a_fault(talked, clock):
    """600 requests of pieces that parsers trip over: each is answered, and none by a 500."""
    drawn = random.Random(25)

    def text():
        return "".join(drawn.choices(PIECES, k=drawn.randint(0, 4)))

    async def conversation(talk):
        statuses = Counter()
        await talk.client.post("/enter", data={"token": talk.tokens["analyst"]})
        for _ in range(600):
            clock.now += 1
            path, method = drawn.choice(PATHS), drawn.choice(("POST", "POST", "HEAD"))
            kind = drawn.choice(("application/json", "application/x-www-form-urlencoded"))
            headers = {"Content-Type": kind, **talk.headers(drawn.choice([*talk.tokens]))}
            headers.update((name, text()) for name in drawn.sample(NAMES, drawn.randint(0, 2)))
            sent = {name: value.encode("latin-1") for name, value in headers.items()}
            body = drawn.choice(BODIES).format(text()).encode("latin-1")
            query = "?" + quote(text()) if drawn.random() < 0.3 else ""
            answer = await talk.client.request(method, path + query, content=body, headers=sent)
            assert answer.status_code != 500, (method, path, sent, body)
            statuses[answer.status_code] += 1
        return statuses

    assert {200, 400, 401, 403, 415, 421, 422} <= talked(conversation, reads=1e9).keys()


def test_another_site_signs_nobody_in(talked):
    async def conversation(talk):
        headers = {"Origin": "http://evil.test"}
        fields = {"token": talk.tokens["analyst"]}
        answer = await talk.client.post("/enter", data=fields, headers=headers)
        assert "set-cookie" not in answer.headers
        return answer.status_code

    assert talked(conversation) == 403


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "DELETE", "PUT", "PATCH", "CONNECT"])
def test_another_method(talked, method):
    async def conversation(talk):
        for path in ("/", "/events", "/api/events", "/static/live.js"):
            answer = await talk.client.request(method, path)
            refused(answer, 405, "method not allowed")
            assert answer.headers["allow"]
            assert "access-control-allow-origin" not in answer.headers

    talked(conversation)


def test_a_head_is_the_head_of_a_get(talked):
    async def conversation(talk):
        for path in ("/", "/board", "/api/counters", "/api/budget", "/static/style.css"):
            get, head = await talk.client.get(path), await talk.client.head(path)
            assert head.status_code == get.status_code == 200
            assert head.headers == get.headers
        events = await talk.client.head("/events")  # and it ends
        assert events.headers["content-type"].startswith("text/event-stream")
        return talk.service.streams.total()

    assert talked(conversation) == 0


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2ftokens", "/static/%2e%2e/tokens", "/static/..%5ctokens", "/static/%00",
        "/static//etc/passwd", "//evil.test/", "/static/", "/api/counters/", "/api/counters/0/x",
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere(talked, path):
    async def conversation(talk):
        answer = await talk.client.get(f"http://localhost{path}")
        return refused(answer, 404, "not found")

    assert talked(conversation)


# --- how often, and how long ---------------------------------------------------------------------


def test_reads_without_a_token_have_a_rate(talked, clock):
    async def conversation(talk):
        paths = ("/", "/board", "/api/counters", "/nothing", "/static/live.js", "/events")
        answers = [await talk.client.head(paths[n % 6]) for n in range(40)]
        found = Counter(each.status_code for each in answers)
        flooded = await talk.client.get("/api/counters")
        refused(flooded, 429, "too many")
        assert int(flooded.headers["retry-after"]) >= 1
        assert (await talk.client.post("/leave", data={"a": ""})).status_code == 429
        assert (await talk.fly()).status_code == 200  # who has a token is counted by it
        assert (await talk.create()).status_code == 201
        clock.now += 1
        assert (await talk.client.get("/api/counters")).status_code == 200
        return found[429] == 20

    assert talked(conversation, reads=10)


def test_an_address_that_floods_keeps_nobody_else_out(monkeypatch):
    monkeypatch.setattr(floods, "_NAMES", 100)
    buckets = Buckets(1, 2)
    assert [bool(buckets.wait("one")) for _ in range(3)] == [False, False, True]
    for number in range(99):  # many others do not make it forgotten …
        assert not buckets.wait(f"other {number}")
        assert buckets.wait("one")
    for number in range(300):
        buckets.wait(f"yet another {number}")
    assert len(buckets._levels) == 100  # … and are forgotten themselves


def test_a_house_is_one_address():
    assert address_of("2001:db8::1") == address_of("2001:db8::ffff:1") != address_of("2001:db9::1")
    assert [address_of(each) for each in ("10.0.0.1", "", "a:b:c")] == ["10.0.0.1", "", "a:b:c"]


def test_so_many_browsers_listen(talked, monkeypatch):
    monkeypatch.setattr(listening, "STREAMS", 3)
    monkeypatch.setattr(listening, "STREAMS_OF_ONE", 2)

    async def conversation(talk):
        def listener(address):
            async def receive():
                await asyncio.sleep(3600)

            async def send(message):
                statuses.append(message.get("status"))

            statuses = []
            events = listening.events(talk.service)
            listener = listening.Listening(talk.service.streams, address, events)
            return asyncio.create_task(listener({"type": "http"}, receive, send)), statuses

        tasks = [listener(each) for each in ("a", "a", "a", "b", "c")]
        await asyncio.sleep(0.05)
        found = [statuses[:1] for _, statuses in tasks]
        for task, _ in tasks:
            task.cancel()
        over = await asyncio.gather(*(task for task, _ in tasks), return_exceptions=True)
        assert [getattr(each, "status", None) for each in over] == [None, None, 503, None, 503]
        assert not talk.service.streams
        return found

    assert talked(conversation) == [[200], [200], [], [200], []]


def test_a_stream_has_an_end(talked, monkeypatch):
    monkeypatch.setattr(listening, "LISTENS", 0.4)

    async def conversation(talk):
        return [each async for each in listening.events(talk.service)]

    before = time.monotonic()
    assert talked(conversation)[0] == "retry: 2000\n\n"
    assert time.monotonic() - before < 5


def test_a_budget_that_is_spent_fills_no_log(talked):
    async def conversation(talk):
        await talk.create({"airline": "UA", "epsilon": "1"})
        await talk.create({"airline": "UA", "epsilon": "1"})
        before = talk.service.run.session.path.stat().st_size, talk.service.run.memory.number
        for _ in range(20):
            refused(await talk.create(), 402, "no budget")
        after = talk.service.run.session.path.stat().st_size, talk.service.run.memory.number
        return before == after

    assert talked(conversation)


def test_creations_that_come_together_are_priced_in_turn(talked):
    async def conversation(talk):
        answers = await asyncio.gather(
            *(talk.create({"epsilon": "1"}) for _ in range(4)), talk.create({"epsilon": "1/5"})
        )
        return [each.status_code for each in answers], talk.service.run.memory.number

    assert talked(conversation) == ([201, 201, 402, 402, 402], 2)


def test_a_token_signs_in_so_many_browsers(talked):
    async def conversation(talk):
        service = talk.service
        holder = service.tokens.holder(talk.tokens["analyst"])
        other = holder._replace(name="bob", digest="b" * 64)
        service.sign_in(other)
        cookies = [service.sign_in(holder) for _ in range(25)]
        known = [service.signed_in(each) is not None for each in cookies]
        return known, len(service._browsers)

    known, many = talked(conversation)
    assert known == [False] * 5 + [True] * 20
    assert many == 21


# --- tokens --------------------------------------------------------------------------------------


def test_a_token_is_compared_with_every_digest(tmp_path, monkeypatch):
    """As long as it takes, it does not say at which line it was found, or that it was not."""
    from antiphon.service import tokens

    names = ("ada", "bob", "cyd")
    given = [issue(tmp_path / "tokens", "analyst", name) for name in names]
    compared = []

    def compare(one, other):
        compared.append(len(one) == len(other) == 64)
        return one == other

    monkeypatch.setattr(tokens, "compare_digest", compare)
    kept = Tokens(tmp_path / "tokens")
    found = [kept.holder(each) for each in (*given, "wrong", "")]
    assert [each and each.name for each in found] == [*names, None, None]
    assert compared == [True] * 15


def test_a_slip_in_the_file_of_tokens_lets_nobody_in(tmp_path):
    path = tmp_path / "tokens"
    token = issue(path, "analyst", "ada")
    (digest,) = (line.split()[2] for line in path.read_text().splitlines())
    wrong = f"analyst\nanalyst bob\nroot bob {digest[::-1]}\nanalyst bob é{digest[1:]}\n# ada\n\n"
    path.write_text(wrong + path.read_text())
    kept = Tokens(path)
    assert kept.holder(token).name == "ada"
    assert len(kept._holders) == 1


# --- what an answer says -------------------------------------------------------------------------


def test_nothing_is_kept_by_a_cache(talked):
    async def conversation(talk):
        paths = ("/", "/board", "/derivation", "/enter", "/api/counters", "/api/budget", "/nothing")
        await talk.client.post("/enter", data={"token": talk.tokens["analyst"]})
        found = [(await talk.client.get(path)).headers["cache-control"] for path in paths]
        assert (await talk.client.get("/derivation")).text.count("ada")  # whose page it is
        assert (await talk.client.get("/static/live.js")).headers["cache-control"] == "max-age=3600"
        return set(found)

    assert talked(conversation) == {"no-store"}


def test_a_fault_is_told_by_its_type_alone(talked, monkeypatch, capfd, caplog):
    async def conversation(talk):
        def broken(*_):
            raise RuntimeError("canary")

        monkeypatch.setattr("antiphon.service.pages.budget_card", broken)
        return refused(await talk.client.get("/board"), 500, "fault")

    assert talked(conversation)
    said = "".join(capfd.readouterr()) + caplog.text
    assert "a fault: RuntimeError at test_service_hostile.py:" in said
    assert "canary" not in said


def test_a_refusal_has_the_headers_too(talked):
    async def conversation(talk):
        answer = await talk.client.get("/", headers={"Host": "evil.test"})
        return {name.decode() for name in threshold.HEADERS} <= set(answer.headers)

    assert talked(conversation)


# --- what tells data -----------------------------------------------------------------------------


def test_all_but_answers_is_a_function_of_the_creations(talking, folder, tmp_path):
    """Two data sets, the same creations: every refusal, header and figure of the budget alike."""

    def conversation(airline, delay):
        async def whole():
            async with talking() as talk:
                told = [await talk.create(key="c")]
                await talk.fly(50, airline=airline, delay=delay)
                for number in range(3):
                    told.append(await talk.create({"epsilon": "1"}, key=f"{number}"))
                    told.append(await talk.fly(10, airline=airline, delay=delay, key=f"f{number}"))
                told += [await talk.ask(number, key=f"a{number}") for number in (2, 3, 10)]
                told += [await talk.create({"epsilon": "1"}, key="c"), await talk.fly(key="f0")]
                told += [await talk.client.get(path) for path in ("/api/budget", "/derivation")]
                told += [
                    await talk.client.get("/api/counters/7"),
                    await talk.create({"epsilon": "9"}, key="x"),
                ]
                return [(each.status_code, each.text, each.headers) for each in told]

        found = asyncio.run(whole())
        for name in ("session.jsonl", "session.jsonl.guard", "memory.json"):
            (folder / name).rename(tmp_path / f"{airline}-{name}")
        return found

    one, other = conversation("UA", 100), conversation("AA", -5)
    assert one == other
    statuses = Counter(status for status, _, _ in one)
    assert statuses == {201: 2, 200: 5, 402: 2, 404: 4, 409: 2, 422: 1}


def test_prices_are_the_same_whatever_was_counted():
    """402 is what the filter says of the claims: no state of a counter is looked at."""
    from flying import board

    from antiphon import Create
    from antiphon.service.spending import too_dear

    def said(flight):
        session = board(BasicFilter(epsilon=2), horizon=100).start(seed=1)
        machine = session.mechanism.links[0]
        watch = ("UA", "", 15, Fraction(1))
        told = []
        for number in range(3):
            price = session.price(Create(machine.counter(watch)))
            told.append(too_dear(price) if not price.accepted else session.send(("", "", watch)))
            session.send(("", "", (flight,) * (number + 1)))
        return told

    assert said(("UA", "JFK", 20)) == said(("AA", "LGA", -5))
    dear = "it asks ε 1 of the budget, and ε 0 is left: nothing fits"
    assert said(("UA", "JFK", 20)) == [0, 1, dear]
