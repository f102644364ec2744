"""Checks of theorems: one theorem on one finite instance, decided exactly, and its broken twins."""

import enum
import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TypeAlias

import attrs

from antiphon.audit.certificates.certificate import Certificate, TightPoint, certified
from antiphon.audit.certificates.derived_rows import ComparedSystems
from antiphon.audit.exact.arena import comparison_arena
from antiphon.audit.exact.beliefs import Columns
from antiphon.audit.exact.comparison import equivalent
from antiphon.audit.exact.cost import LIMIT
from antiphon.audit.exact.divergence import rational_growth
from antiphon.audit.exact.question import Question
from antiphon.audit.exact.solver import Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.composition import Create, ExtConComp
from antiphon.composition.properties import Violation
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import ContinualMechanism, Mechanism, Verification, message_label

Bound: TypeAlias = tuple[exact.ExactEpsilon, Fraction]
"""A pair (ε, δ): a point of a claimed privacy curve."""


class Standing(enum.Enum):
    """The relation that a tight δ must have to the claimed δ, if the statement is true."""

    AT_MOST = "≤"
    EQUAL = "="
    EQUIVALENT = "≡"
    """The relation for equivalent systems: the claim is (0, 0), and tight is their total variation
    distance."""


@attrs.frozen
class Evidence:
    """The figures that decide a checked statement: claimed δ, tight δ, and a missing premise if
    any."""

    claimed: tuple[Bound, ...]
    """The claimed points (ε, δ); for an equivalence, (0, 0)."""
    tight: tuple[Fraction, ...]
    """The exact tight δ at each claimed ε."""
    adversary: str = attrs.field(default="", repr=False)
    """The adversary that attains ``tight``, as a decision tree, or two runs that break a
    property."""
    note: str = ""
    relation: Standing = Standing.AT_MOST
    lacking: str = ""
    """The premise that the system lacks, in words; "" if it lacks none."""
    certify: Callable[[], Sequence[Certificate]] | None = attrs.field(
        default=None, eq=False, repr=False
    )
    """A function that writes certificates of ``tight``; None if ``tight`` cannot be certified."""

    @property
    def exceeds(self) -> bool:
        """Whether some tight δ is larger than the δ claimed."""
        return any(tight > delta for (_, delta), tight in self._points)

    @property
    def holds(self) -> bool:
        """Whether no premise is missing, and each tight δ has the required ``relation`` to its
        claim."""
        attained = all(tight == delta for (_, delta), tight in self._points)
        figures = attained if self.relation is Standing.EQUAL else not self.exceeds
        return figures and not self.lacking

    @property
    def _points(self) -> list[tuple[Bound, Fraction]]:
        return list(zip(self.claimed, self.tight, strict=True))


@attrs.frozen
class Check:
    """A theorem on a finite system, or its broken twin: the same with one premise changed."""

    theorem: str
    instance: str
    decide: Callable[..., Evidence] = attrs.field(eq=False, repr=False)
    of: "Check | None" = None
    """The check whose broken twin this is; None if it is no twin."""

    @property
    def expected(self) -> bool:
        """Whether the statement must hold; False for a broken twin."""
        return self.of is None

    def twin(self, instance: str, **change: object) -> "Check":
        """A broken twin of this check: the same function, with another value of one keyword
        argument.

        So it differs in one premise, and it fails only if its tight figure is above its claim.
        Raises: InvalidArgument where not exactly one keyword argument is changed.
        """
        known = inspect.signature(self.decide).parameters
        given = {name: known[name].default for name in change if name in known}
        if len(change) != 1 or not given or any(given[name] == change[name] for name in given):
            raise InvalidArgument(
                f"a twin gives another value to one keyword argument of {', '.join(known)}, not to "
                f"{', '.join(change) or 'none'}"
            )
        return Check(self.theorem, instance, partial(self.decide, **change), self)

    def run(self) -> "Decided":
        """Decide the check, and measure the time."""
        started = time.perf_counter()
        found = self.decide()
        return Decided(self, found, time.perf_counter() - started)


def rows(
    theorem: str, instance: str, decide: Callable[..., Evidence], *given: tuple[object, ...]
) -> list[Check]:
    """Checks of one theorem, one for each tuple of arguments for ``decide``; the arguments are also
    filled into the text ``instance``."""
    return [Check(theorem, instance.format(*each), partial(decide, *each)) for each in given]


@attrs.frozen
class Decided:
    """A check with its evidence: one row of the table of ``antiphon verify``."""

    check: Check
    evidence: Evidence
    seconds: float

    @property
    def as_expected(self) -> bool:
        """Whether a theorem holds or, for a twin, an adversary is named whose δ exceeds the
        claim."""
        found = self.evidence
        return found.holds if self.check.expected else found.exceeds and bool(found.adversary)

    @property
    def verdict(self) -> str:
        """The verdict in words; an unexpected one is in capitals or says "must not"."""
        if self.check.expected:
            return "holds" if self.evidence.holds else "FAILS"
        return "fails, as it must" if self.evidence.exceeds else "holds, but must not"


Parameters = tuple[exact.ExactEpsilon, Fraction]


def private(
    system: ContinualMechanism,
    verification: Verification,
    claimed: Iterable[Bound],
    rounds: int,
    *,
    exactly: bool = False,
    note: str = "",
    catalogue: Iterable[object] | None = None,
    max_creations: int | None = None,
    queries: Iterable[object] | None = None,
) -> Evidence:
    """Evidence that the system is (ε, δ)-DP w.r.t. f for each claimed (ε, δ) (CM Def. 3.7).

    ``exactly``: each δ is tight; then the adversary that attains it is shown as well.
    """
    points = tuple(claimed)
    question = Question(system, verification, queries, catalogue, max_creations, report=None)
    tight = tuple(question.solve(epsilon, rounds).delta for epsilon, _ in points)
    wrong = _wrong(points, tight, exactly)
    shown = points[0][0] if exactly and wrong is None else wrong
    adversary = "" if shown is None else question.best_adversary(shown, rounds).tree()
    relation = Standing.EQUAL if exactly else Standing.AT_MOST

    def certify() -> Sequence[Certificate]:
        return [question.certify(epsilon=[each for each, _ in points], rounds=rounds)]

    return Evidence(points, tight, adversary, note, relation, certify=certify)


def of_creations(
    f: Verification,
    created: Iterable[Create],
    claimed: Iterable[Bound],
    rounds: int,
    most: int | None = None,
    *,
    exactly: bool = False,
) -> Evidence:
    """Evidence that ExtConComp w.r.t. f has at most the claimed δ, with at most ``most``
    creations."""
    return private(
        ExtConComp(), f, claimed, rounds, exactly=exactly, catalogue=created, max_creations=most
    )


def private_interactive(
    mechanism: tuple[Mechanism, Mechanism],
    initial: tuple[object, object],
    claimed: Iterable[Bound],
    rounds: int,
    queries: Iterable[object],
    *,
    exactly: bool = False,
    note: str = "",
) -> Evidence:
    """Evidence that an IM is (ε, δ)-DP between two initial states (CM Def. 2.12)."""
    points = tuple(claimed)
    states = mechanism[0].enter(initial[0]), mechanism[1].enter(initial[1])
    queries = tuple(queries)
    arena = comparison_arena(Columns(LIMIT), mechanism, states, queries)
    solvers = Solver(arena, 0, LIMIT), Solver(arena, 1, LIMIT)
    found = [_worse(solvers, rational_growth(epsilon)[0], rounds) for epsilon, _ in points]
    tight = tuple(delta for delta, _ in found)
    wrong = _wrong(points, tight, exactly)
    adversary = ""
    if wrong is not None:
        place = next(i for i, point in enumerate(points) if point[0] is wrong)
        adversary = _tree(solvers[found[place][1]], *found[place], wrong, rounds)
    relation = Standing.EQUAL if exactly else Standing.AT_MOST

    def certify() -> Sequence[Certificate]:
        growths = [rational_growth(epsilon)[0] for epsilon, _ in points]
        at = zip((epsilon for epsilon, _ in points), growths, tight, strict=True)
        asked = ComparedSystems(mechanism, states, queries)
        return [certified(asked, note, [TightPoint(*each, rounds) for each in at])]

    return Evidence(points, tight, adversary, note, relation, certify=certify)


def _worse(solvers: tuple[Solver, Solver], growth: Fraction, rounds: int) -> tuple[Fraction, int]:
    """The larger of two δ, of world 0 against 1 and of 1 against 0, and which world comes first in
    it."""
    values = [solver.solve(growth, rounds) for solver in solvers]
    return max(values), values.index(max(values))


def _tree(
    solver: Solver, delta: Fraction, bit: int, epsilon: exact.ExactEpsilon, rounds: int
) -> str:
    growth, _ = rational_growth(epsilon)
    solver.solve(growth, rounds)
    nodes = StrategyBuilder(solver, LIMIT).build(growth, rounds)
    return StrategyAdversary(nodes, bit, growth, delta).tree()


def _wrong(
    points: Sequence[Bound], tight: Sequence[Fraction], exactly: bool
) -> exact.ExactEpsilon | None:
    """The first ε at which a tight δ is above its claim or, if ``exactly``, not equal; else
    None."""
    for (epsilon, delta), found in zip(points, tight, strict=True):
        if found > delta or (exactly and found != delta):
            return epsilon
    return None


def same_views(
    systems: Iterable[tuple[Mechanism, Mechanism]],
    rounds: int,
    queries: Iterable[object],
    *,
    note: str = "",
) -> Evidence:
    """Evidence that each pair of systems is equivalent (CM Def. 2.10): their views have the same
    law."""
    messages = tuple(queries)
    found = [equivalent(a, b, rounds=rounds, queries=messages) for a, b in systems]
    worst = max(found, key=lambda each: each.distance)
    adversary = "" if worst.adversary is None else worst.adversary.tree()
    claimed = ((Fraction(0), Fraction(0)),)

    def certify() -> Sequence[Certificate]:
        return [one for each in found for one in each.certificates()]

    return Evidence(
        claimed, (worst.distance,), adversary, note, Standing.EQUIVALENT, certify=certify
    )


def in_both_worlds(
    left: Callable[[int], Mechanism], right: Callable[[int], Mechanism]
) -> list[tuple[Mechanism, Mechanism]]:
    """The pairs of systems (left(b), right(b)) for b = 0 and b = 1."""
    return [(left(bit), right(bit)) for bit in (0, 1)]


def composed(
    parameters: Sequence[Parameters], epsilons: Iterable[exact.Epsilon]
) -> tuple[Bound, ...]:
    """The points (ε, tight δ) of Comp[RR_{ε₁,δ₁}, …, RR_{ε_k,δ_k}], from its law of 4^k outcomes.

    Computed without the solver: the hockey-stick divergence of two product laws.
    """
    laws = [_response(exact.exp(epsilon), delta) for epsilon, delta in parameters]
    outcomes = [_product(outcome) for outcome in product(*laws)]
    points: list[Bound] = []
    for each in epsilons:
        epsilon = exact.epsilon(each)
        growth, _ = rational_growth(epsilon)
        excess = (max(Fraction(0), zero - growth * one) for zero, one in outcomes)
        points.append((epsilon, sum(excess, Fraction(0))))
    return tuple(points)


def _response(growth: Fraction | float, delta: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The outcomes of RR_{ε,δ}, each as (probability under 0, probability under 1)."""
    rest, total = 1 - delta, 1 + Fraction(growth)
    true, false = rest * Fraction(growth) / total, rest / total
    return [(delta, Fraction(0)), (Fraction(0), delta), (true, false), (false, true)]


def _product(outcome: tuple[tuple[Fraction, Fraction], ...]) -> tuple[Fraction, Fraction]:
    zero = one = Fraction(1)
    for mass0, mass1 in outcome:
        zero, one = zero * mass0, one * mass1
    return zero, one


def runs_of(violation: Violation) -> str:
    """The two runs that break a property, as text: the messages that P received and sent in
    each."""
    lines = [f"{violation.property.value}: {violation.reason}"]
    for name, heard, sent in zip("01", violation.runs, violation.replay(), strict=True):
        lines.append(f"  run {name}")
        for (came, message), (to, said) in zip(heard, sent, strict=True):
            lines.append(
                f"    from {came.value}: {message_label(message)}"
                f"  ->  to {to.value}: {message_label(said)}"
            )
    return "\n".join(lines)
