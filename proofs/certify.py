"""Write a certificate of an exact answer (docs/certificates.md) as a theorem that Coq's kernel checks.

`python3 proofs/certify.py FILE.jsonl` checks one; `check.run` compiles the text that `theorem` makes.
The moves of the columns are computed here, and nothing rests on that: the kernel checks them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
READER = HERE.parent / "antiphon" / "audit" / "certificates" / "antiphon_check.py"


def _reader() -> Any:
    spec = importlib.util.spec_from_file_location("antiphon_check_for_coq", READER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Explained(_reader().CertificateFile):  # type: ignore[misc]
    """A certificate that remembers, of each column whose moves were asked for, what every pair does."""

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
            branches = self._branches(part, to, (law0, zero), (law1, one))
            common, after = branches
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


def lesser(publics: dict[int, Any]) -> list[tuple[int, int]]:
    """The pairs (p, p') of public states where p' allows all that p does, after each payment."""
    waiting = [(to, p) for p, (_, differ, _) in publics.items() for to in differ.values()]
    found: dict[tuple[int, int], None] = {}
    while waiting:
        small, large = pair = waiting.pop()
        if small == large or pair in found:
            continue
        found[pair] = None
        asks, differ, admits = publics[small]
        more_asks, more, more_admits = publics[large]
        if asks > more_asks or not differ.keys() <= more.keys() or not admits.keys() <= more_admits.keys():
            sys.exit(f"public state {small} allows what {large} does not: Coq's check has no rule for it")
        waiting += [(to, more[part]) for part, to in differ.items()]
        waiting += [(to, more_admits[part][0]) for part, (to, _) in admits.items()]
    return [*found]


def listing(items: Iterable[object]) -> str:
    """A list of Coq."""
    return f"[{'; '.join(map(str, items))}]"


def _pairs(law: tuple[int, ...]) -> str:
    return listing(f"({s}, {w})" for s, w in zip(law[::2], law[1::2], strict=True))


def _truth(value: object) -> str:
    return "true" if value else "false"


def _target(column: int) -> str:
    return ("Over", "Dead")[column] if column <= 1 else f"(Live {column})"


def _column(read: Explained, number: int) -> str:
    part, judged, law0, law1 = read.columns[number]
    moves = "None"
    if number in read.does:
        kinds, does = read.does[number]
        rows = (
            f"move {_truth(pays)} {common} {listing(f'({z}, {o}, {_target(new)})' for z, o, new in branches)}"
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
            f"([{i}], ({read.columns[c][2][0]}, {read.columns[c][3][0]}, {read.columns[c][1]}, {c}))"
            for i, c in tables["part"].items()
        ),
        "steps": (
            f"step_row {i} {s} {q} {over} {listing(f'({a}, {to}, {w})' for a, to, w in sorted(branches))}"
            for (i, s, q), (over, branches) in tables["step"].items()
        ),
        "rules": (
            f"([{i}; {j}], {listing(f'({zero}, {one}, {to})' for zero, one, to in pairs)})"
            for (i, j), pairs in tables["f"].items()
        ),
        "publics": (
            f"([{p}], ({_truth(asks)}, {listing(f'({i}, {to})' for i, to in differ.items())}, "
            f"{listing(f'({i}, ({to}, {_truth(born)}))' for i, (to, born) in admits.items())}))"
            for p, (asks, differ, admits) in tables["public"].items()
        ),
        "lesser": (f"([{small}; {large}], tt)" for small, large in lesser(tables["public"])),
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
From Antiphon Require Import Game Certificate Sound.
Import ListNotations.
Open Scope N_scope.
"""


def theorem(lines: Iterable[str], name: str = "certified") -> str:
    """The text of a file that proves what a certificate says. Raises: NotAccepted."""
    read = Explained(lines)
    read.check()
    text = f"{HEADER}Definition {name}_data : Certificate := {certificate(read)}.\n"
    for number, ((_, one, zero), delta) in enumerate(tables := read.tables["delta"].items()):
        it = name if len(tables) == 1 else f"{name}_{number}"
        d = Fraction(*delta)
        text += f"""Theorem {it} : bounds {name}_data {one} {zero} ({d.numerator} # {d.denominator}).
Proof. apply accepted. vm_cast_no_check (@eq_refl bool true). Qed.
Print Assumptions {it}.
"""
    return text
