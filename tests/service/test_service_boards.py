"""A board behind the service: fed by ingestion and by its files, shown, exported, and restarted."""

import asyncio
import csv
import io
import json
import re
import sqlite3
from fractions import Fraction

import attrs
import pytest
from chromium import BROWSER, Chromium
from test_service_browser import CUT, TOGETHER, WIDE, tab_to
from test_service_kept import connected
from test_service_refusals import JSON, refused

from antiphon.boards.board_files import read_board
from antiphon.numbers.errors import ResumeError
from antiphon.service.service import opened
from antiphon.sessions import SQLiteWitness

TOML = """by = "country"
keys = ["FR", "DE"]
others = "elsewhere"
start = 2026-01-01
every = "day"
horizon = 30
per_user = 3
epsilon = 1000
lateness = "1 day"
files = ["visits*.csv"]
"""
ROW = {"time": "2026-01-01T08:00", "user": "ada", "country": "FR"}
SUMS = TOML.replace("per_user", 'sum = "amount"\nlow = -5\nhigh = 5\nper_user')


@pytest.fixture
def place(tmp_path):
    (tmp_path / "visits.toml").write_text(TOML)
    return tmp_path


@pytest.fixture
def known(place, folder):
    """The board of a file, whose folder is that of the tokens."""
    return attrs.evolve(read_board(place / "visits.toml"), folder=folder)


def fed(talk, rows, *, key=None, **more):
    headers = {**talk.headers("ingestion", key), **JSON}
    body = json.dumps({"rows": rows, **more})
    return talk.client.post("/api/rows", content=body, headers=headers)


def test_rows_are_counted_once_and_told_when_their_window_is_over(talked, known):
    async def conversation(talk):
        rows = [ROW, {**ROW, "country": "DE"}, {**ROW, "country": "XX"}]
        for _ in range(2):  # the same key: the same rows
            assert (await fed(talk, rows, key="k")).json() == {"rows": 3}
        before = (await talk.client.get("/api/counters")).json()
        assert before["windows"] == 0  # rows alone close no window
        assert (await fed(talk, [], until="2026-01-04")).status_code == 200
        shown = (await talk.client.get("/api/counters")).json()
        assert [each["key"] for each in shown["series"]] == ["FR", "DE", "elsewhere"]
        one = (await talk.client.get("/api/counters/1")).json()
        assert [each["window"] for each in one["series"]] == ["2026-01-01", "2026-01-02"]
        refused(await talk.client.get("/api/counters/3"), 404, "no such counter")
        return [each["count"] for each in shown["series"]]

    assert talked(conversation, known=known, until="2026-01-01") == [1, 1, 1]  # ε = 1000


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (None, "not rows"), ({}, "not rows"), ({"rows": 1}, "not rows"), ([], "not rows"),
        ({"rows": [ROW] * 501}, "not rows"), ({"rows": [ROW], "x": 1}, "not rows"),
        ({"rows": [ROW], "until": 1}, "not rows"), ({"rows": [1]}, "not a row"),
        ({"rows": [{**ROW, "more": 1}]}, "not a row"), ({"rows": [{"time": "x"}]}, "not a row"),
        ({"rows": [ROW, {**ROW, "time": "yesterday"}]}, "refused"),
        ({"rows": [ROW, {**ROW, "user": ""}]}, "refused"),
        ({"rows": [ROW, {**ROW, "user": None}]}, "not a row"),
        ({"rows": [ROW, {**ROW, "user": ["ada"]}]}, "not a row"),
        ({"rows": [ROW, {**ROW, "user": True}]}, "not a row"),
        ({"rows": [{**ROW, "time": "2027-01-01"}]}, "refused"),
        ({"rows": [{**ROW, "user": 17.0}]}, "refused"),
        ({"rows": [ROW], "until": "soon"}, "refused"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_row(talked, known, said, error):
    async def conversation(talk):
        headers = {**talk.headers("ingestion"), **JSON}
        answer = await talk.client.post("/api/rows", content=json.dumps(said), headers=headers)
        assert "yesterday" not in answer.text
        refused(answer, 422, error)
        assert ("and of nothing else" in answer.text) is (error == "not a row")
        return (await fed(talk, [ROW], until="2026-01-03")).json(), talk.service.run.total

    _, total = talked(conversation, known=known, until="2026-01-01")
    assert total.of("FR") == (1,)  # nothing of what was refused


def test_that_rows_came_is_told_to_nobody(talked, known):
    async def conversation(talk):
        await asyncio.sleep(0.1)
        service, pages = talk.service, ("/", "/board", "/board.csv", "/api/counters", "/api/budget")
        before = service.version, [(await talk.client.get(path)).text for path in pages]
        assert (await fed(talk, [ROW] * 50)).status_code == 200
        assert (service.version, [(await talk.client.get(path)).text for path in pages]) == before
        await fed(talk, [], until="2026-01-04")
        return service.version - before[0]

    assert talked(conversation, known=known, pace=0.02, until="2026-01-01") == 1


def test_a_key_that_is_found_shows_nothing_before_it_was_opened(talked, known, place):
    found = TOML.replace('["FR", "DE"]\nothers = "elsewhere"', '"discovered"\ndelta = 0.5')
    (place / "visits.toml").write_text(found)
    board = read_board(place / "visits.toml").board

    async def conversation(talk):
        rows = [{**ROW, "time": "2026-01-02", "user": user} for user in ("ada", "bob", "cyd")]
        assert (await fed(talk, rows, until="2026-01-05")).status_code == 200
        one = (await talk.client.get("/api/counters/0")).json()
        page = (await talk.client.get("/board")).text
        return one["series"], page, (await talk.client.get("/board.csv")).text

    series, page, table = talked(
        conversation, known=attrs.evolve(known, board=board), until="2026-01-01"
    )
    assert [each["count"] for each in series] == [None, 3, 3]
    assert "Rows since 2026-01-02, window by window. Only the first 3 rows of a user in a" in page
    assert table.splitlines()[1].startswith("2026-01-01,,")


def test_another_row_under_a_known_key_is_refused(talked, known):
    async def conversation(talk):
        assert (await fed(talk, [ROW], key="k")).status_code == 200
        return refused(await fed(talk, [{**ROW, "country": "DE"}], key="k"), 422, "refused")

    assert talked(conversation, known=known, until="2026-01-01")


def test_it_needs_a_token_of_ingestion(talked, known):
    async def conversation(talk):
        for role, status, error in (("analyst", 403, "another role"), (None, 401, "no token")):
            headers = talk.headers(role) if role else {"Idempotency-Key": "a"}
            answer = await talk.client.post("/api/rows", json={"rows": []}, headers=headers)
            refused(answer, status, error)
        for path in ("/enter", "/create", "/ask", "/api/events", "/api/counters/0/ask"):
            assert (await talk.client.post(path, data={"key": "a"})).status_code == 404, path

    talked(conversation, known=known, until="2026-01-01")


def test_its_files_are_fed_as_they_change(talked, known, place):
    lines = ["time,user,country", "2026-01-01T08:00,ada,FR"]
    (place / "visits.csv").write_text("\n".join(lines))

    async def conversation(talk):
        found = []
        for more in ("2026-01-01T09:00,bob,FR", "2026-01-02T09:00,cyd,XX"):
            for _ in range(200):
                await asyncio.sleep(0.02)
                if talk.service.run._live.status().rows == len(lines) - 1:
                    break
            found.append(talk.service.run._live.status().rows)
            lines.append(more)
            (place / "visits.csv").write_text("\n".join(lines))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sqlite3.connect", _any_thread)
        assert talked(conversation, known=known, pace=0.02, until="2026-01-01") == [1, 2]


CONNECT = sqlite3.connect


def _any_thread(*given, **options):
    """This test looks into the database from its own thread."""
    return CONNECT(*given, check_same_thread=False, **options)


def test_a_file_that_is_wrong_is_told_to_the_operator_once(talked, known, place, capfd):
    (place / "visits.csv").write_text("time,user,country\ncanary,ada,FR\n")

    async def conversation(talk):
        await asyncio.sleep(0.2)
        pages = [(await talk.client.get(path)).text for path in ("/", "/api/counters")]
        assert not any("canary" in page or "visits" in page for page in pages[1:])
        return (await fed(talk, [ROW])).status_code

    assert talked(conversation, known=known, pace=0.02, until="2026-01-01") == 200
    said = capfd.readouterr().err
    assert said.count("served: visits.csv, line 2") == 1
    assert "canary" not in said


def test_a_pattern_without_a_file_uses_up_no_board(talked, known, place, capfd):
    """A mistyped one would tell every window of the past as noise alone."""

    async def conversation(talk):
        await asyncio.sleep(0.2)
        before = len(talk.service.run.total.windows)
        (place / "visits.csv").write_text("time,user,country\n2026-01-01,ada,FR\n")
        for _ in range(200):
            await asyncio.sleep(0.02)
            if talk.service.run.total.windows:
                break
        return before, talk.service.run.total.of("FR")[0]

    assert talked(conversation, known=known, pace=0.02, until="2026-01-04") == (0, 1)
    assert capfd.readouterr().err.count("told is served: no file in") == 1


def test_csv_is_what_python_answers(talked, known):
    async def conversation(talk):
        await fed(talk, [ROW, {**ROW, "country": "DE", "time": "2026-01-02T08:00"}])
        await fed(talk, [], until="2026-01-06")
        client, found = talk.client, {}
        for how in ("", "?how=window", "?how=sliding&last=2"):
            answer = await client.get(f"/board.csv{how}")
            assert answer.headers["content-type"].startswith("text/csv")
            assert "attachment" in answer.headers["content-disposition"]
            found[how] = answer.text
        for wrong in ("?how=other", "?how=sliding", "?how=total&last=x", "?how=window&last=1"):
            assert (await client.get(f"/board.csv{wrong}")).status_code == 422
        return found

    found = talked(conversation, known=known, until="2026-01-01")
    rows = {how: [*csv.reader(io.StringIO(text))] for how, text in found.items()}
    assert rows[""][0] == ["window", "FR", "DE", "elsewhere", "error at 95 %"]
    assert [row[1:4] for row in rows[""][1:]] == [["1", "0", "0"], *[["1", "1", "0"]] * 3]
    assert [row[2] for row in rows["?how=window"][1:]] == ["0", "1", "0", "0"]
    assert [row[1] for row in rows["?how=sliding&last=2"][1:]] == ["1", "1", "0", "0"]


def test_pages_say_what_is_promised(talked, known):
    async def conversation(talk):
        pages = {path: (await talk.client.get(path)).text for path in ("/", "/statement", "/board")}
        pages["/derivation"] = (await talk.client.get("/derivation")).text
        told = (await talk.client.get("/api/statement")).json()
        risk = (await talk.client.get("/api/risk")).json()
        return pages, told, risk, (await talk.client.get("/api/budget")).json()

    pages, told, risk, budget = talked(
        conversation, known=known, title="Visits", until="2026-01-01"
    )
    statement = known.board.statement()
    for heading, sentences in statement.sections:
        assert heading in pages["/statement"]
        assert len(sentences) == pages["/statement"].split(heading)[1].split("</ul>")[0].count(
            "<li"
        )
    assert told == json.loads(json.dumps(statement.to_dict()))
    left = known.board.guarantee().risk()
    assert risk == json.loads(json.dumps(left.to_dict()))
    told_risk = pages["/statement"].split("The risk that is left")[1]
    assert all(
        f"<dt>{name}</dt><dd><strong>{figure}<" in told_risk for name, figure in left.figures
    )
    assert "Theorem T1" in pages["/derivation"]
    assert "ε = 1000 is spent once, on all 30 windows together: 0 are told" in pages["/"]
    assert "Visits" in pages["/"]
    links = re.findall(r'href="(/board[.]csv[^"]*)" download>(?!CSV)', pages["/"])
    assert links == ["/board.csv", "/board.csv?how=window"]  # of a board whose totals err least
    assert "Sign in" not in pages["/"]
    assert budget["spent"] == ["1000", "0"]
    assert budget["remaining"] == ["0", "0"]


def test_what_is_shown_of_a_key_is_escaped(talked, place, folder):
    (place / "visits.toml").write_text(TOML.replace('"DE"', '"<b>x</b>"'))
    known = attrs.evolve(read_board(place / "visits.toml"), folder=folder)

    async def conversation(talk):
        await fed(talk, [], until="2026-01-05")
        run = talk.service.run
        return run.board() + run.spent()

    shown = talked(conversation, known=known, until="2026-01-01")
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown


def test_all_but_numbers_is_a_function_of_public_things(talking, known, tmp_path):
    """Two data sets: what is refused, headers, budget and statement are alike."""

    def conversation(row):
        async def whole():
            async with talking(known=known, until="2026-01-01") as talk:
                told = [await fed(talk, [row] * n, key=f"k{n}") for n in (0, 3, 9)]
                told.append(await fed(talk, [], until="2026-01-05", key="u"))
                told.append(await fed(talk, [row], key="late"))  # its window is over
                paths = ("/api/budget", "/api/statement", "/derivation", "/api/counters/9")
                told += [await talk.client.get(path) for path in paths]
                return [(each.status_code, each.text, each.headers) for each in told]

        found = asyncio.run(whole())
        for each in list(known.folder.iterdir()):
            if each.name != "tokens":
                each.rename(tmp_path / f"{row['country']}-{each.name}")
        return found

    one, other = conversation(ROW), conversation({**ROW, "user": "bob", "country": "XX"})
    assert one == other
    assert [status for status, _, _ in one] == [200] * 4 + [422] + [200] * 3 + [404]


def test_it_goes_on_after_a_restart(talking, known):
    async def whole():
        found = []
        for until in ("2026-01-04", "2026-01-06"):
            async with talking(known=known, until="2026-01-01") as talk:
                await fed(talk, [ROW], key="k")
                await fed(talk, [], until=until)
                found.append(talk.service.run.total)
        return found

    first, second = asyncio.run(whole())
    assert second.values[: len(first.values)] == first.values  # no noise is tossed again
    assert second.values[-1][0] == 1  # the row counts once


def test_a_second_life_is_refused(known, tmp_path):
    witness, copy = SQLiteWitness(tmp_path / "w.sqlite"), tmp_path / "copy"
    given = {"until": "2026-01-01", "witness": witness}

    def once():
        run = opened(known, **given).run
        run._thread.submit(run._live.close).result()
        run._thread.shutdown()

    once()
    copy.mkdir()
    for each in known.folder.iterdir():
        (copy / each.name).write_bytes(each.read_bytes())
    once()
    for each in copy.iterdir():  # both put back, where they were
        (known.folder / each.name).write_bytes(each.read_bytes())
    with pytest.raises(ResumeError, match="the witness says no"):
        opened(known, **given)


def test_files_of_a_board_are_their_owners(talked, known):
    async def conversation(talk):
        await fed(talk, [ROW])

    talked(conversation, known=known, until="2026-01-01")
    modes = {each.name: each.stat().st_mode & 0o77 for each in known.folder.iterdir()}
    wanted = ("session.jsonl", "session.jsonl.guard", "inbox.sqlite", "tokens")
    assert modes == dict.fromkeys(wanted, 0)


def test_a_sum_may_be_negative(talked, place, folder):
    (place / "visits.toml").write_text(SUMS)
    known = attrs.evolve(read_board(place / "visits.toml"), folder=folder)

    async def conversation(talk):
        await fed(talk, [{**ROW, "amount": "-5"}, {**ROW, "user": "bob", "amount": -9}])
        await fed(talk, [], until="2026-01-05")
        return talk.service.run.total.of("FR"), talk.service.run.board()

    total, shown = talked(conversation, known=known, until="2026-01-01")
    assert all(abs(each + 10) < 2 for each in total)
    low = re.findall(r'text-anchor="end">(-?\d+)</text>', shown.split('id="c0"')[1])[0]
    assert Fraction(low) <= -10


# --- in a browser --------------------------------------------------------------------------------

browser = pytest.mark.skipif(
    BROWSER is None, reason="no chromium, chromium-browser or google-chrome is installed"
)


@pytest.mark.slow
@browser
@pytest.mark.parametrize(("wide", "dark"), [(390, True), (320, False)])
def test_a_board_on_a_phone_and_by_keyboard(started, tokens, place, tmp_path, wide, dark):
    lines = [f"2026-01-{1 + n % 20:02d}T08:00,user{n},{'FR' if n % 3 else 'DE'}" for n in range(60)]
    (place / "visits.csv").write_text("\n".join(["time,user,country", *lines]))
    long = "a key of sixty-four characters, which is the longest that it has"
    (place / "visits.toml").write_text(TOML.replace('"DE"]', f'"DE", "{long[:64]}"]'))
    options = ("--pace", "0.2", "--until", "2026-01-22")
    with (
        started(*options, known=place / "visits.toml") as (port, _, said),
        Chromium(tmp_path / "profile", width=wide, height=844, dark=dark) as page,
    ):
        assert "of 30 windows have been published" in said
        home = f"http://127.0.0.1:{port}/"
        page.open(home)
        page.wait("document.querySelectorAll('svg .series').length === 4")
        assert page.run("document.querySelectorAll('svg .band').length") == 4
        for path in ("", "statement", "derivation"):
            page.open(home + path)
            assert page.run("document.documentElement.scrollWidth") == wide, path
            assert page.run(WIDE) == [], path
        page.open(home)
        assert (page.run(CUT), page.run(TOGETHER)) == ([], 0)
        order = []
        for _ in range(6):
            page.key("Tab")
            order.append(page.run("document.activeElement.textContent.trim()"))
            assert page.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
        assert order[0] == "To the content"
        assert order[2:] == ["Board", "Statement", "Derivation", "CSV"]
        page.open(home)
        tab_to(page, "a[href='/statement']")
        page.key("Enter")
        page.wait("document.querySelector('article.statement')")
        (protected,) = read_board(place / "visits.toml").board.statement().of("Who is protected")
        assert protected in page.run("document.body.textContent")
        tab_to(page, "a[href='/derivation']")
        page.key("Enter")
        page.wait("document.querySelector('pre')")
        assert page.complaints() == []


@pytest.mark.slow
@browser
def test_a_board_is_live(started, tokens, place, tmp_path):
    """A page that is open shows a window once it is told; nobody has loaded it again."""
    with (
        started("--pace", "60", "--until", "2026-01-01", known=place / "visits.toml") as running,
        Chromium(tmp_path / "profile") as page,
    ):
        port = running[0]
        page.open(f"http://127.0.0.1:{port}/")
        page.run("window.same = true")
        assert page.run("document.querySelectorAll('svg .series').length") == 0
        headers = {
            "Authorization": f"Bearer {tokens['ingestion']}", "Idempotency-Key": "k", **JSON
        }  # fmt: skip
        with connected(port) as connection:
            body = json.dumps({"rows": [ROW], "until": "2026-01-09"})
            connection.request("POST", "/api/rows", body, headers)
            assert connection.getresponse().status == 200
        page.wait("document.querySelectorAll('svg .series').length === 3")
        assert page.run("window.same")
