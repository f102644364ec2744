"""Write certificates of exact answers (docs/certificates.md) as theorems that Coq's kernel checks.

After `make proofs`, `python3 proofs/certify.py FILE.jsonl …` checks such files. The possible moves
of each column are computed here and checked by the kernel, so this file need not be believed.
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
    """A certificate that keeps the effect of each pair of queries to a column, for Coq to check."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.does: dict[int, tuple[list[Any], list[Any]]] = {}
        self.names: dict[int, dict[Any, Any]] = {}
        super().__init__(lines)

    def read(self, kind: str, *row: Any) -> bool:
        """Returns whether a line is sound in itself. An ``epsilon`` line is ignored: of a tight ε,
        Coq proves the three points of the curve."""
        return kind == "epsilon" or super().read(kind, *row)

    def moves(self, column: int) -> dict[Any, Any]:
        """Returns one pair for each different effect, as the reader does; keeps all effects."""
        if column not in self.names:
            self.names[column] = self._moves(column)
        return self.names[column]

    def _moves(self, column: int) -> dict[Any, Any]:
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
        return found

    def _branches(self, part: int, to: int, ahead: Any, behind: Any) -> tuple[int, list[Any]]:
        """Returns (denominator, branches) of a pair of queries to a part, whose f then has the
        state ``to``. The branches (factor of world 0, of world 1, column, answer) are sorted."""
        (over0, after0), (over1, after1) = self.push(part, *ahead), self.push(part, *behind)
        common, found = lcm(over0, over1), []
        for answer in {**after0, **after1}:
            (by0, new0), (by1, new1) = after0.get(answer, (0, 0)), after1.get(answer, (0, 0))
            alive, key = max(new0, new1) > _CHECKER.DEAD, (part, to, new0, new1)
            new = _CHECKER.number(self.columns, key) if alive else min(answer, _CHECKER.SPENT)
            found.append((by0 * (common // over0), by1 * (common // over1), new, answer))
        return common, sorted(found)


def listing(items: Iterable[object]) -> str:
    """Returns items as a list in Coq's notation."""
    return f"[{'; '.join(map(str, items))}]"


def _pairs(law: Iterable[tuple[int, int]]) -> str:
    return listing(f"({state}, {weight})" for state, weight in law)


def _triples(rows: Iterable[Iterable[int]]) -> str:
    return listing(f"({', '.join(map(str, row))})" for row in rows)


class Shared:
    """Coq definitions for the terms that a certificate repeats. Most of Coq's time goes into
    reading terms, and into reading large numbers most of all."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.names: dict[tuple[str, str], str] = {}

    def __call__(self, kind: str, term: str) -> str:
        """Returns the name of a Coq term of some type; a new term gets a definition."""
        return self.names.setdefault((kind, term), f"{self.name}_t{len(self.names)}")

    def number(self, value: int) -> str:
        """Returns a number in Coq's notation; above 99, the name of its definition."""
        return str(value) if value < 100 else self("N", str(value))

    def definitions(self) -> str:
        """Returns the text of all definitions, in the order of their names."""
        terms = ((name, *each) for each, name in self.names.items())
        return "".join(f"Definition {name} : {kind} := {term}.\n" for name, kind, term in terms)


def _truth(value: object) -> str:
    return "true" if value else "false"


def _column(read: Explained, number: int, share: Shared) -> str:
    part, judged, *laws = read.columns[number]
    law0, law1 = (share("Law", _pairs(read.laws[law])) for law in laws)
    moves = "None"
    if number in read.does:
        kinds, does = read.does[number]
        what = listing(
            f"Like {each[0]} {listing(each[1])}" if isinstance(each, tuple) else f"Idle {each}"
            for each in does
        )
        rows = listing(_move(share, *kind) for kind in kinds)
        moves = f"(Some ({rows}, {share('list Does', what)}))"
    return f"column {number} {part} {judged} {law0} {law1} {moves}"


def _move(share: Shared, pays: bool, common: int, branches: Any) -> str:
    """Returns a move in Coq's notation. The frequent moves, with two branches that both lead to
    columns, call a function, so that Coq infers no types."""
    if len(branches) == 2 and min(column for *_, column in branches) > _CHECKER.SPENT:
        numbers = (share.number(each) for branch in branches for each in branch)
        return f"fork {_truth(pays)} {common} {' '.join(numbers)}"
    rows = (
        f"({share.number(zero)}, {share.number(one)}, {_to(share, column)})"
        for zero, one, column in branches
    )
    return f"move {_truth(pays)} {common} {listing(rows)}"


def _to(share: Shared, column: int) -> str:
    return ("Over", "Dead")[column] if column <= 1 else f"Live {share.number(column)}"


def _best(read: Explained, best: list[int]) -> str:
    if len(best) < 2:
        return f"(Make {best[0]})" if best else "Stop"
    column, zero, one = best
    names = [*read.moves(column).values()]
    return f"(Say {column} {names.index(best)} ({zero}, {one}))"


def certificate(read: Explained, share: Shared) -> str:
    """Returns a certificate as a record of the Coq type `Certificate`."""
    tables = read.tables
    publics = ((p, *row) for p, row in tables["public"].items() if p >= 0)
    rows = {
        "parts": (
            f"([{i}], ({read.laws[zero][0][0]}, {read.laws[one][0][0]}, {j}, {c}))"
            for c in tables["part"].values()
            for i, j, zero, one in [read.columns[c]]
        ),
        "steps": (
            f"step_row {i} {s} {q} {over} {_triples(sorted(branches))}"
            for (i, s, q), (over, branches) in tables["step"].items()
        ),
        "rules": (f"([{i}; {j}], {_triples(pairs)})" for (i, j), pairs in tables["f"].items()),
        "publics": (
            f"([{p}], ({_truth(asks)}, {listing(_paid(may))}, {listing(_created(may))}))"
            for p, asks, may in publics
        ),
        "lesser": (f"([{small}; {large}], tt)" for small, large in sorted(read.compare_purses())),
        "columns": (_column(read, each, share) for each in range(2, len(read.columns) // 2)),
        "nodes": (
            f"node {t} {p} {created} {a} {b} {listing(columns)} {u} {v} {_best(read, best)}"
            for (t, (p, created, columns), a, b), (u, v, best) in tables["node"].items()
        ),
    }
    fields = "".join(f";\n  {field} := {listing(each)}" for field, each in rows.items())
    return (
        f"{{| rounds := {read.rounds}; symmetric := {_truth(read.symmetric)}; "
        f"composed := {_truth(read.composed)}; creations := {read.most}{fields} |}}"
    )


def _paid(may: dict[tuple[int, int], int]) -> Iterator[str]:
    """Yields (part, next public state) for each part whose differing pair is paid for."""
    return (f"({part}, {to})" for (part, what), to in may.items() if what == _CHECKER.PAYS)


def _created(may: dict[tuple[int, int], int]) -> Iterator[str]:
    """Yields (part, (next public state, whether a part is made)) for each allowed creation."""
    return (
        f"({part}, ({to}, {_truth(what)}))"
        for (part, what), to in may.items()
        if what != _CHECKER.PAYS
    )


HEADER = """From Coq Require Import QArith List NArith.
From Antiphon Require Import Game Certificate Attained.
Import ListNotations.
Open Scope N_scope.
"""


def theorem(lines: Iterable[str], name: str = "certified") -> str:
    """Returns the text of a Coq file that proves the figures of a certificate. Raises: NotAccepted
    for a certificate that the reader refuses."""
    read = Explained(lines)
    read.check()
    return HEADER + definition(read, name) + "".join(_theorems(read, name))


def definition(read: Explained, name: str) -> str:
    """Returns the Coq definitions of a certificate's data."""
    share = Shared(name)
    data = certificate(read, share)
    return f"{share.definitions()}Definition {name}_data : Certificate := {data}.\n"


def claims(read: Explained, name: str) -> list[str]:
    """Returns the claims of a certificate: of each the name of the data, e^ε in two numbers, δ."""
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
    """Checks certificates by Coq, one file after the other, and prints what was proved."""
    check = _module(HERE / "check.py")
    for path in paths or sys.exit("which certificates? python3 proofs/certify.py FILE.jsonl …"):
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
        said = check.run(theorem(lines))
        print(f"{path}: {Explained(lines).check()}: {' '.join(said.split())}")


if __name__ == "__main__":
    main(sys.argv[1:])
