"""The pages: what they name exists, what they link to is there, and no item is left out."""

import importlib
import re
import runpy
import sys
import tomllib
from itertools import chain, count
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from proved import PROOFS, tool
from trying import over

import antiphon as ap
from antiphon.selfcheck import theorems

ROOT = Path(ap.__file__).parents[1]
PAPER = (ROOT / "docs/paper.md").read_text()
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


def section(title):
    return re.split(r"^## ", PAPER.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def rows(text):
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if row[0] != "item"]


NUMBER = r"[AB]?\.?\d+(?:\.\d+)?"


def items(text):
    """The numbers in the first column: those of "Def. A.3, A.4", and all of "A.11–A.15"."""
    for name, *_ in rows(text):
        for first, last in re.findall(f"({NUMBER})(?:–({NUMBER}))?", name):
            start, end = first.rpartition("."), (last or first).rpartition(".")
            for number in range(int(start[2]), int(end[2]) + 1):
                yield f"{start[0]}{start[1]}{number}"


def numbered(**sections):
    return [f"{name}.{number}" for name, last in sections.items() for number in range(1, last + 1)]


CM = {"1": 5, "2": 16, "3": 8, "4": 12, "5": 5, "6": 4, "7": 3}
"""How many items each section of CM has: 53 together."""


def test_the_readme_lists_the_extras_of_users():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    readme = (ROOT / "README.md").read_text()
    installed = re.search(r"\$ pip install \. .*?```", readme, flags=re.DOTALL)[0]
    ours = {"benchmark", "docs", "dist", "dev"}
    assert [
        each for each in extras if each not in ours and not re.search(rf"\b{each}\b", installed)
    ] == []
    assert "pip install '.[demo]'" in readme.split(">>> late")[0]  # the first example needs it


def test_the_first_promise_is_of_the_game_that_is_played():
    page = (ROOT / "docs/ten_minutes.md").read_text()
    assert "ap.Create(counter)" in page.split("catalogue=[counter]")[0].split("def analyst")[1]


def test_the_first_pictures_have_the_band_of_each_time():
    """That of the last time is not the widest: at some earlier times the error may be larger."""
    axes = MagicMock()
    runpy.run_path(str(ROOT / "docs/pictures.py"))["first_count"](axes)
    _, low, high = axes.fill_between.call_args.args
    widths = [(top - bottom) / 2 for bottom, top in zip(low, high, strict=True)]
    counter = ap.mechanisms.BalancedTreeCounter(horizon=27_004, epsilon=1)
    widest = int(max(counter.band(time, beta=0.01) for time in range(6_001)))
    assert widths[-1] < max(widths) < widest + 1
    said = "count of the first 6,000 flights follows the exact one with a probability of 99 % "
    for page in (ROOT / "README.md", ROOT / "docs/index.md"):
        assert f"{said}within a band of at most {widest} flights" in page.read_text()
    page = (ROOT / "docs/ten_minutes.md").read_text()
    assert "[counter.band(time, beta=0.01) for time in times]" in page


def test_the_mark_of_a_checked_theorem_says_what_it_leaves_out():
    promise = ap.guarantee(ap.ConComp([ap.mechanisms.TreeCounter(horizon=8, epsilon=1)]))
    text = promise.explain("text")
    assert "[∎ kernel]" in text
    assert "its model leaves out e^ε that is not rational" in text
    row = (ROOT / "docs/guarantees.md").read_text().split("| [∎ kernel] |")[1].split("\n")[0]
    assert "leaves out" in row


def test_every_item_of_cm_is_listed_once():
    expected = [*numbered(**CM, A=28, B=1), *map(str, range(1, 5))]  # and four algorithms
    assert sorted(items(section("CM"))) == sorted(expected)
    assert sum(CM.values()) == 53


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("L2P", [*numbered(**{"2": 8, "3": 12, "4": 4}), "1"]),
        # theorems, lemmas, algorithms, a definition and a remark are counted apart
        ("Local distribution learning", [*"123456", *"12345678", *"12", "1", "1"]),
    ],
)
def test_every_item_of_the_others_is_listed_once(title, expected):
    assert sorted(items(section(title))) == sorted(expected)


def thing(name):
    """What a dotted name stands for: an attribute, or a field of a class of attrs."""
    first, *rest = name.split(".")
    found = ap if first == "ap" else importlib.import_module(first)
    for number, part in zip(count(2), rest, strict=False):
        if not hasattr(found, part) and part not in getattr(found, "__annotations__", ()):
            found = importlib.import_module(".".join(["antiphon", *rest[: number - 1]]))
        else:
            found = getattr(found, part, None)
    return found


def spans(text):
    return re.findall(r"`([^`\n]+)`", text)


NAMES = sorted({name for name in spans(PAPER) if name.startswith(("ap.", "antiphon."))})


@over("name", NAMES, at_least=90)
def test_what_the_page_of_items_names_is_there(name):
    thing(name)


def test_what_checks_an_item_is_there():
    found = {name for name in spans(PAPER) if name.startswith("test_") and name != "test_"}
    assert len(found) > 60
    assert [name for name in sorted(found) if f"def {name}(" not in TESTS] == []
    proved = tool("check").theorems((PROOFS / "Proved.v").read_text())
    kernel = {name[7:] for name in spans(PAPER) if name.startswith("kernel ")}
    assert len(kernel) > 7
    assert kernel <= set(proved)
    known = {word for name in spans(PAPER) if name.startswith("verify ") for word in [name[7:]]}
    assert known
    for theorem in known:
        assert theorems.checks(theorem)


def test_an_item_has_a_name_or_a_reason():
    bare = [
        row
        for row in rows(PAPER)
        if "`ap." not in row[2] and "`antiphon." not in row[2]
        and not row[2].startswith(("words", "proof", "cited", "open", "measured", "`claims_at`"))
    ]  # fmt: skip
    assert bare == []


LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")


def anchors(page):
    """As GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"[`*\\]", "", title).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def broken(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in set(anchors(target))):
            yield link


@over("page", PAGES, at_least=54)
def test_links_lead_somewhere(page):
    assert list(broken(page)) == []


def test_a_broken_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](page.md#one) [b](page.md#two) [c](none.md)\n")
    assert list(broken(page)) == ["page.md#two", "none.md"]


def test_pages_that_docstrings_name_are_there():
    sources = chain(ROOT.glob("antiphon/**/*.py"), ROOT.glob("examples/*.py"))
    named = {name for path in sources for name in re.findall(r"docs/\w+\.md", path.read_text())}
    assert len(named) > 8
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.fixture
def pages(monkeypatch):
    """The files of docs that make the site."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module


def test_a_broken_link_of_the_site_is_seen(pages, tmp_path):
    (tmp_path / "a.html").write_text('<p id="one"><a href="b.html#two">b</a> <a href="#one">1</a>')
    (tmp_path / "b.html").write_text('<p id="2"><img src="none.svg"> <a href="https://x.org">x</a>')
    found = list(pages("links").broken(tmp_path))
    assert found == ["a.html: b.html#two", "b.html: none.svg"]


def test_every_public_room_is_in_the_reference(pages):
    rooms = pages("plain").ROOMS
    shown = "\n".join(path.read_text() for path in (ROOT / "docs/api").glob("*.md"))
    assert [room for room in rooms if f"automodule:: {room}\n" not in shown] == []
    named = set(re.findall(r"automodule:: (.*)", shown))
    assert named == set(rooms)
    for room in ("antiphon", *(f"antiphon.{each}" for each in ap.__all__)):
        module = getattr(ap, room.removeprefix("antiphon."), None) if "." in room else ap
        if type(module) is type(ap):
            assert module.__name__ in rooms


def test_a_name_is_found_where_it_is_shown(pages):
    found = pages("linking").full_name("antiphon.mechanisms.TreeCounter")
    assert "antiphon.mechanisms.TreeCounter" in found
    assert pages("linking").attribute("antiphon.no.such") is None


def test_docstrings_are_words_and_code(pages):
    rst = pages("plain").rst
    assert list(rst(["* one", "  more", "* two"])) == ["* one", "  more", "", "* two"]
    assert list(rst(["See FILE:LINE, *proved*, x*y."])) == ["See FILE\\:LINE, *proved*, x\\*y."]
    assert list(rst(["`a`s"])) == ["``a``\\ s"]


def test_every_example_is_listed():
    listed = set(
        re.findall(r"\]\(\.\./examples/(\w+\.py)\)", (ROOT / "docs/examples.md").read_text())
    )
    assert listed == {path.name for path in (ROOT / "examples").glob("*.py")}


@pytest.mark.slow
def test_a_python_that_is_not_here_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(ROOT / ".ci")
    try_dist = importlib.import_module("try_dist")
    (tmp_path / "antiphon-0-py3-none-any.whl").touch()
    assert try_dist.main(str(tmp_path), "3.99") == 2
    assert "NOT TRIED, as no such Python is here: 3.99" in capsys.readouterr().out
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(try_dist, "interpreter", {here: sys.executable}.get)
    monkeypatch.setattr(try_dist, "tried", lambda python, wheel: None)
    assert try_dist.main(str(tmp_path), here, "3.99") == 0
    assert try_dist.main(str(tmp_path), here, "3.99", "--strict") == 2


def test_every_theorem_that_is_decided_is_on_its_page(pages):
    tables = pages("theorem_tables")
    assert set(tables.ABOUT) == set(tables.groups(theorems.checks()))
    proved = tool("check").theorems((PROOFS / "Proved.v").read_text())
    for name, about in tables.ABOUT.items():
        assert {each.partition(":")[0] for each in about.kernel} <= set(proved)
        if about.sample is None:
            assert about.premises
        else:
            derivation = about.sample().derivation
            number = name.split()[-1]
            cited = {"Filters": "Haney", "S": "Theorem S", "G": "Theorem G", "R": "Theorem R"}
            assert cited.get(number, number) in derivation.theorem


def test_a_theorem_shows_a_formula(pages):
    tables = pages("theorem_tables")
    found = {name: [*tables.formula(about)] for name, about in tables.ABOUT.items()}
    shown = {name: lines[0].rpartition(" = ")[2] for name, lines in found.items() if lines}
    assert shown == {
        "Lemma 2.4": "1/100$",
        "Thm 4.12": "\\frac{q(q - 1)}{(q + 1)^{2}}$",
        "Thm 5.2": "0$",
        "Thm 1.4": "x^{3} - 3x^{2} + 3x$",
    }


def test_a_row_of_a_theorem_reads_as_it_was_decided(pages):
    tables = pages("theorem_tables")
    rows = [tables.decided(row.run()) for row in theorems.checks("2.4")]
    assert rows[0] == "| RR(ln 1, 1/7) | = (0, 1/7) | 1/7 | holds |"
    assert rows[-1].startswith("| *broken twin:* RR(ln 2, 1/10) that tells")
    assert rows[-1].endswith("| 29/200 | fails, as it must |")
