"""The house: imports point one way, every public thing is documented, extras stay outside."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from sources import ROOT, SOURCES, below, tree

import antiphon as ap

ROOMS = [
    "numbers", "protocol", "populations", "verifiers", "composition", "mechanisms", "audit",
    "selfcheck", "interop",
]  # fmt: skip
"""A room imports what stands left of it, and itself."""
RUNTIME = {"antiphon", "attr", "attrs", "cattrs", "numpy", "typing_extensions"}
"""What the core stands on, beside the standard library; all else is an extra."""
LAZY = {
    "display.py": {"matplotlib"}, "program.py": {"scipy"}, "searches.py": {"hypothesis"},
    "choosing.py": {"sklearn", "threadpoolctl"}, "scikit.py": {"sklearn", "threadpoolctl"},
}  # fmt: skip
"""Where the core may import an extra, in a function that needs it; or names a type of it."""
BY_NAME = {
    "audit/running/sending.py": {"module", "'cloudpickle'"},
    "composition/guarantees/rules/__init__.py": {"_file.name"},
    "composition/filters/budget.py": {"'antiphon.sessions.spending.refused'"},
    "composition/property_search.py": {"'antiphon.audit.searches'"},
    "interop/dp_accounting.py": {"f'dp_accounting.{name}'"},
    "interop/frames.py": {"name"},
    "interop/opendp.py": {"'opendp.mod'"},
    "mechanisms/histograms/queries.py": {"'antiphon.audit.searches'"},
    "protocol/durable/inspection.py": {"'antiphon.sessions.spending'"},
    "protocol/mechanism.py": {"'antiphon.sessions.durable.resuming'"},
    "protocol/display.py": {"'antiphon.report.plots'"},
    "protocol/session.py": {"'antiphon.sessions.spending'"},
    "selfcheck/corpus/specimens/__init__.py": {"name"},
    "selfcheck/theorems/__init__.py": {"file.name"},
}
"""Imports by name: a user's module, what dask brings, what stands above, where the class of a kept
 state is defined, what a door of interop leads to, and all files of a folder, so that one more is
 found.
 """


def level(path):
    """protocol 0, verifiers 1, …; everything that is in no room is an edge."""
    first = path.relative_to(ROOT).parts[0]
    return ROOMS.index(first) if first in ROOMS else len(ROOMS)


def imported(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module
            if node.module == "antiphon":
                yield from (f"antiphon.{alias.name}" for alias in node.names)


CIRCLES = [
    {"protocol.chain", "protocol.post_processor"},
    {"protocol.records.view", "protocol.records.sinks", "protocol.records.transcript"},
]
"""``@`` makes a chain of links, which are links; a view saves and loads itself."""


def modules():
    for path in SOURCES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def needed(path, known):
    """The modules that a file imports, at any time but while types are checked."""
    parsed = tree(path)
    typing = {
        id(inner)
        for node in ast.walk(parsed)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(parsed):
        if isinstance(node, ast.ImportFrom) and id(node) not in typing:
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


def test_files_go_round_in_few_circles():
    known = dict(modules())
    graph = {name: set(needed(path, known)) for name, path in known.items()}
    reach = {name: reached(name, graph) for name in graph}
    round_about = {
        frozenset(other for other in reach[name] if name in reach.get(other, ()))
        for name in graph
        if name in reach[name]
    }
    assert round_about == set(map(frozenset, CIRCLES))


CORE = [path for path in SOURCES if level(path) < len(ROOMS)]


def upward(path):
    """What a file of the core imports that does not stand below it, and the package itself."""
    for each in imported(path):
        first, *rooms = each.split(".")
        downward = rooms and rooms[0] in ROOMS and ROOMS.index(rooms[0]) <= level(path)
        if first == "antiphon" and not downward:
            yield below(path), each


def test_imports_point_one_way():
    assert len(CORE) > 300
    assert [found for path in CORE for found in upward(path)] == []


def test_the_protocol_knows_nothing_of_columns():
    """It knows the mark ``column_safe``, and that something may stand for a number."""
    below = [path for path in SOURCES if level(path) < ROOMS.index("populations")]
    assert len(below) > 30
    assert [path for path in below if "Column" in path.read_text()] == []


def named(path):
    """What a file imports by an expression, where no arrow is seen."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield ast.unparse(node.args[0])


def test_what_is_imported_by_name_is_listed():
    assert {below(path): found for path in CORE if (found := set(named(path)))} == BY_NAME


def extras(names):
    return {name.split(".")[0] for name in names} - RUNTIME - sys.stdlib_module_names


def test_the_core_imports_no_extra():
    assert {path.name: found for path in CORE if (found := extras(imported(path)))} == LAZY


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
    late = {"composition", "mechanisms", "audit", "selfcheck", "interop", "demo", "report", "cli"}
    assert not loaded & {f"antiphon.{room}" for room in late}
    assert not loaded & {"multiprocessing", "concurrent", "html", "email"}


def test_a_name_that_loads_later_is_the_one_of_its_room():
    code = """import antiphon as ap
assert set(ap.__all__) <= set(dir(ap))
for name in ap.__all__: assert getattr(ap, name) is not None, name
assert ap.guarantee is ap.composition.guarantee and ap.PrivacyGame is ap.audit.PrivacyGame
assert ap.check(ap.mechanisms.LeakyBit(delta=0))
try: ap.no_such_name
except AttributeError as error: assert "no_such_name" in str(error)
else: raise AssertionError"""
    assert "antiphon.audit.check" in loaded_by(code)


def test_a_name_in_a_file_loads_the_room_that_has_it():
    code = """from antiphon.protocol.records.codec import decode
found = decode({"type": "antiphon.LeakyBit/1", "parameters": {"delta": {"fraction": "0/1"}}})
from antiphon.mechanisms import LeakyBit
assert type(found) is LeakyBit, found"""
    assert "antiphon.mechanisms" in loaded_by(code)


@pytest.mark.parametrize("first", ["antiphon.mechanisms", "antiphon.protocol"])
def test_a_name_of_this_library_is_taken_whatever_is_loaded(first):
    code = f"""import attrs, {first}
from antiphon.protocol import InvalidArgument, register
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


CALLED_AFTER = {
    "cli/commands", "cli/options", "report", "audit/check/steps", "selfcheck/corpus/specimens",
}  # fmt: skip
"""Where a file is called after what it prints, draws, checks or audits, which lives elsewhere."""
TWO_HOMES = {
    "Counterexample": "public in audit, where one is found, and in composition, where one is known",
    "counterexample.py": "the adversary of CM §5.2, a documented path, and the theorem it is to",
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
        if not path.name.startswith("__") and str(path.parent.relative_to(ROOT)) not in CALLED_AFTER
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


def test_any_is_rare():
    """At most 15 in 1,000 lines: types mean something."""
    source = "\n".join(path.read_text() for path in SOURCES)
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
