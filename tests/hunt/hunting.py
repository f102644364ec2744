"""The hunt: recipe after recipe; what is found is made small and saved as a regression."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from .recipes import Recipe, grown, shrunk
from .referee import Verdict, tried

FOUND = Path(__file__).parent / "found"
_DOUBT = 4
"""Every so many cases the engine is doubted too."""


def hunt(
    seeds: Iterator[int], *, seconds: float | None = None, tell: Callable[[Counter[str]], None]
) -> Iterator[tuple[int, Recipe, Verdict]]:
    """The finds among the recipes of these seeds, made small; one of each sort."""
    counts: Counter[str] = Counter()
    sorts = set()
    start = monotonic()
    for seed in seeds:
        if seconds is not None and monotonic() - start > seconds:
            return
        recipe, doubting = grown(seed), seed % _DOUBT == 0
        verdict = tried(recipe, doubting)
        counts[verdict.kind] += 1
        tell(counts)
        if not verdict.find:
            continue
        recipe = shrunk(recipe, lambda each: tried(each, doubting).kind == verdict.kind)  # noqa: B023
        if (sort := (verdict.kind, *sorted(set(kinds(recipe))))) not in sorts:
            sorts.add(sort)
            yield seed, recipe, tried(recipe, doubting)


def kinds(value: Any) -> Iterator[str]:
    """The kinds of all recipes in a recipe, and how they are twisted: what sort of find it is."""
    if isinstance(value, dict):
        yield from (value[name] for name in ("kind", "how", "which") if name in value)
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from kinds(each)


def save(recipe: Recipe, verdict: Verdict, folder: Path = FOUND) -> Path:
    """A regression file, named by its content."""
    text = json.dumps(recipe, sort_keys=True)
    name = f"{recipe['kind']}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    folder.mkdir(exist_ok=True)
    content = {"recipe": recipe, "was": verdict.kind, "why": verdict.why}
    path = folder / name
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path


def saved(folder: Path = FOUND) -> dict[str, Recipe]:
    """The recipes of all regression files."""
    return {
        path.name: json.loads(path.read_text())["recipe"] for path in sorted(folder.glob("*.json"))
    }
