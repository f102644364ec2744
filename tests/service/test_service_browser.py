"""The pages in a real browser: drawn, live, usable by keyboard, on a phone, without complaints."""

import http.client
import json

import pytest
from chromium import BROWSER, Chromium

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
        connection.request("POST", "/api/flights", json.dumps({"flights": FLIGHTS}), headers)
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
