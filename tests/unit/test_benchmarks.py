"""The benchmarks run on a fresh clone: what pytest imports is pinned, and no peer chooses pins."""

import ast
import re
import runpy
import sys
import tomllib
from pathlib import Path

from trying import over

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
IGNORED = runpy.run_path(str(BENCHMARKS / "conftest.py"))["collect_ignore"]
COLLECTED = sorted(
    path
    for path in BENCHMARKS.rglob("*.py")
    if path.relative_to(BENCHMARKS).parts[0] not in IGNORED
)
INSTALLED = {"antiphon", "attrs", "numpy", "pytest"}


def pinned(name):
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / name).read_text(), re.M))


def peers():
    (line,) = re.findall(r"^PEERS := (.*)$", (ROOT / "Makefile").read_text(), re.M)
    return set(re.findall(r'"([a-z0-9-]+)', line))


@over("path", COLLECTED, at_least=27)
def test_pytest_imports_no_peer_with_a_module(path):
    """A missing peer is a skip; at the top of a module it would stop the whole run."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    siblings = {each.stem for each in COLLECTED}
    assert names <= INSTALLED | siblings | sys.stdlib_module_names


TIMED = "benchmark.stats is not None"


@over("path", COLLECTED, at_least=27)
def test_benchmarks_run_untimed(path):
    """With --benchmark-disable there are no times: whoever reads them asks first."""
    tree = ast.parse(path.read_text())
    asked = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == TIMED
        for inner in ast.walk(node)
    }
    reads = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "benchmark.stats"
        if id(node) not in asked
    ]
    assert reads == []


def test_what_is_required_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.match(r"[a-zA-Z0-9-]+", each)[0] for extra in listed for each in extra}
    assert names - {"antiphon"} <= pinned("constraints.txt")


def test_peers_are_pinned_apart():
    assert peers()
    assert peers() <= pinned("constraints-peers.txt")
    assert not peers() & pinned("constraints.txt")
