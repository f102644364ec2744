"""The files of the library, each read and parsed once for all tests that look at them."""

import ast
import gc
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
    """The parsed file. Nothing in it is garbage, which to look for costs four times the parser."""
    gc.disable()
    try:
        return ast.parse(path.read_text())
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(path):
    """All nodes of the parsed file but ``Load()`` and its like: seven tests go through them."""
    found = [tree(path)]
    for node in found:  # which grows
        for field in node._fields:
            value = getattr(node, field, None)
            for each in value if type(value) is list else (value,):
                if isinstance(each, ast.AST) and not isinstance(each, ast.expr_context):
                    found.append(each)
    return tuple(found)
