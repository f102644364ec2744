"""The Coq proofs: every statement has one, none admits anything, and Coq accepts them.

Compiling takes a minute and needs coqc, so only the slow test does it; it skips where coqc is
missing. What can be read without Coq is checked every day.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from proved import FILES, PROOFS, needs_coq, tool


def check() -> ModuleType:
    """proofs/check.py, which stands outside the package."""
    return tool("check")


def without_comments(text: str) -> str:
    """The text outside (* … *); our comments do not nest."""
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)


def test_every_file_of_proofs_is_built() -> None:
    assert sorted(FILES) == sorted(path.name for path in PROOFS.glob("*.v"))


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_admitted(name: str) -> None:
    text = without_comments((PROOFS / name).read_text())
    words = r"\b(Axioms?|Admitted|admit|Parameters?|Conjecture|bypass_check|Unset Guard Checking)\b"
    assert not re.findall(words, text)


def test_every_statement_is_proved_and_every_theorem_stated() -> None:
    module = check()
    proved = module.theorems((PROOFS / "Proved.v").read_text())
    assert module.statements((PROOFS / "Statements.v").read_text()) == set(proved.values())
    assert len(proved) == len(set(proved.values())) > 10


def test_the_checker_sees_a_statement_without_a_proof() -> None:
    module = check()
    text = (PROOFS / "Statements.v").read_text() + "\nDefinition Too_good : Prop :=\n  True.\n"
    proved = module.theorems((PROOFS / "Proved.v").read_text())
    assert module.statements(text) - set(proved.values()) == {"Too_good"}


def test_the_page_names_every_theorem() -> None:
    page = (PROOFS.parent / "docs" / "machine_checked.md").read_text()
    proved = check().theorems((PROOFS / "Proved.v").read_text())
    assert [name for name in proved if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("coqc", "said"),
    [(None, "apt-get install coq"), ("8.12.1 4.08.1", "coqc is 8.12; the proofs need 8.16")],
)
def test_a_missing_or_old_coqc_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coqc: str | None, said: str
) -> None:
    if coqc is not None:
        program = tmp_path / "coqc"
        program.write_text(f"#!/bin/sh\necho {coqc}\n")
        program.chmod(0o755)
    command = [sys.executable, str(PROOFS / "check.py")]
    asked = subprocess.run(
        command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert asked.returncode == 1
    assert said in asked.stderr
    assert asked.stderr.count("\n") == 1
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=said):
        check().run("Print nat.")


@pytest.mark.slow
@needs_coq
def test_coq_accepts_the_proofs(tmp_path: Path) -> None:
    """On a copy, from clean: compiled, checked again by coqchk, and each theorem's axioms empty."""
    folder = tmp_path / "proofs"
    shutil.copytree(
        PROOFS, folder, ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*.aux", "*CoqMakefile*")
    )
    (tmp_path / "Makefile").write_text((PROOFS.parent / "Makefile").read_text())
    made = subprocess.run(
        ["make", "proofs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "no axioms" in made.stdout
