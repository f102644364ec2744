"""The search for violations of the three properties of CM §6.1, under its name in this room."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from antiphon.composition.creation import Create
from antiphon.composition.properties import Violation
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.verification import Verification


def search_properties(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    *,
    queries: Any,
    answers: Callable[[Any, tuple[Create, ...]], Any],
    rounds: int = 20,
    examples: int = 200,
    strict: bool = False,
) -> Violation | None:
    """``antiphon.audit.search_properties``, under the name it has always had."""
    # Searching is audit's, which stands to the right of this room: found when it is called.
    search: Any = import_module("antiphon.audit.searches").search_properties
    options = {"queries": queries, "answers": answers, "rounds": rounds, "examples": examples}
    found: Violation | None = search(post_processor, outer, inner, strict=strict, **options)
    return found
