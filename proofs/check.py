"""Check the compiled proofs: coqchk's kernel, and no axiom behind any theorem of Proved.v.

`make proofs` runs this after coqc. It exits with an error that names the theorem, if one rests
on an axiom, if a statement of Statements.v has no proof in Proved.v, or if coqchk refuses.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CITED = HERE.parent / "antiphon" / "composition" / "guarantees" / "mechanised.py"
CLOSED = "Closed under the global context"
OLDEST = (8, 16)


def theorems(text: str) -> dict[str, str]:
    """The theorems of a file of proofs, and the statement each of them proves."""
    return dict(re.findall(r"^Theorem (\w+) : (\w+)\.$", text, re.MULTILINE))


def statements(text: str) -> set[str]:
    """The theorems that Statements.v states."""
    text = text[text.index("== statements *)") :]
    return set(re.findall(r"^Definition (\w+) : Prop :=$", text, re.MULTILINE))


def cited_and_not_proved(proved: dict[str, str]) -> list[str]:
    """The theorems that a rule of the library cites and Proved.v does not have."""
    names = re.findall(r'Mechanised\("(\w+)"', CITED.read_text())
    return sorted(set(names) - set(proved))


def axioms(names: list[str]) -> dict[str, str]:
    """Coq's answer to `Print Assumptions` for each theorem."""
    lines = ["From Antiphon Require Import Proved."]
    lines += [f'Redirect "{name}" Print Assumptions {name}.' for name in names]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Ask.v").write_text("\n".join(lines) + "\n")
        command = ["coqc", "-Q", str(HERE), "Antiphon", "Ask.v"]
        asked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if asked.returncode:
            sys.exit(f"coqc could not print the axioms:\n{asked.stderr}")
        return {name: (Path(folder) / f"{name}.out").read_text().strip() for name in names}


def run(text: str, proofs: Path = HERE) -> str:
    """What coqc prints for a file that uses the compiled proofs; ends with its error, if any."""
    ready()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Asked.v").write_text(text)
        command = ["coqc", "-Q", str(proofs), "Antiphon", "Asked.v"]
        asked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if asked.returncode:
        sys.exit(f"coqc refuses it: {' '.join(asked.stderr.split())}")
    return asked.stdout


def version() -> tuple[int, ...]:
    """The version of the coqc that is installed; an error says how to get one."""
    if shutil.which("coqc") is None:
        sys.exit("coqc is not installed. Get it with: apt-get install coq (Debian 12 or newer)")
    asked = ["coqc", "--print-version"]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", printed.split()[0])[:2])


def ready() -> None:
    """Ends with a line where there is no coqc, or one that is too old."""
    found = version()
    if found < OLDEST:
        sys.exit(f"coqc is {'.'.join(map(str, found))}; the proofs need 8.16 or newer")


def main() -> None:
    """Check everything; with --version, only that a coqc is there."""
    ready()
    if "--version" in sys.argv:
        return
    proved = theorems((HERE / "Proved.v").read_text())
    stated = statements((HERE / "Statements.v").read_text())
    if missing := stated ^ set(proved.values()):
        sys.exit(f"stated and not proved, or proved and not stated: {', '.join(sorted(missing))}")
    if CITED.exists() and (unknown := cited_and_not_proved(proved)):
        sys.exit(f"{CITED.name} cites what is no theorem of Proved.v: {', '.join(unknown)}")
    for name, answer in axioms(list(proved)).items():
        if answer != CLOSED:
            sys.exit(f"{name} rests on axioms:\n{answer}")
        print(f"{name}: {proved[name]}: {CLOSED}")
    modules = [
        line[:-2] for line in (HERE / "_CoqProject").read_text().split() if line.endswith(".v")
    ]
    command = [
        "coqchk",
        "-silent",
        "-o",
        "-Q",
        str(HERE),
        "Antiphon",
        *(f"Antiphon.{name}" for name in modules),
    ]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    if checked.returncode or "* Axioms: <none>" not in checked.stdout + checked.stderr:
        sys.exit(f"coqchk does not accept the proofs:\n{checked.stdout}{checked.stderr}")
    print(f"coqchk accepts {len(modules)} files; no axioms")


if __name__ == "__main__":
    main()
