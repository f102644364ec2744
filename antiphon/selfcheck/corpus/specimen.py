"""Specimens: examples of the library's mechanisms, for the test suites and the audit corpus.

There is a file for each kind, with a function ``specimens`` that yields them, in the folders
``specimens`` of all packages. The test suites of conformance and laws use them, and the audit
corpus audits their rows.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.numbers.public import found
from antiphon.protocol import EMPTY, Claim, Pair, PostProcessor, Space, Status, same
from antiphon.protocol.measures import kinds
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, saying
from antiphon.selfcheck.corpus.targets.interactive import gaussian_delta

SLOW: Final[dict[str, Any]] = {"samples": 4_000, "thorough": 8_000}
"""The numbers of samples of entries whose interactions are slow, with arrays or many creations."""
NOT_BITS: Final = (True, 2, 0.0, "0", None, (0,), EMPTY, same(0))
NOT_INTS: Final = (True, 0.0, "1", None, (0,), Fraction(1))
NOT_REALS: Final = (1, True, math.nan, math.inf, -math.inf, "1", None, Fraction(1))
_NOT_TWO: Final = (
    "count", 0, (0, 1), [0, 1], np.array([0, 1, 1]), np.array([0.0, 1.0]),
    np.array([0, 1], np.int32), None,
)  # fmt: skip
NOT_LOSSES: Final = (*_NOT_TWO, np.array([0, 2]), np.array([-1, 0]))
"""Messages that a learner of two experts must refuse: they are not two losses in {0, 1}."""
NOT_DATA: Final = (*_NOT_TWO, np.array([0, 5]), np.array([-5, 0]))
"""Messages that a mechanism on two ints from -4 to 4 must refuse."""


@attrs.frozen(eq=False)
class Example:
    """A mechanism for the test suites, with messages to send and messages that it must refuse."""

    part: Any
    outside: tuple[Any, ...] = ()
    """Messages outside the mechanism's query space, which it must refuse."""
    _queries: Space | None = attrs.field(default=None, kw_only=True, alias="queries")
    finite: bool = attrs.field(default=False, kw_only=True)
    """Whether every draw has finitely many outcomes, so that the law of an answer can be listed."""

    @property
    def queries(self) -> Space:
        """The messages to send: all of the mechanism's query space, unless others are given."""
        all_queries: Space = self.part.signature.queries
        return self._queries or all_queries


@attrs.frozen(eq=False, kw_only=True)
class Link:
    """A post-processor for the test suites, with a mechanism on its right, and messages to send."""

    part: PostProcessor[Any]
    right: Any
    queries: Space
    """The space of messages that come from the left."""
    answers: Space
    """The space of messages that come from the right."""
    hops: int = 3
    """The largest number of messages to the right for one message from the left."""


class Specimen:
    """Examples of one mechanism or post-processor for the test suites, and corpus entries that test
    its claims.

    ``rows`` are its entries in the corpus: the mechanism under its claim, and broken twins, which
    must be refuted.
    """

    def __init__(self, *parts: Example | Link | Entry) -> None:
        self.examples = tuple(each for each in parts if not isinstance(each, Entry))
        self.rows = tuple(each for each in parts if isinstance(each, Entry))

    @property
    def kind(self) -> type[Any]:
        """The class of the mechanism: that of the first example."""
        found: type[Any] = self.examples[0].part.__class__
        return found

    @property
    def name(self) -> str:
        """The name of the class of the specimen's mechanism."""
        return self.kind.__name__


HALF: Final = Fraction(1, 2)
RHO: Final = Fraction(2)
"""The ρ of audited Gaussian mechanisms: the two worlds' means are two standard deviations apart."""
DELTA: Final = Fraction(1, 10)
"""The δ at which an audit tests a ρ-zCDP claim, converted to (ε, δ)."""
LESS: Final = Fraction(7, 10)
"""The standard deviation of a broken twin's noise divided by the correct one."""
UNKNOWN: Final = Truth()


def as_claimed(
    name: str, system: Any, player: Player, truth: Truth = UNKNOWN, *more: Player
) -> Entry:
    """A corpus entry: a system under its own first claim; a zCDP claim as (ε, δ) at DELTA."""
    return Entry(name, system, at_delta(system.claims[0]), (player, *more), truth)


def broken(
    name: str, system: Any, claim: Claim, player: Player, truth: Truth, *more: Player
) -> Entry:
    """A corpus entry that an audit must refute: a system under a claim that is false of it."""
    false = attrs.evolve(at_delta(claim), status=Status.REFUTED, source=name)
    return Entry(name, system, false, (player, *more), truth)


def beside(
    name: str, system: Any, truth: Truth, slip: str, twin: Any, known: Truth, player: Player
) -> tuple[Entry, Entry]:
    """Two corpus entries: a system under its first claim, and a ``twin`` for which it is false."""
    own = as_claimed(name, system, player, truth)
    return own, broken(slip, twin, system.claims[0], player, known)


def derived(
    name: str, system: Any, slip: str, twin: Any, player: Player, truth: Truth,
    delta: Fraction | None = None,
) -> tuple[Entry, Entry]:  # fmt: skip
    """Two corpus entries: a system under its guarantee, and a ``twin`` for which it is false."""
    claim = guarantee(system).claim(delta=delta)
    own = Entry(name, system, claim, (player,), UNKNOWN)
    return own, broken(slip, twin, claim, player, truth)


def slow(*rows: Entry) -> tuple[Entry, ...]:
    """The given corpus entries with fewer samples (``SLOW``), since their interactions are slow."""
    return tuple(attrs.evolve(row, **SLOW) for row in rows)


def at_delta(claim: Claim) -> Claim:
    """A zCDP claim converted to (ε, δ) at DELTA; any other claim unchanged."""
    return claim.at(DELTA) if isinstance(claim.measure, kinds.ZeroConcentrated) else claim


def gaussian_truth(less: Fraction = Fraction(1)) -> Truth:
    """The true δ of Gaussian noise with ``less`` times the standard deviation that ρ-zCDP needs,
    ρ = RHO, at the ε that ρ-zCDP implies for δ = DELTA."""
    epsilon = float(Claim(kinds.ZeroConcentrated(RHO), *_ANY).at(DELTA).parameters[0])
    ratio = Fraction(1 / math.sqrt(2 * RHO)) * less
    return Truth(delta=gaussian_delta(ratio, epsilon=epsilon))


def of_gaussian(name: str, kind: type[Any], asked: Player, **parameters: Any) -> tuple[Entry, ...]:
    """Two corpus entries: a mechanism under its ρ-zCDP claim, and a twin with 30 % less noise."""
    right, loud = kind(rho=RHO, **parameters), kind(rho=RHO / LESS**2, **parameters)
    return (
        as_claimed(name, right, asked, gaussian_truth()),
        broken(f"{name}, 30 % too quiet", loud, right.claims[0], asked, gaussian_truth(LESS)),
    )


_ANY: Any = (None, Status.PROVED, "")


def numbers(a: Any, b: Any) -> Player:
    """A player that sends one message: the pair (a, b)."""
    return saying(f"{a} | {b}", [Pair(a, b)])


_PROMISES: Final = {
    kinds.Pure: "ε", kinds.Approximate: "(ε, δ)", kinds.BoundedRange: "η-BR",
    kinds.ZeroConcentrated: "ρ-zCDP", kinds.GaussianDP: "μ-GDP", kinds.Renyi: "RDP",
    kinds.Dominated: "f-DP",
}  # fmt: skip


@cache
def specimens() -> tuple[Specimen, ...]:
    """All specimens (examples of the library's mechanisms), file by file."""
    files: list[Any] = found("specimens")
    return tuple(each for file in files for each in file.specimens())


def table() -> str:
    """A table in Markdown of each mechanism's first claim, with its status and source."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| mechanism | claim | status | source |"
    yield "|---|---|---|---|"
    for each in specimens():
        claims = getattr(each.examples[0].part, "claims", ())
        for claim in claims[:1]:
            said = _PROMISES[type(claim.measure)]
            yield f"| `{each.name}` | {said} | {claim.status.value} | {claim.source} |"
