"""Rules for k-sparse parallel composition: any number of mechanisms is created, and only those that
see a difference, at most k, cost privacy.

*Pure* (CM Thm 5.2): every fixed δ is 0, or all are bounded ranges, as η-DP. Figure: Comp[RR…] of
the fixed parameters.
*Consistent*: every created f' is first-pair consistent. (ε, δ): CM Thm 5.5; figure: Comp[RR…],
whatever the δ are. Other measures add up: proof in docs/sparse.md, In Rényi DP; in f-DP and GDP the
simulation of Vadhan and Zhang 2023 takes the place of RR in the proof of CM Thm 5.5.
*Otherwise* there is no promise (CM §5.2; docs/sparse.md): an adversary that creates without bound
learns everything, or finds one that leaks more than it claims; the error has this adversary.

*Bounded*: f_∞ where the number of creations is bounded, in any measure (docs/sparse.md).
(ε, δ): for any f', Theorem G. Every f' invariant under exchanging the sides of all
pairs: Theorem S, which is less, in the second order of δ. CM Thm 4.12 over all created mechanisms
holds, too, each counted as the worst of the fixed parameters; where these are unequal it may be
less. Figure: the least.

Trade-off functions: docs/fdp.md. They multiply where the consistent rule applies; count as (η, 0)
where their largest loss η is finite, as in the pure rule; and where creations are bounded the
figure is the least of Theorem F₁ (one slot), Theorem G at points of their curves, and Theorem R.

In each other measure, Theorem R: e^((α-1)D_α) <= Σ_{i<=k} e_i(c₁-1, …, c_n-1), where
c_j = e^((α-1)D_j) and e_i are the elementary symmetric polynomials. μ-GDP counts as its Rényi
curve. η-BR counts as η-DP besides (CM Thm 5.2, δ = 0), for any number, and the least is taken.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from antiphon.composition.accounting import bounds
from antiphon.composition.accounting.closed_forms import optimal
from antiphon.composition.accounting.creations.bounded_creations import GeneralCurve
from antiphon.composition.accounting.creations.class_recursion import ClassCurve
from antiphon.composition.accounting.creations.k_sparse import SparseDivergence, sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.pairs.compose import compose, largest_loss
from antiphon.composition.accounting.pairs.noise import GaussianPair, ResponsePair
from antiphon.composition.accounting.pairs.pairs_curve import LossPair
from antiphon.composition.accounting.summed_measures import grouped_measures
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees import composing, derivation
from antiphon.composition.guarantees.inclusion import consistent, verification_of
from antiphon.composition.guarantees.leaf_claims import creations, has_asserted_claim
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, Steps, rule
from antiphon.composition.parameter_multisets import Parameters
from antiphon.composition.validity import Sparse, SparseMeasures, SparseParallel
from antiphon.numbers import exact, shown_up
from antiphon.protocol import message_label, why_untrusted
from antiphon.protocol.measures import kinds
from antiphon.protocol.verification import swap_symmetric

PURE: Final = "CM Thm 5.2"
SPARSE: Final = (
    derivation.Premise(
        "the parameters of the mechanisms that get a differing pair are a sub-multiset of "
        "the fixed ones", derivation.Mark.ENFORCED, "by V[f]",
    ),
    composing.DISCRETE,
    derivation.Premise(
        "the pairs sent to those M'_j are f'_j-valid, f'_j closed under prefixes",
        derivation.Mark.ENFORCED,
        "by V[f]; an automaton that refuses stays dead",
    ),
)  # fmt: skip
"""The premises of every theorem on k-sparse composition; V[f] enforces them."""
_BOUNDED: Final = derivation.Premise(
    "every fixed trade-off function has a finite slope -e^η: its mechanisms are (η, 0)-DP",
    derivation.Mark.CHECKED,
)
_ZERO: Final = derivation.Premise("every fixed δ is 0", derivation.Mark.CHECKED)
_CONSISTENT: Final = "every created f' is first-pair consistent (CM Def. 5.3)"
_CURE: Final = (
    "use sparse_parallel(…, first_pair_consistent=True), or bound the number of creations: "
    "verifiers.bounded(f, messages), or guarantee(…, max_creations=n)"
)


@rule(PURE, ExtConComp, about=SparseParallel)
def sparse_pure(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """The rule for ExtConComp w.r.t. f_∞ (k-sparse), if every fixed δ is 0."""
    pure = {delta for _, delta in f.parameters} <= {0}
    return (
        composing.sum_theorem(PURE, composing.PARAMETER, f, (*SPARSE, _ZERO), inquiry)
        if pure
        else None
    )


@rule(PURE, ExtConComp, about=SparseMeasures, rank=3)
def sparse_range(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
    """The rule w.r.t. f_∞ for fixed measures of bounded loss η, each counted as (η, 0)."""
    if not composing.bounded_losses(f.measures):
        return None
    premises = (*SPARSE, _BOUNDED) if isinstance(f.measures[0], kinds.Dominated) else SPARSE
    return composing.sum_theorem(PURE, composing.RANGE, f, premises, inquiry)


@rule("CM Thm 5.5", ExtConComp, about=(SparseParallel, SparseMeasures), rank=1)
def sparse_consistent(system: ExtConComp, f: Sparse, inquiry: Inquiry) -> Answer:
    """The rule w.r.t. f_{∞,FPC}, or f_∞ with first-pair consistent creations only."""
    premise = consistency(f, inquiry)
    if premise is None:
        return None
    row = composing.adding_row(f)
    return composing.sum_theorem(row.consistent, row, f, (*SPARSE, premise), inquiry)


def consistency(f: Sparse, inquiry: Inquiry) -> derivation.Premise | None:
    """The premise that the f' of all creations are first-pair consistent; None if it may fail."""
    if f.require_first_pair_consistent:
        return derivation.Premise(_CONSISTENT, derivation.Mark.ENFORCED, "by V[f]")
    if inquiry.catalogue is None:
        return None
    marks = [consistent(each) for each in inquiry.catalogue if has_asserted_claim(each)]
    if derivation.Mark.FAILED in marks:
        return None
    if derivation.Mark.ASSUMED in marks:
        return derivation.Premise(_CONSISTENT, derivation.Mark.ASSUMED, "it says so")
    mark = derivation.Mark.CHECKED if inquiry.explored else derivation.Mark.GIVEN
    return derivation.Premise(_CONSISTENT, mark, "of the catalogue")


@rule("CM §5.2", ExtConComp, about=SparseParallel, rank=5)
def unbounded_parameters(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """The failure w.r.t. f_∞ where a fixed δ > 0: NoGuarantee with a counterexample."""
    epsilon, delta = max(f.parameters, key=lambda each: each[1])
    found = derivation.Counterexample(epsilon, delta)
    raise derivation.NoGuarantee(
        "k-sparse parallel composition (CM Thms 5.2, 5.5)",
        "every fixed δ to be 0, or every f' to be first-pair consistent",
        f"a fixed δ is {delta} and f does not ask for consistency: an adversary that creates "
        f"without bound learns everything: {found} (CM §5.2; the error's counterexample)",
        _CURE, found,
    )  # fmt: skip


@rule("docs/sparse.md", ExtConComp, about=SparseMeasures, rank=5)
def unbounded_measures(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
    """The failure w.r.t. f_∞ of other measures: NoGuarantee, for ρ and μ with a counterexample."""
    refuters = ((each, _refuter(each)) for each in f.measures)
    largest, found = next((each for each in refuters if each[1]), (f.measures[0], None))
    refuted = (
        "an adversary that creates without bound meets one that leaks more than any bound that "
        f"depends on the fixed amounts alone: {found} (the error's counterexample)"
    )
    raise derivation.NoGuarantee(
        "k-sparse parallel composition in each measure (docs/sparse.md)",
        "every f' to be first-pair consistent, or a bound on the number of creations",
        f"f does not ask for it, and {message_label(largest)} is a fixed amount: "
        + (refuted if found else "no figure is known that holds for any number of them"),
        _CURE, found,
    )  # fmt: skip


def _refuter(
    measure: kinds.Measure,
) -> derivation.Counterexample | derivation.ExposedCounterexample | None:
    """The counterexample for mechanisms with this measure: of many copies, one leaks in the end.
    None if none is known."""
    pair = measure.pair if isinstance(measure, kinds.Dominated) else None
    if isinstance(pair, GaussianPair):
        measure = kinds.GaussianDP(pair.mu)
    if isinstance(measure, kinds.ZeroConcentrated | kinds.GaussianDP):
        return derivation.ExposedCounterexample(measure)
    points = pair.atoms if isinstance(pair, LossPair) else None
    sure = [sum((p[b] for p in points or () if not p[1 - b]), Fraction(0)) for b in (0, 1)]
    least = pair.delta if isinstance(pair, ResponsePair) else min(sure)
    return derivation.Counterexample(Fraction(0), least) if least else None


GENERAL: Final = "Theorem G (docs/sparse.md)"
SYMMETRIC: Final = "Theorem S (docs/sparse.md)"
RENYI: Final = "Theorem R (docs/sparse.md)"
TRADE_OFFS: Final = "Theorem F₁ (docs/fdp.md)", "Theorems G and R (docs/fdp.md)"
"""The theorems on one trade-off function, and on several, where creations are bounded."""
_TEXT: Final = "every f' allows what it allows with the sides of all pairs exchanged"


class _Figure(NamedTuple):
    """A privacy curve with the theorem that gives it, and that theorem's further premises."""

    theorem: str
    words: Callable[[str, str], str]
    curve: PrivacyCurve
    premises: tuple[derivation.Premise, ...] = ()
    measures: tuple[kinds.Measure, ...] = ()


@rule(GENERAL, ExtConComp, about=(SparseParallel, SparseMeasures), rank=2)
def sparse_bounded(system: ExtConComp, f: Sparse, inquiry: Inquiry) -> Steps:
    """The rule w.r.t. f_∞ for adversaries who create, or ask, at most ``max_creations``."""
    most = inquiry.max_creations
    if most is None:
        return None
    truth, parts = yield from creations(inquiry)
    if isinstance(f, SparseMeasures):
        found = _in_orders(f, most)
    else:
        assert isinstance(f, SparseParallel)
        found = _in_parameters(f, most, inquiry)
    return derivation.Derivation(
        found.theorem,
        lambda: found.words(f"{min(len(f.fixed), most):,}", composing.shown_parameters(f.fixed)),
        f,
        found.curve,
        (
            composing.fixed_premise(f.fixed),
            *SPARSE,
            *found.premises,
            composing.at_most(most, inquiry),
            truth,
        ),
        parts,
        found.measures,
    )


def _in_orders(f: SparseMeasures, most: int) -> _Figure:
    measures = () if not most else (kinds.Renyi(SparseDivergence(f.measures, most)),)
    bounded = composing.bounded_losses(f.measures)
    pure = [composing.composed(bounded, most)] if bounded or not most else []
    curve = bounds.least_curve(
        [*pure, *map(bounds.of_measure, measures), *_of_pairs(f.measures, most)]
    )

    def words(differ: str, given: str) -> str:
        return f"{differ} of {most:,} created differ: {given}"

    curved = isinstance(f.measures[0], kinds.Dominated)
    theorem = TRADE_OFFS[len(f.measures) > 1] if curved else RENYI
    return _Figure(theorem, words, curve, (), measures)


_LEFT: Final = (1e-3, 1e-6, 1e-9)
"""Values tried for the sum of all created mechanisms' δ: each mechanism gets an equal part as its
δ, and the ε of its curve at that δ, for Theorem G."""


def _of_pairs(measures: Sequence[kinds.Measure], most: int) -> Iterator[PrivacyCurve]:
    """The curves of docs/fdp.md for k-sparse composition of bounded creations; none unless every
    measure has a dominating pair."""
    counts = [(own, n) for (own,), n in grouped_measures((each,) for each in measures)]
    each_once = [own for own, _ in counts]
    whole = bounds.product(each_once) if most else None
    if whole is None:
        return
    if len(measures) == 1:
        yield bounds.OneOfManyCurve(whole, most, largest_loss(measures[0]))
        return
    # This curve is a bound even if ``most`` mechanisms of every kind see a difference.
    yield compose(each_once, times=most)
    curves = [(bounds.of_measure(own), n) for own, n in counts]
    for left in _LEFT:
        at: list[Parameters] = []
        for curve, count in curves:
            epsilon = curve.epsilon_at(max(Fraction(left / most), curve.least_delta))
            if epsilon < math.inf:
                at += [(Fraction(epsilon), Fraction(curve.delta_at(epsilon)))] * count
        if len(at) == len(measures):
            yield sparse(at, k=len(at), creations=most)


def _in_parameters(f: SparseParallel, most: int, inquiry: Inquiry) -> _Figure:
    symmetry = tuple(_symmetry(f, inquiry))
    curve = _curve(f.parameters, most, symmetric=bool(symmetry)) if most else composing.composed([])

    def words(differ: str, given: str) -> str:
        text = f"as private as {differ} that differ and, of {most:,} created, all with their δ"
        return f"{text}: {given}{_closed(curve)}"

    return _Figure(SYMMETRIC if symmetry else GENERAL, words, curve, symmetry)


def _curve(parameters: tuple[Parameters, ...], number: int, *, symmetric: bool) -> PrivacyCurve:
    curve = sparse(parameters, k=len(parameters), creations=number, symmetric=symmetric)
    if len(set(parameters)) == 1 or isinstance(curve, ClassCurve):
        return curve  # This curve is tight: no other bound is less.
    return bounds.least_curve([curve, optimal([_largest(parameters)], times=number)])


def _closed(curve: PrivacyCurve) -> str:
    """The text that compares Theorem G with its bound in closed form, at twice the least δ."""
    if not isinstance(curve, GeneralCurve):
        return ""
    delta = min(1.0, 2 * curve.floor.upper)
    tight, closed = (shown_up(each.epsilon_at(delta)) for each in (curve, curve.closed))
    return f"; at δ = {shown_up(delta)}: ε = {tight}, by the closed bound {closed}"


def _symmetry(f: SparseParallel, inquiry: Inquiry) -> Iterable[derivation.Premise]:
    """The premise that each creation's f' is swap-symmetric; nothing if this is not known.

    A user's own f' that merely declares it gets Theorem G, which needs no such declaration.
    """
    if inquiry.catalogue is None:
        return
    paid = [each for each in inquiry.catalogue if each.asserts and each.parameters in f.parameters]
    for each in paid:
        inner = None if each.claim is None else verification_of(each.claim)
        if inner is None or not swap_symmetric(inner) or why_untrusted(inner) is not None:
            return
    yield derivation.Premise(
        _TEXT,
        derivation.Mark.CHECKED if inquiry.explored else derivation.Mark.GIVEN,
        "of the catalogue",
    )


def _largest(parameters: Sequence[Parameters]) -> Parameters:
    epsilon = parameters[0][0]
    for each, _ in parameters:
        epsilon = epsilon if exact.at_most(each, epsilon) else each
    return epsilon, max(delta for _, delta in parameters)
