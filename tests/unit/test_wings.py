"""A copy of the library without a wing works: what a wing adds is found by its files."""

import ast
import os
import re
import subprocess
import sys
from functools import cache

import pytest
from sources import ROOT
from test_house import JOINTS, WINGS

TESTS = ROOT.parent / "tests"
EVERYTHING = """
import importlib, pkgutil, sys
import antiphon as ap
gone, joints = sys.argv[1].split(","), sys.argv[2].split(",")
for each in pkgutil.walk_packages(ap.__path__, "antiphon."):
    joint = any(f".{name}" in each.name for name in joints)
    if not joint and not each.name.endswith("__main__"):
        importlib.import_module(each.name)
from antiphon.cli.app import app
names = {each.callback.__name__ for each in app.registered_commands}
added = {"verify": "selfcheck", "learn": "learners", "conjecture": "conjectures"}
assert "explain" in names and not {name for name in names if added.get(name) in gone}, names
for wing in gone:
    try: getattr(ap, wing)
    except AttributeError as error: assert wing in str(error), error
    else: raise AssertionError(wing)
system = ap.ConComp([ap.mechanisms.RandomizedResponse(epsilon=1)] * 2)
assert 1.9 < ap.guarantee(system).epsilon_at(1e-9) < 2.01
assert ap.check(ap.mechanisms.LeakyBit(delta=0))
from antiphon.protocol.registry import lookup
assert lookup("antiphon.LeakyBit/1") is ap.mechanisms.LeakyBit
assert lookup("antiphon.NoSuchPart/1") is None  # it is looked for in all that is here
"""


def without(wings, folder):
    """A copy of the library, by links, that lacks these wings."""
    copy = folder / "antiphon"
    copy.mkdir(parents=True)
    for each in ROOT.iterdir():
        if each.name not in {*wings, "__pycache__"}:
            (copy / each.name).symlink_to(each)
    return os.environ | {"PYTHONPATH": str(folder)}


def run_all(wings, folder):
    joints = [joint for joint, room in JOINTS.items() if room in wings]
    told = [sys.executable, "-c", EVERYTHING, ",".join(wings), ",".join(joints) or "-"]
    return subprocess.run(
        told, cwd=folder, env=without(wings, folder), capture_output=True, text=True
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("wings", [WINGS, ["conjectures"]], ids=["all", "conjectures"])
def test_the_core_needs_no_wing(wings, tmp_path):
    """Nor do learners, which have conjectures about them, need the room that tries those."""
    done = run_all(wings, tmp_path)
    assert done.returncode == 0, done.stderr


@cache
def mentions(wing):
    """The test files that name a wing, themselves or by a module of tests that they import."""
    named = re.compile(rf"\b(?:antiphon|ap)\.{wing}\b|from antiphon import [^\n]*\b{wing}\b")
    texts = {path: path.read_text() for path in TESTS.rglob("*.py")}
    found = {path for path, text in texts.items() if named.search(text)}
    while True:
        stems = {path.stem for path in found}
        more = {
            path for path, text in texts.items() if path not in found and _imports(text) & stems
        }
        if not more:
            return found
        found |= more


def _imports(text):
    """The modules of tests that a test imports."""
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom | ast.Import)
    ]
    froms = {
        node.module.split(".")[-1]
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module
    }
    return froms | {
        name.name for node in nodes if isinstance(node, ast.Import) for name in node.names
    }


@pytest.mark.slow
@pytest.mark.parametrize("wing", WINGS)
def test_the_rest_passes_without_a_wing(wing, tmp_path):
    env = without([wing], tmp_path)
    done = run_all([wing], tmp_path / "all")
    assert done.returncode == 0, done.stderr
    rest = sorted(
        path
        for room in ("unit", "exact", "laws")
        for path in (TESTS / room).rglob("test_*.py")
        if path not in mentions(wing)
        and path.name not in {"test_house.py", "test_wings.py", "test_mutants.py", "test_docs.py"}
        and path.parent.name not in {wing, "mutants"}
    )
    assert len(rest) > 60
    told = [
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
        "-n", "logical", "--dist", "worksteal", *map(str, rest),
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, *told], cwd=ROOT.parent, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]
