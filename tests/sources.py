"""The files of the library, each read and parsed once for all tests that look at them."""

import ast
import shutil
from functools import cache
from pathlib import Path

import antiphon

ROOT = Path(antiphon.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))


def below(path):
    """The path of a file below the package."""
    return str(path.relative_to(ROOT))


def copied(folder, place):
    """Copies sources with what is compiled, which fits them, but not what is being written."""
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("*.pyc.*"))


@cache
def tree(path):
    """The parsed file."""
    return ast.parse(path.read_text())


@cache
def nodes(path):
    """All nodes of the parsed file, listed once: seven tests go through them."""
    return tuple(ast.walk(tree(path)))
