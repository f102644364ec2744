"""Checks of Theorems S, G and R of docs/sparse.md: k-sparse parallel composition.

S and G are about bounded creations, R about Rényi DP.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, Final

import attrs

from antiphon.composition import ConComp, Create, sparse_parallel
from antiphon.composition.accounting.creations import bounded_exactly
from antiphon.composition.accounting.creations.class_recursion import ClassCurve
from antiphon.composition.accounting.creations.k_sparse import SparseDivergence, sparse
from antiphon.composition.accounting.renyi import from_concentrated, from_renyi
from antiphon.composition.validity import EachValid
from antiphon.mechanisms.randomized_response import ExposedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol import identical
from antiphon.protocol.claims import Claim
from antiphon.protocol.measures.kinds import ZeroConcentrated
from antiphon.protocol.verification import Refused, Verification
from antiphon.selfcheck.theorems import theorem
from antiphon.selfcheck.theorems.components import corners
from antiphon.selfcheck.theorems.finite import WALK, promised
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, Parameters
from antiphon.verifiers.models import bounded, event_level

SECTION = (5, 6)
"""The position of this module's rows in ``antiphon verify``: after CM §5, which they sharpen."""
AT: tuple[ExactEpsilon, ...] = (epsilon(0), Log(Fraction(3, 2)), Log(2), Log(4))
QUARTER = Fraction(1, 4)


def checks() -> Iterable[Check]:
    """The checks of Theorems S, G and R, with broken twins."""
    text = "{} of {}, symmetric f', E = {}, δ = 1/4: attained"
    yield from theorem.rows("Thm S", text, _attained_symmetric, (1, 3, 2), (2, 3, 2), (2, 3, 4))
    yield Check("Thm S", "2 of 3 walks of positive δ", _walks)
    row = Check("Thm S", "2 of 3, f' that allows (0, 1) and (1, 0), E = 2, δ = 1/4", _both_ways)
    yield row
    yield row.twin("f' that allows (0, 1) and not (1, 0), 2 of 3, E = 2, δ = 1/4", symmetric=False)
    yield from theorem.rows(
        "Thm G", "{} of {}, any f', E = {}, δ = {}: attained", _attained,
        (2, 2, 2, QUARTER), (2, 3, 2, QUARTER), (2, 3, 4, QUARTER), (2, 3, 2, Fraction(2, 5)),
    )  # fmt: skip
    yield Check("Thm G", "(ln 2, 1/10) and (ln 4, 1/5), 3 of either: attained", _unequal)
    yield Check("Thm G", "the closed bound, 2 of 3, E = 2 and δ = 1/10", _closed)
    row = Check("Thm G", "the closed bound, 2 of twice (ln 2, 1/1000) and (ln 5, 0)", _unlike)
    yield row
    yield row.twin("2 of twice (ln 2, 1/1000) and (ln 5, 0), by pairs at Z", alike=True)
    row = Check("Thm G", "types chosen adaptively, 2 of 3, E = 4, δ = 1/4", _types)
    yield row
    yield row.twin("types fixed in advance, 2 of 3, E = 4, δ = 1/4", adaptive=False)
    row = Check(
        "Thm G", "2 of (ln 2, 1/10) and (ln 4, 1/5), chosen on the way, in doubles", _chosen
    )
    yield row
    yield row.twin("2 of (ln 2, 1/10) and (ln 4, 1/5), fixed in advance", adaptive=False)
    text = "1 of {0} × M_{{1/20, ln 4}} has (1-(1-p)^{0})·δ of RR_{{ln 4}}"
    yield from theorem.rows("Thm R", text, _exposed, (1,), (4,))
    for k, n, cost in ((1, 4, "one ρ"), (2, 8, "two ρ")):
        row = Check(
            "Thm R", f"{k} of {n} × M_{{1/20, ln 4}}, by elementary symmetric polynomials",
            partial(_bounded, k, n),
        )  # fmt: skip
        yield row
        yield row.twin(f"{k}-sparse zCDP costs {cost}, {n} × M_{{1/20, ln 4}}", revealed=False)


def _decided(
    created: Sequence[Create], purse: Sequence[Parameters], n: int, claimed: Iterable[Bound],
    public: int, exactly: bool = False,
) -> Evidence:  # fmt: skip
    """Evidence on a composition w.r.t. f_∞ of n creations, each of which gets ``public`` identical
    pairs and then a pair of bits."""
    rounds, f = n * (1 + public) + len(purse), sparse_parallel(purse)
    return theorem.of_creations(f, created, claimed, rounds, n, exactly=exactly)


# --- checks of Theorem S: every f' is swap-symmetric ---------------------------------------------


def _figures(parameters: Parameters, k: int, n: int) -> tuple[Bound, ...]:
    """The points (ε, δ) of Comp[RR_{ε,0} × k, RR_{0,δ} × n] for the ``parameters`` (ε, δ), at four
    values of ε."""
    size, delta = parameters
    return theorem.composed([(size, Fraction(0))] * k + [(epsilon(0), delta)] * n, AT)


def _attained_symmetric(k: int, n: int, growth: int) -> Evidence:
    one = corners(growth, QUARTER, symmetric=True)
    purse = [one.parameters] * k
    return _decided([one], purse, n, _figures(one.parameters, k, n), 1, exactly=True)


def _walks() -> Evidence:
    """Evidence for Theorem S on a mechanism with hidden state: the tight δ is below the bound."""
    one = Create(promised(WALK, bounded(event_level(), 2), 2, epsilon=Log(Fraction(5, 4))))
    return _decided([one], [one.parameters] * 2, 3, _figures(one.parameters, 2, 3), 1)


def _both_ways(*, symmetric: bool = True) -> Evidence:
    one = corners(2, QUARTER, symmetric=symmetric)
    return _decided([one], [one.parameters] * 2, 3, _figures(one.parameters, 2, 3), 2)


# --- checks of Theorem G: any prefix-closed f' ---------------------------------------------------


def _attained(k: int, n: int, growth: int, delta: Fraction) -> Evidence:
    one = corners(growth, delta)
    return _exactly([one], [one.parameters] * k, n)


def _unequal() -> Evidence:
    kinds = [corners(2, Fraction(1, 10)), corners(4, Fraction(1, 5))]
    return _exactly(kinds, [each.parameters for each in kinds], 3)


def _exactly(created: Sequence[Create], purse: Sequence[Parameters], n: int) -> Evidence:
    """Evidence that n creations attain the curve of Theorem G for these parameters."""
    curve = bounded_exactly.exactly_sparse(purse, k=len(purse), creations=n)
    return _decided(created, purse, n, [(at, curve.delta_at(at)) for at in AT], 2, exactly=True)


def _chosen(*, adaptive: bool = True) -> Evidence:
    """Evidence at ε = ln 4 on two creations whose parameters are chosen adaptively; not
    ``adaptive``: for the claim δ = 59/125, which is true of parameters fixed in advance only."""
    kinds = [corners(2, Fraction(1, 10)), corners(4, Fraction(1, 5))]
    purse, at = [each.parameters for each in kinds], Log(4)
    lists = combinations_with_replacement(purse, 2)
    fixed = (sparse(purse, k=2, creations=list(each), tight=True) for each in lists)
    curves = [sparse(purse, k=2, creations=2, tight=True)] if adaptive else fixed
    claimed = max(Fraction(curve.delta_at(at)) for curve in curves)
    return _decided(kinds, purse, 2, [(at, claimed)], 2)


def _closed() -> Evidence:
    """Evidence for the closed-form bound δ <= 1 - y·[(E+1)/2 (1-2δ₁)^n - (E-1)/2 (1-2δ₁E/(E-1))^n]
    for n mechanisms of δ₁, where 1-y is the δ of k times RR_ε, and E = e^ε >= 1/(1-2δ₁)."""
    e, delta, k, n = Fraction(2), Fraction(1, 10), 2, 3
    left = (e + 1) / 2 * (1 - 2 * delta) ** n - (e - 1) / 2 * (1 - 2 * delta * e / (e - 1)) ** n
    pure = theorem.composed([(Log(e), Fraction(0))] * k, AT)
    one = corners(2, delta)
    claimed = [(at, 1 - (1 - d) * left) for at, d in pure]
    return _decided([one], [one.parameters] * k, n, claimed, 2)


@attrs.frozen
class FewDiffer(Verification[Any]):
    """The verification function of fixed mechanisms of which at most ``most`` get a differing pair,
    one each.

    State: the states of the mechanisms' own f, and how many more may get one.
    """

    inside: EachValid
    most: int

    @property
    def initial_state(self) -> tuple[Any, int]:
        return self.inside.initial_state, self.most

    def step(self, state: tuple[Any, int], zero: Any, one: Any, /) -> tuple[Any, int] | Refused:
        before, left = state
        after = self.inside.step(before, zero, one)
        if type(after) is Refused or identical(zero, one):
            return after if type(after) is Refused else (after, left)
        return (after, left - 1) if left else Refused("no other mechanism may get one")


def few_differ(created: Sequence[Create], most: int) -> tuple[ConComp, FewDiffer]:
    """A composition of the created mechanisms, and its f, by which at most ``most`` see a
    difference."""
    return ConComp(created), FewDiffer(EachValid(tuple(created)), most)


def _unlike(*, alike: bool = False) -> Evidence:
    """Evidence for the closed-form bound of creations with different ε, at ε = ln 3. If ``alike``,
    the claim is the bound for equal ε, which these creations exceed."""
    delta, at = Fraction(1, 1000), Log(3)
    kinds = [*[corners(2, delta)] * 2, corners(5, Fraction(0))]
    pairs = [each.parameters for each in kinds]
    curve = sparse(pairs, k=2, creations=pairs)
    assert isinstance(curve, ClassCurve)
    claimed = Fraction(curve.closed.delta_at(at))
    if alike:
        [(_, pure)] = theorem.composed([(Log(2), Fraction(0)), (Log(5), Fraction(0))], [at])
        kept, odds = (1 - delta) ** 2 * (1 - pure), delta / (1 - delta)
        claimed = 1 - kept * (1 - 2 * odds * bounded_exactly.crossing_share(Fraction(2), delta))
    return theorem.private(*few_differ(kinds, 2), [(at, claimed)], 9)


def _types(*, adaptive: bool = True) -> Evidence:
    """Evidence on Theorem G's δ(0). Not ``adaptive``: the claim for mechanisms of each of which it
    is fixed in advance where it goes from state Z: to A or B, or to R or 0.

    It is 7/8, where an adaptive choice gains 253/288.
    """
    one = corners(4, QUARTER)
    chosen = bounded_exactly.exactly_sparse([one.parameters], k=2, times=2, creations=3).delta_at(0)
    settled = max(_settled(Fraction(4), QUARTER, 2, 3, across) for across in range(4))
    claimed = chosen if adaptive else settled
    return _decided([one], [one.parameters] * 2, 3, [(epsilon(0), claimed)], 2)


def _settled(e: Fraction, delta: Fraction, k: int, n: int, across: int) -> Fraction:
    """The δ(0) of n mechanisms, the worst cases of Theorem G, if from state Z ``across`` of them go
    to A or B, and the others to R or 0."""
    p, overlap = bounded_exactly.crossing_share(e, delta), Fraction(0)
    weighed, theta = bounded_exactly.Potential([e]), bounded_exactly.theta(e)
    for c in range(across + 1):
        law = math.comb(across, c) * p**c * (1 - p) ** (across - c) / (2 * theta) ** c
        for a in range(c + 1):
            standing = (bounded_exactly.Places(a, c - a, n - c, 0, k),)
            overlap += law * math.comb(c, a) * weighed.least(Fraction(1), k, standing)
    return 1 - (1 - delta) ** n * overlap


P: Final = Fraction(1, 20)
EXPOSED: Final = ExposedResponse(probability=P, epsilon=Log(4))
EXPOSED_AT: Final[tuple[ExactEpsilon, ...]] = (epsilon(0), Log(2), Log(3))


def _rho() -> tuple[ZeroConcentrated, Claim]:
    """The ρ of the tested mechanism M_{p,E}, and its claim of ρ-zCDP."""
    measures = ((claim.measure, claim) for claim in EXPOSED.claims)
    return next((rho, claim) for rho, claim in measures if isinstance(rho, ZeroConcentrated))


def _decided_by_rho(k: int, n: int, claimed: Iterable[Bound], exactly: bool = False) -> Evidence:
    rho, claim = _rho()
    f, made = sparse_parallel([rho] * k), [Create(EXPOSED, claim)]
    return theorem.of_creations(f, made, claimed, 2 * n + k, n, exactly=exactly)


def _exposed(n: int) -> Evidence:
    """Evidence for Theorem R: δ(ε) is the δ of RR_{ln 4}, (4 - e^ε)/5, times the probability that
    one of n mechanisms says publicly that it will answer by RR."""
    shown = 1 - (1 - P) ** n
    claimed = [
        (epsilon(at), shown * Fraction(4 - g, 5))
        for at, g in zip(EXPOSED_AT, (1, 2, 3), strict=True)
    ]
    return _decided_by_rho(1, n, claimed, exactly=True)


def _bounded(k: int, n: int, *, revealed: bool = True) -> Evidence:
    """Evidence on the bound of k-sparse composition of ρ-zCDP mechanisms; not ``revealed``: on the
    claim kρ, which is too small as it forgets the public answers."""
    rho, _ = _rho()
    right = from_renyi(SparseDivergence((rho,) * k, n))
    curve = right if revealed else from_concentrated(k * rho.rho)
    return _decided_by_rho(k, n, [(at, Fraction(curve.delta_at(at))) for at in EXPOSED_AT])
