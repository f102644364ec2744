"""Theorem R of docs/sparse.md: k-sparse parallel composition in Rényi DP."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Final

from antiphon.composition.accounting.creations.sparse import SparseDivergence
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.renyi import from_concentrated, from_renyi
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import sparse_parallel
from antiphon.mechanisms.leaky_bit import ExposedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol.measures.kinds import ZeroConcentrated
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, private

SECTION = (5, 7)
"""Behind CM §5, which it carries over to other measures."""
P: Final = Fraction(1, 20)
EXPOSED: Final = ExposedResponse(probability=P, epsilon=Log(4))
AT: Final[tuple[ExactEpsilon, ...]] = (epsilon(0), Log(2), Log(3))


def checks() -> Iterable[Check]:
    """The rows."""
    for n in (1, 4):
        yield Check(
            "Thm R", f"1 of {n} × M_{{1/20, ln 4}} has (1-(1-p)^{n})·δ of RR_{{ln 4}}",
            partial(_exposed, n),
        )  # fmt: skip
    for k, n, cost in ((1, 4, "one ρ"), (2, 8, "two ρ")):
        row = Check(
            "Thm R", f"{k} of {n} × M_{{1/20, ln 4}}, by elementary symmetric polynomials",
            partial(_bounded, k, n),
        )  # fmt: skip
        yield row
        yield row.twin(f"{k}-sparse zCDP costs {cost}, {n} × M_{{1/20, ln 4}}", revealed=False)


def _asserting_rho() -> Create:
    claim = next(c for c in EXPOSED.claims if isinstance(c.measure, ZeroConcentrated))
    return Create(EXPOSED, claim)


def _rho() -> ZeroConcentrated:
    claim = _asserting_rho().claim
    assert claim is not None
    assert isinstance(claim.measure, ZeroConcentrated)
    return claim.measure


def _decided(k: int, n: int, claimed: Iterable[Bound], exactly: bool = False) -> Evidence:
    f, made = sparse_parallel([_rho()] * k), [_asserting_rho()]
    system, rounds = ExtConComp(), 2 * n + k
    return private(system, f, claimed, rounds, exactly=exactly, catalogue=made, max_creations=n)


def _exposed(n: int) -> Evidence:
    """What RR_{ln 4} has at e^ε, (4 - e^ε)/5, if any of n is exposed."""
    shown = 1 - (1 - P) ** n
    claimed = [
        (epsilon(at), shown * Fraction(4 - g, 5)) for at, g in zip(AT, (1, 2, 3), strict=True)
    ]
    return _decided(1, n, claimed, exactly=True)


def _at(curve: PrivacyCurve) -> list[Bound]:
    return [(each, Fraction(curve.delta_at(each))) for each in AT]


def _bounded(k: int, n: int, *, revealed: bool = True) -> Evidence:
    """What follows of its ρ; not ``revealed``: as if what they are told in public told nothing."""
    curve = from_renyi(SparseDivergence((_rho(),) * k, n))
    return _decided(k, n, _at(curve if revealed else from_concentrated(k * _rho().rho)))
