"""Every public name has one home, and one line in the reference."""

import importlib
import pkgutil
import re
from collections import Counter
from importlib.util import find_spec

import pytest
from sources import ROOT, SOURCES

import antiphon as ap

PACKAGES = ["antiphon"] + [
    each.name for each in pkgutil.walk_packages([str(ROOT)], "antiphon.") if each.ispkg
]
PAGE = (ROOT.parent / "docs/reference.md").read_text()
TWO_THINGS = {
    "Counterexample": "composition's is a theorem's, known before; audit's is one that was found",
}
"""Names that mean two things, each in one home."""
BEGINNING = [
    "EMPTY", "HALT", "TOP", "BOTTOM", "Pair", "same", "Ask", "Create", "Mechanism",
    "ContinualMechanism", "Adversary", "scripted", "adversary", "PostProcessor", "Side", "interact",
    "View", "replay", "record", "Recording", "register", "Identifier", "Verifier", "verifiers",
    "ConComp", "ExtConComp", "composition", "guarantee", "Guarantee", "PrivacyGame", "equivalent",
    "audit", "spaces",
]  # fmt: skip
"""The names that a newcomer's first programs are made of: they stay in ``ap``."""


@pytest.fixture(scope="module")
def reference():
    """What writes the page."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(ROOT.parent / "docs")
        yield importlib.import_module("reference")


def listed():
    """Each list of public names: of a package, by its name."""
    rooms = {name: importlib.import_module(name) for name in PACKAGES}
    return {name: room.__all__ for name, room in rooms.items() if hasattr(room, "__all__")}


def twice(lists):
    counted = Counter(name for names in lists.values() for name in names)
    return {name for name, times in counted.items() if times > 1}


def test_a_name_has_one_home():
    """Nor does another room show it: ruff refuses an import that is neither used nor listed."""
    assert sum(map(len, listed().values())) > 400
    assert twice(listed()) == set(TWO_THINGS)


def test_a_second_home_is_seen():
    lists = listed()
    assert twice(lists | {"elsewhere": ["TreeCounter"]}) - twice(lists) == {"TreeCounter"}


def test_two_homes_of_a_name_have_two_things():
    for name in TWO_THINGS:
        things = [getattr(importlib.import_module(room), name) for room in homes_of(name)]
        assert len({id(thing) for thing in things}) == len(things) > 1


def homes_of(name):
    return [room for room, names in listed().items() if name in names]


def test_only_rooms_list_names():
    files = [path for path in SOURCES if path.name != "__init__.py"]
    assert [path for path in files if "\n__all__ =" in path.read_text()] == []


def test_what_one_begins_with_is_at_the_top():
    assert set(BEGINNING) <= set(ap.__all__)


def test_each_name_stands_in_the_reference_once(reference):
    rows = Counter(line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    public = {
        f"{reference.address(room.__name__)}.{name}"
        for room in reference.homes()
        for name in reference.names(room)
    }
    assert len(public) > 450
    for room, names in listed().items():
        assert {f"{reference.address(room)}.{name}" for name in names} <= public
    assert [name for name, times in rows.items() if times > 1] == []
    assert set(rows) == public


def test_each_line_of_the_reference_says_what_it_is():
    rows = [line.split(" | ")[1:] for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row for row in rows if len(row[0].strip(" |")) < 6] == []


def test_the_reference_is_as_it_is_written(reference):
    """If this fails: ``python docs/reference.py``."""
    assert reference.page() == PAGE


IMPORT = re.compile(r"from (antiphon[\w.]*) import (\([^)]*\)|[\w, ]+)")
SHOWN = [
    *(ROOT.parent / "docs").glob("*.md"),
    *ROOT.parent.glob("*.md"),
    *(ROOT.parent / "examples").rglob("*.py"),
    *(ROOT.parent / "benchmarks").glob("*.py"),
    *SOURCES,
]


def lost(text):
    """What a text imports from a room that does not have it."""
    for room, names in IMPORT.findall(text):
        for name in re.findall(r"\w+", re.sub(r" as \w+|#.*", "", names)):
            there = room not in PACKAGES or hasattr(importlib.import_module(room), name)
            if not there and find_spec(f"{room}.{name}") is None:
                yield f"{room}.{name}"


def test_pages_and_programs_import_a_name_from_its_home():
    texts = {path: path.read_text() for path in SHOWN if path.name != "CHANGELOG.md"}
    assert sum(len(IMPORT.findall(text)) for text in texts.values()) > 2000
    assert {(path.name, name) for path, text in texts.items() for name in lost(text)} == set()


def test_an_import_from_elsewhere_is_seen():
    shown = ">>> from antiphon.protocol import Log, Pure, measures\n>>> from antiphon import Log"
    assert [*lost(shown)] == ["antiphon.protocol.Log"]
