"""A specimen: one mechanism of the library as an example, for all that tries mechanisms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.protocol.messages import EMPTY, same
from antiphon.protocol.post_processor import PostProcessor
from antiphon.protocol.spaces import Space
from antiphon.selfcheck.corpus.entry import Entry

SLOW: Final[dict[str, Any]] = {"samples": 4_000, "thorough": 8_000}
"""Of a row whose interactions take microseconds each, or more: states of arrays, parts created."""
NOT_BITS: Final = (True, 2, 0.0, "0", None, (0,), EMPTY, same(0))
NOT_INTS: Final = (True, 0.0, "1", None, (0,), Fraction(1))
NOT_REALS: Final = (1, True, math.nan, math.inf, -math.inf, "1", None, Fraction(1))
_NOT_TWO: Final = (
    "count", 0, (0, 1), [0, 1], np.array([0, 1, 1]), np.array([0.0, 1.0]),
    np.array([0, 1], np.int32), None,
)  # fmt: skip
NOT_LOSSES: Final = (*_NOT_TWO, np.array([0, 2]), np.array([-1, 0]))
"""Of two experts, in {0, 1}."""
NOT_DATA: Final = (*_NOT_TWO, np.array([0, 5]), np.array([-5, 0]))
"""Of two entries, on a grid of 4 or less."""


@attrs.frozen(eq=False)
class Example:
    """A mechanism, what to say to it, and what it must refuse."""

    part: Any
    outside: tuple[Any, ...] = ()
    """Values that are none of its queries."""
    _queries: Space | None = attrs.field(default=None, kw_only=True, alias="queries")
    finite: bool = attrs.field(default=False, kw_only=True)
    """Whether its draws are finite, so that its law can be listed."""

    @property
    def queries(self) -> Space:
        """What to say to it; where nothing else is given, all of its query space."""
        all_queries: Space = self.part.signature.queries
        return self._queries or all_queries


@attrs.frozen(eq=False, kw_only=True)
class Link:
    """A post-processor, what stands on its right, and what either side says to it."""

    part: PostProcessor[Any]
    right: Any
    queries: Space
    """What comes from the left."""
    answers: Space
    """What comes from the right."""
    hops: int = 3
    """How many messages it sends to the right, at most, before it answers."""


@attrs.frozen(eq=False)
class Specimen:
    """A mechanism, or a post-processor: examples of it, and who tests what it claims."""

    kind: type[Any]
    examples: tuple[Example | Link, ...]
    rows: tuple[Entry, ...] = ()
    """Of the corpus: it as it claims to be, and twins with a slip, which must be refuted."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.kind.__name__
