"""What CONTRIBUTING says is enough: toys are added to a copy by its lists of files.

A toy mechanism goes through the suite of conformance; a toy command is listed and runs.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sources

import antiphon as ap

ROOT = Path(ap.__file__).parents[1]
MECHANISM = '''"""A toy: a bit that lies one time in four."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from antiphon.numbers.exact import Log
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon import Claim
from antiphon.protocol import Pure
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Signature
from antiphon.verifiers.models import neighbouring_start


@register("antiphon.Toy/1")
@attrs.frozen
class Toy(NoninteractiveMechanism[int, int]):
    """A bit ↦ the other one w.p. 1/4. Privacy: ln 3 w.r.t. f_∼; proved. Source: Warner 1965."""

    @property
    def signature(self) -> Signature:
        return Signature(BITS, BITS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Pure(Log(3)), neighbouring_start(), "Warner 1965")

    def respond(self, dataset: int, coins: Any) -> int:
        return 1 - dataset if coins.bernoulli(Fraction(1, 4)) else dataset
'''
SPECIMEN = '''"""A toy."""

from __future__ import annotations

import math
from collections.abc import Iterator

from antiphon.mechanisms.randomized_response import KaryResponse
from antiphon.mechanisms.toy import Toy
from antiphon.numbers.exact import Log
from antiphon.selfcheck.corpus.specimen import as_claimed, broken, numbers
from antiphon.selfcheck.corpus.entry import Truth
from antiphon.selfcheck.corpus.specimen import NOT_BITS, Example, Specimen


def specimens() -> Iterator[Specimen]:
    """One."""
    toy, loud = Toy(), KaryResponse(epsilon=Log(9), values=2)
    yield Specimen(
        Toy,
        Example(toy, NOT_BITS, finite=True),
        as_claimed("toy", toy, numbers(0, 1)),
        broken("toy that lies too rarely", loud, toy.claims[0], numbers(0, 1), Truth(math.log(9))),
    )
'''
COMMAND = '''"""``antiphon toy``: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from antiphon.cli.options import Json


def toy(
    bit: Annotated[int, typer.Option(min=0, max=1, help="A bit.")] = 0, json: Json = False
) -> int:
    """Say a bit."""
    from antiphon.cli.output import print_json

    if json:
        print_json({"bit": bit})
    else:
        print(f"the bit is {bit}")
    return bit
'''
IN_ONE_PROCESS = """from antiphon.cli import main

for said in ("--help", "toy --help", "toy --bit 1", "toy --json", "toy --bit 2"):
    print("=>", main(said.split()), flush=True)
"""


def listed(section):
    """The files of the package that a section's list names."""
    text = (ROOT / "CONTRIBUTING.md").read_text().partition(f"## {section}\n")[2].partition("\n## ")
    return re.findall(r"^\| `(antiphon/[^`]+)`", text[0], re.M)


@pytest.fixture
def copied(tmp_path):
    """A copy of the package and of what the suite of conformance needs; runs Python there."""
    for name in ("antiphon", "tests/conformance"):
        sources.copied(ROOT / name, tmp_path / name)
    for name in ("conftest.py", "catalogue.py", "strategies.py", "trying.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    before = {path: path.read_text() for path in (tmp_path / "antiphon").rglob("*.py")}

    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    def changed():
        now = {path: path.read_text() for path in (tmp_path / "antiphon").rglob("*.py")}
        return {str(path.relative_to(tmp_path)) for path in now if now[path] != before.get(path)}

    run.root, run.changed = tmp_path, changed
    return run


def write(root, files):
    for path, text in files.items():
        (root / path).write_text(text)


def files_of_a_mechanism():
    """By their paths: the mechanism, the room that exports it, its specimen."""
    own, room, specimen = (path.replace("NAME", "toy") for path in listed("Add a mechanism"))
    exports = (ROOT / room).read_text().replace("__all__ = [", '__all__ = [\n    "Toy",', 1)
    imported = "from antiphon.mechanisms.toy import Toy\n"
    exports = exports.replace("\n__all__", f"{imported}\n__all__", 1)
    return {own: MECHANISM, room: exports, specimen: SPECIMEN}


@pytest.mark.slow
def test_a_mechanism_is_at_most_three_files(copied):
    files = files_of_a_mechanism()
    write(copied.root, files)
    assert copied.changed() == set(files)
    assert len(files) <= 3

    suite = "tests/conformance/test_conformance.py"
    done = copied("-m", "pytest", "-p", "no:cacheprovider", suite, "-k", "Toy or complete")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 10
    assert (
        "| `Toy` | ε | proved | Warner 1965 |" in copied("-m", "antiphon.selfcheck.corpus").stdout
    )
    promise = "import antiphon as ap; print(ap.guarantee(ap.mechanisms.Toy()).epsilon_at(0))"
    assert copied("-c", promise).stdout == "1.0986122886681098\n"
    audited = copied("-m", "antiphon", "audit", "--corpus", "--only", "toy", "--samples", "20000")
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert "refuted, as it must" in audited.stdout


@pytest.mark.slow
def test_a_mechanism_without_a_specimen_is_missed(copied):
    *own, _ = files_of_a_mechanism().items()
    write(copied.root, dict(own))
    suite = "tests/conformance/test_conformance.py::test_the_tables_are_complete"
    assert copied("-m", "pytest", "-p", "no:cacheprovider", suite).returncode == 1


def test_a_command_is_at_most_two_files(copied):
    own, _ = (path.replace("NAME", "toy") for path in listed("Add a command"))
    write(copied.root, {own: COMMAND})
    assert copied.changed() == {own}
    assert copied("-m", "antiphon", "toy", "--bit", "1").returncode == 1
    shown = copied("-c", IN_ONE_PROCESS).stdout
    assert shown.index("Say a bit.") > shown.index("Draw a view as a sequence diagram.")
    assert "--bit" in shown
    assert shown.endswith('the bit is 1\n=> 1\n{"bit": 0}\n=> 0\n=> 2\n')
