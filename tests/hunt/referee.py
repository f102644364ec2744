"""The referee: a proved guarantee beside the exact tight δ of the game that it is about."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import antiphon as ap
from antiphon import AntiphonError, Log
from antiphon.composition.accounting.summed_measures import divergence_of
from antiphon.numbers.errors import Intractable
from antiphon.protocol import Approximate, Pure, Status

from .bases import InBase
from .brute import doubt
from .builder import built
from .case import LIMIT, Case, Verdict
from .ends import broken, near_one
from .living import live
from .parts import NESTED

GRID = (0, Fraction(1, 10), Log(Fraction(5, 4)), Log(2), Log(3), Log(6), Log(12))
ORDERS = (2, 3, Fraction(9, 8), 12)


def tried(recipe: Any, doubting: bool = False) -> Verdict:
    """The verdict on a recipe: what cannot even be built is refused, or a crash.

    ``doubting``: of the engine too, where a brute force is small enough.
    """
    NESTED.clear()
    verdict = judged(lambda: built(recipe))
    if doubting and verdict.kind in ("true", "assumed") and "nested" not in str(recipe):
        case = built(recipe)
        parts = None if case.base else doubt(case)
        return verdict if parts is None else Verdict("engine", parts)
    return verdict


def judged(make: Callable[[], Case]) -> Verdict:
    """Never optimistic: at every ε of a grid, and wherever the guarantee itself reads it off."""
    try:
        case = make()
        if case.live is not None:
            return live(case) or Verdict("true")
        guarantee = ap.guarantee(case.system, case.verification, **case.narrowed)
        if guarantee.status is not Status.PROVED and not case.granted:
            return Verdict("assumed")
        if why := broken(guarantee):
            return Verdict("false", why, 1.0)
        if case.base:
            return _read(case, guarantee)
        return _false_claim(case) or _compared(case, guarantee)
    except Intractable as error:
        return Verdict("unread", str(error))
    except AntiphonError as error:
        return Verdict("refused", str(error))
    except Exception as error:
        return Verdict("crash", f"{type(error).__name__}: {error}")


def _question(case: Case, system: Any, verification: Any) -> Any:
    return ap.PrivacyGame(system, verification).question(**case.search, limit=LIMIT, report=None)


def _false_claim(case: Case) -> Verdict | None:
    """A claim that was believed, in another measure than (ε, δ), and is false."""
    created = (*(case.catalogue or ()), *getattr(case.system, "created", ()))
    parts = () if case.truth_of else (case.system, *(each.mechanism for each in created))
    for part in parts:
        for claim in part.claims:
            if claim.status is Status.PROVED and type(claim.measure) not in (Pure, Approximate):
                game = ap.PrivacyGame(part, claim.verification)
                taken = filter(part.signature.queries.contains, case.queries or ())
                search = {"queries": tuple(taken) or None, "limit": LIMIT, "report": None}
                for row in game.check_claims(rounds=case.rounds, **search):  # type: ignore[arg-type]
                    if row.refuted and row.mechanism is part:
                        return Verdict("false", str(row), 1.0)
    return None


def _compared(case: Case, guarantee: Any) -> Verdict:
    question = _question(case, case.truth_of or case.system, guarantee.verification)
    worst = Verdict("true")
    for epsilon, delta in _promises(guarantee):
        solved = question.solve(epsilon, case.rounds)
        gap = solved.delta - solved.error - delta
        if gap > worst.gap:
            shown = f"proved delta({epsilon}) = {float(delta):.9g} by {guarantee.theorem}"
            worst = Verdict("false", f"{shown}; truth {float(solved.delta):.9g}", float(gap))
    return worst if worst.find else _orders(case, guarantee, question)


def _orders(case: Case, guarantee: Any, question: Any) -> Verdict:
    """What is promised in other measures, beside the exact Rényi divergences."""
    for measure in guarantee.derivation.measures:
        if type(measure) is Approximate and measure.delta:
            continue
        divergence = divergence_of(measure)
        for order in ORDERS:
            found = question.tight_renyi(order, case.rounds)
            if found.lower > divergence(float(order)):
                shown = f"proved D_{order} = {divergence(float(order)):.9g} by {guarantee.theorem}"
                why = f"{shown}, {type(measure).__name__}; truth {found.lower:.9g}"
                return Verdict("false", why, found.lower - divergence(float(order)))
    return Verdict("true")


def _promises(guarantee: Any) -> list[tuple[Any, Fraction]]:
    """(ε, δ), as the curve, its inverse, and the claim made of it have them."""
    found = [(epsilon, Fraction(guarantee.delta_at(epsilon))) for epsilon in GRID]
    floor = Fraction(guarantee.curve.floor.upper)
    for delta in {floor, max(floor, Fraction(1, 20))}:
        epsilon = guarantee.epsilon_at(delta)
        if epsilon < 100:
            found.append((epsilon, delta))
    found += near_one(guarantee)
    with contextlib.suppress(AntiphonError):  # no single point to claim
        found.append(guarantee.claim().parameters)
    return [each for each in found if not isinstance(each[0], Fraction | float) or each[0] < 100]


def _read(case: Case, guarantee: Any) -> Verdict:
    """Only ε-DP has a reading in another base: δ may be what truncation took."""
    if guarantee.curve.floor.upper:
        return Verdict("unread", "only pure DP can be read in base two")
    assert case.base is not None
    growth = Fraction(2.0 ** (case.base * guarantee.epsilon_at(0)) * (1 + 1e-9))
    system = InBase(case.truth_of or case.system, case.base)
    question = _question(case, system, guarantee.verification)
    delta = question.solve(Log(growth), case.rounds).delta
    slack = (1 + growth) * case.rounds * system.read.draws * system.read.tail
    if delta > slack:
        shown = f"proved epsilon {guarantee.epsilon_at(0):.9g} by {guarantee.theorem}"
        shown += f"; in base 2^{case.base} delta is {float(delta):.6g}"
        return Verdict("false", shown, float(delta - slack))
    return Verdict("true", f"slack {float(slack):.3g}, delta {float(delta):.3g}")
