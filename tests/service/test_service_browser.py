"""The pages in a real browser: drawn, live, usable by keyboard, on a phone, without complaints."""

import http.client
import json

import pytest
from chromium import BROWSER, Chromium

from antiphon.composition import WhitehouseFilter
from antiphon.service.memory import Released
from antiphon.service.spending import Spending

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium, chromium-browser or google-chrome is installed"
)
FLIGHTS = [{"airline": "UA", "origin": "JFK", "delay": 20}] * 100
CONTROLS = "button, select, input:not([type=hidden], [hidden])"


def fly(port, token, key, many=1):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for number in range(many):
        headers = {
            "Authorization": f"Bearer {token}", "Idempotency-Key": f"{key}-{number}",
            "Content-Type": "application/json",
        }  # fmt: skip
        connection.request("POST", "/api/events", json.dumps({"events": FLIGHTS}), headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()
    connection.close()


def tab_to(page, what, most=30):
    """Press Tab until something has the focus."""
    for _ in range(most):
        page.key("Tab")
        if page.run(f"document.activeElement.matches({json.dumps(what)})"):
            return
    raise AssertionError(f"the keyboard does not come to {what}")


def signed_in(page, port, token):
    page.open(f"http://127.0.0.1:{port}/enter")
    tab_to(page, "input[name=token]")
    page.write(token)
    page.key("Enter")
    page.wait("document.querySelector('form[action=\"/create\"]')")


def test_an_analyst_by_keyboard(started, tokens, tmp_path):
    with started("--pace", "0.1") as (port, _, _said), Chromium(tmp_path / "profile") as page:
        signed_in(page, port, tokens["analyst"])
        tab_to(page, "select[name=airline]")
        page.key("U", "U")
        tab_to(page, "select[name=delay]")
        page.key("ArrowDown")
        tab_to(page, "select[name=epsilon]")
        page.key("5", "")
        page.run("document.activeElement.value = '1'")
        tab_to(page, "form[action='/create'] button")
        page.key("Enter")
        page.wait("document.querySelector('[role=status]')?.textContent === 'Counter 0 is made.'")
        shown = page.run("document.getElementById('h0').textContent")
        assert shown == "UA flights, 15 minutes late or more"
        assert page.run("document.getElementById('spent').textContent").startswith("ε = 1 of 4 is")
        fly(port, tokens["ingestion"], "a", 5)
        page.wait("document.querySelector('#c0 svg .series')")  # live: nobody has loaded it again
        fly(port, tokens["ingestion"], "b", 5)
        page.wait("document.querySelector('#c0 svg .series').getAttribute('points').includes(' ')")
        assert page.run("document.querySelectorAll('#c0 svg .band').length") == 1
        tab_to(page, "form[action='/ask'] button")
        page.key("Enter")
        page.wait("document.querySelector('[role=status]')?.textContent.startsWith('Counter 0: ')")
        assert page.complaints() == []


@pytest.mark.slow
def test_a_page_comes_again_after_a_restart(started, tokens, tmp_path):
    """kill -9 under a page that is open: it says so, and is live again with the next process."""
    with Chromium(tmp_path / "profile") as page:
        with started("--pace", "0.1") as (port, process, _said):
            signed_in(page, port, tokens["analyst"])
            tab_to(page, "form[action='/create'] button")
            page.key("Enter")
            page.wait("document.querySelector('#c0')")
            fly(port, tokens["ingestion"], "a")
            page.wait("document.querySelector('#c0 svg')")
            page.run("window.same = true")
            process.kill()
        page.wait("!document.getElementById('live').hidden")
        with started("--pace", "0.1", port=port):
            fly(port, tokens["ingestion"], "b", 9)
            page.wait("document.getElementById('live').hidden", 30)
            page.wait("document.getElementById('board').textContent.includes('1,000 flights')", 30)
            assert page.run("window.same")  # nobody has loaded it again
            tab_to(page, "form[action='/ask'] button")
            page.key("Enter")  # who was signed in is forgotten: it says so
            page.wait("document.querySelector('input[name=token]')")


@pytest.mark.slow
def test_every_control_is_named_and_seen(started, tokens, tmp_path):
    with started() as (port, _, _said), Chromium(tmp_path / "profile") as page:
        signed_in(page, port, tokens["analyst"])
        nameless = f"""[...document.querySelectorAll('{CONTROLS}, a')]
            .filter(each => !(each.labels?.length || each.textContent.trim())).length"""
        assert page.run(nameless) == 0
        assert page.run("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length") == 0
        order = []
        for _ in range(20):
            page.key("Tab")
            if page.run("document.activeElement === document.body"):
                break
            order.append(page.run("document.activeElement.textContent.trim().slice(0, 16)"))
            seen = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.run(seen) != "none", order
        assert order[0] == "To the content"
        link, button = (place for place, text in enumerate(order) if text == "Create")
        assert link < order.index("Sign out") < button


CUT = """[...document.querySelectorAll('svg text')].filter(each => {
    const inner = each.getBoundingClientRect();
    const outer = each.closest('svg').getBoundingClientRect();
    return inner.left < outer.left || inner.right > outer.right;
}).map(each => each.textContent)"""
TOGETHER = """[...document.querySelectorAll('svg')].filter(each => {
    const [left, right] = [...each.querySelectorAll('text')].slice(-2)
        .map(text => text.getBoundingClientRect());
    return left && right && left.right > right.left;
}).length"""
WIDE = """[...document.querySelectorAll('main *:not(svg *)')].filter(each =>
    each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline'
).map(each => each.textContent.slice(0, 60))"""


@pytest.mark.slow
@pytest.mark.parametrize("wide", [390, 320, 1100])
def test_wide_values_are_not_cut(talked, started, tokens, tmp_path, wide):
    """A year of flights, and the widest budget: as they are drawn, on a page of the service."""

    async def drawn(talk):
        watch = {"airline": "UA", "origin": "JFK", "delay": 120, "epsilon": "1/20"}
        assert [(await talk.create(watch)).status_code for _ in range(2)] == [201, 201]
        run = talk.service.run
        memory = run.memory
        for counter, last in zip(memory.counters, (336_776, 123_456_789), strict=True):
            counter.series += [Released(last // 2, last // 3, 4516), Released(last, last, 12_345)]
        memory.events = 123_456_789
        run.spending = Spending.of(run.session)
        return run.board(), run.spent()

    shown = talked(drawn, budget=WhitehouseFilter(epsilon=20, delta=1e-6))
    folder = tmp_path / "board"
    for name in ("session.jsonl", "session.jsonl.guard", "memory.json"):
        (folder / name).unlink()
    with started() as (port, _, _said), Chromium(tmp_path / "profile", width=wide) as page:
        page.open(f"http://127.0.0.1:{port}/")
        page.run(f"document.getElementById('board').innerHTML = {json.dumps(''.join(shown))}")
        assert page.run("document.querySelectorAll('svg text').length") == 10
        assert page.run(CUT) == []
        assert page.run(TOGETHER) == 0
        assert page.run(WIDE) == []
        assert page.run("document.documentElement.scrollWidth") <= wide


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_a_phone(started, tokens, tmp_path, dark):
    with (
        started("--pace", "0.1") as (port, _, _said),
        Chromium(tmp_path / "profile", width=390, height=844, dark=dark) as page,
    ):
        signed_in(page, port, tokens["analyst"])
        for path in ("/", "/derivation", "/enter"):
            page.open(f"http://127.0.0.1:{port}{path}")
            assert page.run("document.documentElement.scrollWidth") == 390, path
        small = f"""[...document.querySelectorAll('{CONTROLS}')]
            .filter(each => each.getBoundingClientRect().height < 36).length"""
        page.open(f"http://127.0.0.1:{port}/")
        assert page.run(small) == 0
        paper = page.run("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, paper.removeprefix("rgb(").removesuffix(")").split(", "))) > 384
        assert light is not dark
        assert page.complaints() == []
