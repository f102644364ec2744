"""Write certificates of exact answers (docs/certificates.md) as theorems that Coq's kernel checks.

`python3 proofs/certify.py FILE.jsonl …` checks some, after `make proofs`. The moves of the columns
are computed here, and nothing rests on that: the kernel checks them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
READER = HERE.parent / "antiphon" / "audit" / "certificates" / "antiphon_check.py"


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"{path.stem}_for_coq", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_CHECKER = _module(READER)
NotAccepted = _CHECKER.NotAccepted


class Explained(_CHECKER.CertificateFile):  # type: ignore[misc, name-defined]
    """A certificate that remembers what each pair does, of a column whose moves are asked for."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.does: dict[int, tuple[list[Any], list[Any]]] = {}
        self.names: dict[int, list[Any]] = {}
        super().__init__(lines)

    def moves(self, column: int) -> list[Any]:
        """[(first pair, whether the purse pays, denominator, branches)] of unlike branches."""
        if column not in self.names:
            self.names[column] = self._moves(column)
        return self.names[column]

    def _moves(self, column: int) -> list[Any]:
        part, judged, law0, law1 = self.columns[column]
        found: dict[Any, Any] = {}
        does: list[Any] = []
        for zero, one, to in self.tables["f"][part, judged]:
            common, after = self._branches(part, to, (law0, zero), (law1, one))
            if len(after) == 1 and after[0][2] <= 1:
                does.append(after[0][3])
                continue
            key = zero != one and not judged % 2, common, tuple(each[:3] for each in after)
            found.setdefault(key, [column, zero, one])
            does.append(([*found].index(key), [each[3] for each in after]))
        self.does[column] = [*found], does
        return [(name, *key) for key, name in found.items()]

    def _branches(self, part: int, to: int, ahead: Any, behind: Any) -> tuple[int, list[Any]]:
        """The common denominator, and sorted (factor, factor, column, answer)."""
        (over0, after0), (over1, after1) = self.push(part, *ahead), self.push(part, *behind)
        common, found = lcm(over0, over1), []
        for answer in {**after0, **after1}:
            (by0, new0), (by1, new1) = after0.get(answer, (0, ())), after1.get(answer, (0, ()))
            alive = any(new0[::2]) or any(new1[::2])
            new = self.number(part, to, new0, new1) if alive else int(answer > 0)
            found.append((by0 * (common // over0), by1 * (common // over1), new, answer))
        return common, sorted(found)


def listing(items: Iterable[object]) -> str:
    """A list of Coq."""
    return f"[{'; '.join(map(str, items))}]"


def _pairs(law: tuple[int, ...]) -> str:
    return listing(f"({s}, {w})" for s, w in zip(law[::2], law[1::2], strict=True))


def _triples(rows: Iterable[Iterable[int]]) -> str:
    return listing(f"({', '.join(map(str, row))})" for row in rows)


def _branch(branch: tuple[int, int, int]) -> str:
    zero, one, column = branch
    return f"({zero}, {one}, {('Over', 'Dead')[column] if column <= 1 else f'Live {column}'})"


def _truth(value: object) -> str:
    return "true" if value else "false"


def _column(read: Explained, number: int) -> str:
    part, judged, law0, law1 = read.columns[number]
    moves = "None"
    if number in read.does:
        kinds, does = read.does[number]
        rows = (
            f"move {_truth(pays)} {common} {listing(map(_branch, branches))}"
            for pays, common, branches in kinds
        )
        what = (
            f"Like {each[0]} {listing(each[1])}" if isinstance(each, tuple) else f"Idle {each}"
            for each in does
        )
        moves = f"(Some ({listing(rows)}, {listing(what)}))"
    return f"column {number} {part} {judged} {_pairs(law0)} {_pairs(law1)} {moves}"


def _best(read: Explained, best: list[int]) -> str:
    if len(best) < 2:
        return f"(Make {best[0]})" if best else "Stop"
    column, zero, one = best
    names = [name for name, *_ in read.moves(column)]
    return f"(Say {column} {names.index(best)} ({zero}, {one}))"


def certificate(read: Explained) -> str:
    """The `Certificate`."""
    tables = read.tables
    rows = {
        "parts": (
            f"([{i}], ({zero[0]}, {one[0]}, {j}, {c}))"
            for c in tables["part"].values()
            for i, j, zero, one in [read.columns[c]]
        ),
        "steps": (
            f"step_row {i} {s} {q} {over} {_triples(sorted(branches))}"
            for (i, s, q), (over, branches) in tables["step"].items()
        ),
        "rules": (f"([{i}; {j}], {_triples(pairs)})" for (i, j), pairs in tables["f"].items()),
        "publics": (
            f"([{p}], ({_truth(asks)}, {listing(f'({i}, {to})' for i, to in differ.items())}, "
            f"{listing(f'({i}, ({to}, {_truth(born)}))' for i, (to, born) in admits.items())}))"
            for p, (asks, differ, admits) in tables["public"].items()
        ),
        "lesser": (f"([{small}; {large}], tt)" for small, large in sorted(read.lesser())),
        "columns": (_column(read, number) for number in range(2, len(read.columns))),
        "nodes": (
            f"node {t} {p} {created} {a} {b} {listing(columns)} {u} {v} {_best(read, best)}"
            for (t, (p, created, columns), a, b), (u, v, best) in tables["node"].items()
        ),
    }
    fields = "".join(f";\n  {name} := {listing(each)}" for name, each in rows.items())
    return (
        f"{{| rounds := {read.rounds}; symmetric := {_truth(read.symmetric)}; "
        f"composed := {_truth(read.composed)}; creations := {read.most}{fields} |}}"
    )


HEADER = """From Coq Require Import QArith List NArith.
From Antiphon Require Import Game Certificate Attained.
Import ListNotations.
Open Scope N_scope.
"""


def theorem(lines: Iterable[str], name: str = "certified") -> str:
    """The text of a file that proves what a certificate says. Raises: NotAccepted."""
    read = Explained(lines)
    read.check()
    return HEADER + definition(read, name) + "".join(_theorems(read, name))


def definition(read: Explained, name: str) -> str:
    """A certificate's data, as a definition."""
    return f"Definition {name}_data : Certificate := {certificate(read)}.\n"


def claims(read: Explained, name: str) -> list[str]:
    """What a certificate claims: its data, e^ε as two numbers, and δ."""
    found = (
        (one, zero, Fraction(*delta)) for (_, one, zero), delta in read.tables["delta"].items()
    )
    return [f"{name}_data {one} {zero} ({d.numerator} # {d.denominator})" for one, zero, d in found]


def _theorems(read: Explained, name: str) -> Iterator[str]:
    said = claims(read, name)
    for number, claim in enumerate(said):
        it = name if len(said) == 1 else f"{name}_{number}"
        yield f"""Theorem {it} : bounds {claim} /\\ attains {claim}.
Proof. apply tight. vm_cast_no_check (@eq_refl bool true). Qed.
Print Assumptions {it}.
"""


def main(paths: list[str]) -> None:
    """Check the files, one after the other."""
    check = _module(HERE / "check.py")
    for path in paths or sys.exit("which certificates? python3 proofs/certify.py FILE.jsonl …"):
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
        said = check.run(theorem(lines))
        print(f"{path}: {Explained(lines).check()}: {' '.join(said.split())}")


if __name__ == "__main__":
    main(sys.argv[1:])
