"""The list of mutants: ``lists/*.txt``, one file a room.

    file antiphon/verifiers/models.py        the file that the next mutants change
    tests tests/unit/verifiers/test_f.py …      what is to notice, the likeliest and cheapest first

    why one event more than was promised        begins a mutant and says what it breaks
    - state >= self.events                      its old text, which the file has exactly once;
    + state > self.events                       and the new one (nothing: the text is dropped)

Old and new may begin and end in mid-line; lines that begin with a space go on with what is above
them. A line ``equivalent REASON`` in a mutant says that no test can tell: listed, not counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@dataclass(frozen=True)
class Mutant:
    """One change of one file, and the tests that are to notice it."""

    room: str
    file: str
    tests: tuple[str, ...]
    why: str
    old: str
    new: str
    equivalent: str = ""

    @property
    def name(self) -> str:
        return f"{self.file.removeprefix('antiphon/')}: {self.why}"

    def of(self, source: str) -> str:
        """The source with the change. Raises: ValueError if the list is stale."""
        if (times := source.count(self.old)) != 1:
            raise ValueError(f"{self.name}: its old text is there {times} times: {self.old!r}")
        return source.replace(self.old, self.new)


def read(folder: Path = HERE / "lists") -> list[Mutant]:
    """All mutants. Raises: ValueError, with the line, for a list that is not well-formed."""
    return [mutant for path in sorted(folder.glob("*.txt")) for mutant in _room(path)]


def _room(path: Path) -> list[Mutant]:
    file, tests, entries = "", (), []
    last: list[str] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        mark, _, text = line.partition(" ")
        match mark:
            case "" if last:
                last.append(line)
            case "file":
                file, tests = text, ()
            case "tests":
                tests = (*tests, *text.split())
            case "why" if file and tests:
                entries.append((file, tests, text, {"-": [], "+": [], "equivalent": []}))
            case "-" | "+" | "equivalent" if entries:
                last = entries[-1][3][mark]
                last.append(text)
            case _:
                raise ValueError(f"{path.name}:{number}: what is {line!r}?")
    return [
        Mutant(path.stem, file, tests, why,
               *("\n".join(lines[each]) for each in ("-", "+", "equivalent")))
        for file, tests, why, lines in entries
    ]  # fmt: skip


def faults(mutants: list[Mutant], root: Path = ROOT, *, compiled: bool = True) -> list[str]:
    """What is wrong with the list: stale or idle mutants, names used twice, missing tests.

    Also those that are no Python, if they are ``compiled``, which takes seconds.
    """
    found, names = [], set()
    sources = {file: _text(root / file) for file in {each.file for each in mutants}}
    for each in mutants:
        source = sources[each.file]
        try:
            changed = each.of(source)
            if compiled:
                compile(changed, each.file, "exec")
        except (ValueError, SyntaxError) as error:
            found.append(str(error) if type(error) is ValueError else f"{each.name}: {error}")
        if each.old == each.new:
            found.append(f"{each.name}: changes nothing")
        if each.name in names:
            found.append(f"{each.name}: listed twice")
        names.add(each.name)
    needed = {test for each in mutants for test in each.tests}
    found += [f"{test}: no such test file"
              for test in sorted(needed) if not (root / test.split("::")[0]).exists()]  # fmt: skip
    return found


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def change(mutant: Mutant, root: Path = ROOT) -> str:
    """What a mutant makes of its file, in short."""
    return _digest([mutant.file, mutant.of((root / mutant.file).read_text())])


def judges(mutant: Mutant, by: str, root: Path = ROOT) -> str:
    """The tests that an outcome stands on: the one that failed, or else all of the mutant's."""
    failed = root / by.split("::")[0]
    if by and failed.is_file():
        return _digest([failed.read_text()])
    paths = [root / test.split("::")[0] for test in mutant.tests]
    files = [each for path in paths for each in (path.rglob("*.py") if path.is_dir() else [path])]
    return _digest([*mutant.tests, *(each.read_text() for each in sorted(files))])


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]
