"""The house: imports point one way, every public thing is documented, extras stay outside."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from sources import ROOT, SOURCES, below, nodes, tree

import antiphon as ap
from antiphon.protocol.provenance import is_library_code

CORE = [
    "numbers", "protocol", "populations", "verifiers", "composition", "sessions", "mechanisms",
    "audit",
]  # fmt: skip
"""A room imports what stands left of it, and itself."""
WINGS = [
    "learners", "preprocessing", "conjectures", "graybox", "boards", "selfcheck", "interop",
]  # fmt: skip
"""A wing imports the core, and no other wing."""
JOINTS = {
    "options": "cli", "commands": "cli", "specimens": "selfcheck", "theorems": "selfcheck",
    "patterns": "conjectures",
}  # fmt: skip
"""A folder, or a file, in which a room keeps what it adds to another, which finds it."""
ROOMS = CORE + WINGS
RUNTIME = {"antiphon", "attr", "attrs", "cattrs", "numpy", "typing_extensions"}
"""What the core stands on, beside the standard library; all else is an extra."""
LAZY = {
    "engine.py": {"duckdb"}, "antiphon_check_losses.py": {"antiphon_check"},
    "pictures.py": {"matplotlib"}, "climbing.py": {"scipy"}, "searches.py": {"hypothesis"},
    "choosing.py": {"sklearn", "threadpoolctl"}, "columnwise.py": {"threadpoolctl"},
    "witnesses.py": {"psycopg"}, "polynomials.py": {"flint"},
    "antiphon_formula_check.py": {"antiphon_check"},  # the file beside it, where both are alone
}  # fmt: skip
"""Where the core may import an extra, in a function that needs it; or names a type of it."""
BY_NAME = {
    "numbers/public.py": {"name"},
    "composition/guarantees/rules/__init__.py": {"_file.name"},
    "audit/running/sending.py": {"module", "'cloudpickle'"},
    "interop/dp_accounting.py": {"f'dp_accounting.{name}'"},
    "interop/frames.py": {"name"},
    "interop/opendp.py": {"'opendp.mod'"},
    "preprocessing/tables/record_tables.py": {"f'sklearn.{module}'"},
}
"""Imports by name: files that are found, a user's module, and libraries that are extras."""


def rooms_of(path):
    """The rooms that a file stands in: two for a joint. None: an edge, which may import all."""
    first, *inner = path.relative_to(ROOT).with_suffix("").parts
    other = JOINTS.get(inner[0], first) if inner else first
    return {first, other} if first in ROOMS else None


def may_import(path):
    """The rooms that a file may import from."""
    stands = rooms_of(path)
    below = {room for first in stands & {*CORE} for room in CORE[: CORE.index(first)]}
    return stands | (below if stands <= {*CORE} else {*CORE})


def imported(path):
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module == "antiphon":
                yield from (f"antiphon.{alias.name}" for alias in node.names)
            else:
                yield node.module


def modules():
    for path in SOURCES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def needed(path, known):
    """The modules that a file imports: at any time, and for types only."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").removeprefix("antiphon").removeprefix(".")
            for alias in node.names:
                inner = f"{module}.{alias.name}".removeprefix(".")
                yield inner if inner in known else module


def reached(start, graph):
    found, waiting = set(), [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def test_files_go_round_in_no_circle():
    known = dict(modules())
    graph = {name: {*needed(path, known)} - {name} for name, path in known.items()}
    assert len(graph) > 300
    assert len(reached("cli.app", graph)) > 100
    TopologicalSorter(graph).prepare()  # which raises a CycleError with the circle


HOUSE = [path for path in SOURCES if rooms_of(path) is not None]
PATH = re.compile(r"antiphon\.(\w+)[\w.]*")


def in_texts(path):
    """The modules that a file names in texts, beside its docstrings."""
    described = {
        id(node.body[0].value)
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    for node in nodes(path):
        if isinstance(node, ast.Constant) and type(node.value) is str and id(node) not in described:
            yield from (found[0] for found in PATH.finditer(node.value) if found[1] in ROOMS)


def upward(path):
    """What a file imports or names that does not stand below it, and the package itself."""
    for each in (*imported(path), *in_texts(path)):
        first, *rooms = each.split(".")
        if first == "antiphon" and not (rooms and rooms[0] in may_import(path)):
            yield below(path), each


def test_imports_point_one_way():
    assert len(HOUSE) > 300
    assert [found for path in HOUSE for found in upward(path)] == []


def test_an_arrow_upward_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    monkeypatch.setattr("sources.ROOT", tmp_path)
    upwards = {
        "protocol/one.py": "from antiphon.audit import game",
        "protocol/two.py": "if TYPE_CHECKING:\n    from antiphon.sessions import resume",
        "protocol/three.py": "found = 'antiphon.sessions.spending'",
        "mechanisms/four.py": "def late():\n    from antiphon import learners",
        "graybox/five.py": "from antiphon.selfcheck.corpus import entry",
        "graybox/theorems/six.py": "from antiphon.conjectures import conjecture",
        "audit/seven.py": "import antiphon",
        "audit/eight.py": "from antiphon.cli import output",
        "graybox/options/nine.py": "from antiphon.learners import games",
    }
    downwards = {
        "graybox/theorems/ten.py": "from antiphon.selfcheck.theorems import theorem",
        "audit/eleven.py": "from antiphon.numbers import exact",
        "graybox/commands/twelve.py": "from antiphon.cli import output",
    }
    for name, text in {**upwards, **downwards}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [path for path in sorted(tmp_path.rglob("*.py")) if rooms_of(path) is not None]
    assert {name for path in paths for name, _ in upward(path)} == upwards.keys()


def test_the_protocol_knows_nothing_of_columns():
    """It knows the mark ``column_safe``, and that something may stand for a number."""
    below = [path for path in SOURCES if path.relative_to(ROOT).parts[0] in {"numbers", "protocol"}]
    assert len(below) > 30
    assert [path for path in below if "Column" in path.read_text()] == []


def named(path):
    """What a file imports by an expression, where no arrow is seen."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield ast.unparse(node.args[0])


def test_nothing_is_proved_where_broken_twins_live():
    places = [ROOT / room for room in ("audit", "conjectures", "graybox", "selfcheck")]
    for joint in ("specimens", "theorems", "patterns"):
        places += [*ROOT.glob(f"*/{joint}"), *ROOT.glob(f"*/{joint}.py")]
    names = [f"antiphon.{'.'.join(at.relative_to(ROOT).with_suffix('').parts)}" for at in places]
    assert len(names) > 8
    for name in names:
        importlib.import_module(name)
    specimen = importlib.import_module("antiphon.learners.specimens.experts")
    told = [kind for kind in vars(specimen).values() if inspect.isclass(kind)]
    assert {is_library_code(kind) for kind in told if kind.__module__ == specimen.__name__} == {
        False
    }
    for name in names:
        kind = type("Twin", (), {"__module__": name})
        sys.modules[name].Twin = kind
        try:
            assert not is_library_code(kind), name
        finally:
            del sys.modules[name].Twin


def test_what_is_imported_by_name_is_listed():
    assert {below(path): found for path in HOUSE if (found := set(named(path)))} == BY_NAME


def extras(names):
    return {name.split(".")[0] for name in names} - RUNTIME - sys.stdlib_module_names


def test_the_core_imports_no_extra():
    library = [path for path in HOUSE if "cli" not in rooms_of(path)]
    assert {path.name: found for path in library if (found := extras(imported(path)))} == LAZY


def loaded_by(code):
    """The modules that some code loads, beyond those of Python and of RUNTIME."""
    before = f"import sys, {', '.join(sorted(RUNTIME - {'antiphon'}))}; before = set(sys.modules)"
    after = """for name in sorted(set(sys.modules) - before):
        if sys.modules[name].__spec__ is not None:
            print(name)"""
    env = {"PYTHONPATH": str(ROOT.parent), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([before, code, after])],
        capture_output=True, text=True, env=env, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_importing_the_core_imports_no_extra():
    rooms = ", ".join(f"antiphon.{room}" for room in ROOMS)
    assert extras(loaded_by(f"import antiphon, {rooms}")) == set()


def test_importing_the_package_loads_the_rooms_below_only():
    """Half a second of processor time is at stake; what is above loads at its first name."""
    loaded = set(loaded_by("import antiphon"))
    late = {*ROOMS, "demo", "cli"} - {"numbers", "protocol", "populations", "verifiers"}
    assert not loaded & {f"antiphon.{room}" for room in late}
    assert not loaded & {"multiprocessing", "concurrent", "html", "email"}


@pytest.mark.slow
def test_a_name_that_loads_later_is_the_one_of_its_room():
    code = """import antiphon as ap
assert set(ap.__all__) <= set(dir(ap))
for name in ap.__all__: assert getattr(ap, name) is not None, name
from antiphon.audit.game import PrivacyGame
from antiphon.composition.guarantees.guarantee import guarantee
assert ap.guarantee is guarantee and ap.PrivacyGame is PrivacyGame
assert ap.check(ap.mechanisms.LeakyBit(delta=0))
try: ap.no_such_name
except AttributeError as error: assert "no_such_name" in str(error)
else: raise AssertionError"""
    assert "antiphon.audit.check" in loaded_by(code)


@pytest.mark.slow
def test_a_name_in_a_file_loads_the_room_that_has_it():
    code = """from antiphon.protocol.records.codec import decode
found = decode({"type": "antiphon.LeakyBit/1", "parameters": {"delta": {"fraction": "0/1"}}})
from antiphon.mechanisms import LeakyBit
assert type(found) is LeakyBit, found"""
    assert "antiphon.mechanisms" in loaded_by(code)


@pytest.mark.every(2)
@pytest.mark.parametrize("first", ["antiphon.mechanisms", "antiphon.protocol"])
def test_a_name_of_this_library_is_taken_whatever_is_loaded(first):
    code = f"""import attrs, {first}
from antiphon import InvalidArgument, register
@attrs.frozen
class Other: pass
try: register("antiphon.LeakyBit/1")(Other)
except InvalidArgument as error: assert "already" in str(error)
else: raise AssertionError"""
    assert "antiphon.mechanisms" in loaded_by(code)


UNSEEN = {"numbers", "populations", "selfcheck"}
SHOWN = ["antiphon", *(f"antiphon.{room}" for room in ROOMS if room not in UNSEEN)]
"""The rooms whose names are public."""


def public():
    for name in SHOWN:
        module = importlib.import_module(name)
        for each in module.__all__:
            yield f"{name}.{each}", getattr(module, each)


def test_all_names_exist_and_are_sorted():
    for name in SHOWN:
        module = importlib.import_module(name)
        assert len(set(module.__all__)) == len(module.__all__)
        assert all(hasattr(module, each) for each in module.__all__)


def own_members(thing):
    for name, member in vars(thing).items():
        if not name.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, property | staticmethod | classmethod)
        ):
            yield name


def test_every_public_object_has_a_docstring():
    undocumented = []
    for name, thing in public():
        describable = inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isfunction(thing)
        if describable and not inspect.getdoc(thing):
            undocumented.append(name)
        if inspect.isclass(thing) and thing.__module__.startswith("antiphon"):
            undocumented += [
                f"{name}.{member}"
                for member in own_members(thing)
                if not inspect.getdoc(inspect.getattr_static(thing, member))
                and not inspect.getdoc(getattr(thing, member))
            ]
    assert undocumented == []


def test_every_module_has_a_docstring():
    bare = [str(path) for path in SOURCES if not ast.get_docstring(tree(path))]
    assert bare == []


def test_no_file_is_too_long():
    long = {path.name: n for path in SOURCES if (n := len(path.read_text().splitlines())) > 400}
    assert long == {}


CALLED_AFTER = {"audit/check/steps", *JOINTS}
"""Where a file is called after what it prints, draws, checks or audits, which lives elsewhere."""
TWO_HOMES = {
    "Counterexample": "public in audit, where one is found, and in composition, where one is known",
    "mechanism.py": "multiplicative weights' proof is documented by its path",
}


def homes(named):
    """The names that stand in two places, of (name, place)."""
    found = {}
    for name, place in named:
        found.setdefault(name, set()).add(str(place.relative_to(ROOT)))
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_file_name_has_two_homes():
    at_home = [
        (path.name, path)
        for path in SOURCES
        if not path.name.startswith("__")
        and not {path.stem, path.parent.name, str(path.parent.relative_to(ROOT))} & CALLED_AFTER
    ]
    doubled = homes(at_home)
    assert doubled.keys() == {name for name in TWO_HOMES if name.endswith(".py")}, doubled


def test_no_class_name_has_two_homes():
    classes = [
        (node.name, path)
        for path in SOURCES
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    doubled = homes(classes)
    assert doubled.keys() == {name for name in TWO_HOMES if not name.endswith(".py")}, doubled


def folders():
    return {path.parent for path in SOURCES}


def test_no_folder_is_too_full():
    full = {str(folder): len(list(folder.glob("*.py"))) for folder in folders()}
    assert {folder: files for folder, files in full.items() if files > 20} == {}


def test_no_room_has_more_than_a_quarter_of_the_lines():
    lines = Counter()
    for path in SOURCES:
        lines[path.relative_to(ROOT).parts[0]] += len(path.read_text().splitlines())
    assert lines.most_common(1)[0][1] <= lines.total() / 4, lines.most_common(3)


def test_derived_fields_of_frozen_objects_are_set_by_one_helper():
    """``registry.set_derived``: nothing else goes behind a frozen class."""
    setters = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "object.__setattr__"
    }
    assert setters == {"protocol/registry.py"}


def test_any_is_rare():
    """At most 15 in 1,000 lines: types mean something. The readers of JSON have none of ours."""
    ours = (path for path in SOURCES if not path.name.startswith("antiphon_"))
    source = "\n".join(path.read_text() for path in ours)
    assert 1000 * len(re.findall(r"\bAny\b", source)) <= 15 * len(source.splitlines())


def test_the_files_that_contributing_names_are_there():
    text = (ROOT.parent / "CONTRIBUTING.md").read_text()
    named = re.findall(r"`((?:antiphon|tests|docs|benchmarks)(?:/[\w.]+)*)`", text)
    there = [path for path in named if "NAME" not in path]
    assert len(there) > 30
    assert [path for path in there if not (ROOT.parent / path).exists()] == []
    laws = sorted(path.name for path in (ROOT.parent / "tests/laws").glob("test_law_*.py"))
    assert sorted(Path(path).name for path in there if "test_law_" in path) == laws


NAMED = re.compile(r"(?<![\w./-])(?:antiphon|ap)((?:\.[A-Za-z_]\w*)+)(?![\w.]*/)")
"""``antiphon.X.y`` and ``ap.X.y``; what a slash follows is a registered name, or a file."""
PROSE = [
    *(ROOT.parent / "docs").glob("*.md"),
    *map(ROOT.parent.joinpath, ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
]


def exists(path):
    """Whether a dotted path below the package leads anywhere."""
    thing = ap
    for place, name in enumerate(path):
        if not hasattr(thing, name):
            try:
                importlib.import_module(".".join(["antiphon", *path[: place + 1]]))
            except ImportError:
                return False
        thing = getattr(thing, name)
    return True


def test_the_paths_that_texts_name_are_there():
    """In the docs, docstrings, tables of names and error texts."""
    told = [
        (file.name, match[0], match[1].split(".")[1:])
        for file in [*PROSE, *SOURCES, *(ROOT.parent / "examples").rglob("*.py")]
        for match in NAMED.finditer(file.read_text())
    ]
    assert len({name for _, name, _ in told}) > 300
    assert [(file, name) for file, name, path in told if not exists(path)] == []


def test_the_version_is_said_once():
    """hatchling reads it from ``antiphon/__init__.py``."""
    pyproject = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())
    assert pyproject["project"]["dynamic"] == ["version"]
    assert pyproject["tool"]["hatch"]["version"]["path"] == "antiphon/__init__.py"
    assert f'\n__version__ = "{ap.__version__}"\n' in (ROOT / "__init__.py").read_text()
    assert f"\nversion: {ap.__version__}\n" in (ROOT.parent / "CITATION.cff").read_text()
    assert ap.__version__ in (ROOT.parent / "CHANGELOG.md").read_text()


LINES, FILES, IMPORTS, CORE_LINES = 94_341, 496, 6_486, 55_032
"""Ratchets: what takes more raises one in its own commit, with the reason; what frees some lowers
it."""


def test_the_house_grows_with_a_reason_only():
    texts = {path: path.read_text().splitlines() for path in SOURCES}
    assert len(texts) <= FILES
    assert sum(map(len, texts.values())) <= LINES
    core = (len(text) for path, text in texts.items() if path.relative_to(ROOT).parts[0] in CORE)
    assert sum(core) <= CORE_LINES
    imports = (
        node.end_lineno - node.lineno + 1
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    assert sum(imports) <= IMPORTS
    assert 110 <= sorted(map(len, texts.values()))[len(texts) // 2] <= 194
