"""Common parts of the rules for concurrent composition: the curve of Comp[RR…], and premises."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs

from antiphon.composition.accounting import summed_measures
from antiphon.composition.accounting.bounds import least_curve, of_measure, product, shifted_curve
from antiphon.composition.accounting.closed_forms import optimal
from antiphon.composition.accounting.creations.k_sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.pairs.compose import (
    dominating_pair,
    exact_product,
    largest_loss,
)
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.leaf_claims import Leaf, creations
from antiphon.composition.guarantees.rulebook import Inquiry
from antiphon.composition.parameter_multisets import PARAMETERS, Parameters
from antiphon.composition.validity import Paying
from antiphon.protocol.measures import kinds
from antiphon.protocol.records.labels import message_label


def composed(parameters: Sequence[Parameters], most: int | None = None) -> PrivacyCurve:
    """The tight privacy curve of these (ε_i, δ_i) in concurrent composition; (0, 0) for none.

    ``most``: the adversary chooses at most that many of the parameters.
    """
    if not parameters or most == 0:
        return optimal([(0, 0)])
    if most is not None and most < len(parameters):
        return sparse(parameters, k=most).worst
    return optimal(parameters)


def of_total(measures: Sequence[kinds.Measure], most: int | None = None) -> PrivacyCurve:
    """The privacy curve of these measures of one kind together, or of any ``most`` of them."""
    alike = len(set(map(summed_measures.told_apart, measures))) == 1
    taken = measures[:most] if alike else measures
    # If the measures are unlike, any ``most`` of them may be used; a bound for every choice is the
    # product of all.
    whole = product(taken)
    known = most is None or len(taken) <= most
    if whole is not None and known and isinstance(measures[0], kinds.Dominated | kinds.GaussianDP):
        return whole
    bounds = [of_measure(summed_measures.sum_of_one_kind(measures, most))]
    stated = [each for each in map(kinds.parameters_of, measures) if each is not None]
    if stated:  # An η-bounded-range claim is also a claim of (η, 0)-DP.
        bounds.insert(0, composed(stated, most))
    return least_curve(bounds if whole is None else [*bounds, whole])


def bounded_losses(measures: Sequence[kinds.Measure]) -> list[Parameters]:
    """The (η, 0) that each measure implies, η its largest loss; empty if a loss is unbounded."""
    losses = [loss for loss in map(largest_loss, measures) if loss is not None]
    return [(loss, Fraction(0)) for loss in losses] if len(losses) == len(measures) else []


def in_other_measures(
    claimed: Sequence[Sequence[kinds.Measure]],
) -> tuple[list[PrivacyCurve], tuple[kinds.Measure, ...]]:
    """The curves of fixed mechanisms by other measures than (ε, δ), and the sums of these measures.

    Rényi divergences add up (Lyu 2022; Vadhan and Zhang 2023), and so does f-DP, where every
    mechanism has a dominating pair.
    """
    if all(isinstance(m, kinds.Pure | kinds.Approximate) for each in claimed for m in each):
        return [], ()
    summed, lost = summed_measures.summed_divergences(claimed)
    curves = [shifted_curve(of_measure(summed), lost)]
    measures = summed_measures.sums_by_measure(claimed)
    curves += [of_measure(m) for m in measures if isinstance(m, kinds.GaussianDP)]
    sharpest = [sharp for sharp in map(_sharpest, claimed) if sharp is not None]
    whole = product(sharpest) if len(sharpest) == len(claimed) else None
    if whole is None:
        return curves, measures
    alone = all(len(own) == 1 and isinstance(own[0], kinds.Dominated) for own in claimed)
    return [whole] if alone else [*curves, whole], (*exact_product(sharpest), *measures)


_SHARPEST: Final = (
    kinds.Dominated,
    kinds.GaussianDP,
    kinds.BoundedRange,
    kinds.Pure,
    kinds.Approximate,
)


def _sharpest(measures: Sequence[kinds.Measure]) -> kinds.Measure | None:
    """The measure whose dominating pair is tightest; None if no measure has a pair."""
    known = [each for each in measures if dominating_pair(each) is not None]
    return min(known, key=lambda each: _SHARPEST.index(type(each)), default=None)


def shown_parameters(parameters: Sequence[Hashable]) -> str:
    """A text of the first few (ε, δ) or measures, each with its multiplicity.

    >>> from fractions import Fraction
    >>> shown_parameters([(Fraction(1, 2), Fraction(0))] * 3)
    '3 × (1/2, 0)'
    """
    counts: dict[Hashable, int] = {}
    for each in parameters:
        counts[each] = counts.get(each, 0) + 1
    shown = [
        (f"{count} × " if count > 1 else "") + message_label(each) for each, count in counts.items()
    ]
    return ", ".join([*shown[:4], *(["…"] if len(shown) > 4 else [])]) or "nothing"


Sum: TypeAlias = tuple[PrivacyCurve, tuple[kinds.Measure, ...]]
"""The privacy curve of a sum of amounts, and the other measures that the sum promises."""


@attrs.frozen
class Adding:
    """How amounts of one kind of measure add up: the theorems to cite, and the adding function."""

    fixed: str
    """The theorem for amounts that are fixed in advance."""
    consistent: str
    """The theorem for creations whose f' are all first-pair consistent."""
    words: Callable[[str], str]
    add: Callable[[Sequence[Any], int | None], Sum]
    """The function that adds all of these amounts, or any ``most`` of them."""


def _measures(measures: Sequence[kinds.Measure], most: int | None) -> Sum:
    if most == 0:
        return composed([]), ()
    return of_total(measures, most), (summed_measures.sum_of_one_kind(measures, most),)


def _trade_offs(measures: Sequence[kinds.Measure], most: int | None) -> Sum:
    curve, sums = _measures(measures, most)
    # The product of all pairs is also a bound for any ``most`` of them.
    return curve, (*exact_product(measures), *sums)


PARAMETER: Final = Adding(
    "CM Thm 4.12",
    "CM Thm 5.5",
    lambda shown: f"as private as Comp[RR…] of {shown}",
    lambda parameters, most: (composed(parameters, most), ()),
)
RANGE: Final = Adding(
    PARAMETER.fixed,
    PARAMETER.consistent,
    lambda shown: f"as private as Comp[RR…] of (η, 0), η the largest loss, of {shown}",
    lambda measures, most: (composed(bounded_losses(measures), most), ()),
)
"""How measures of bounded loss add up: each counts as (η, 0), η its largest loss."""
MEASURE: Final = Adding(
    "concurrent composition in each measure (Lyu 2022; Vadhan and Zhang 2023)",
    "Theorem R, first-pair consistent (docs/sparse.md)",
    lambda shown: f"{shown} add up",
    _measures,
)


TRADE_OFF: Final = Adding(
    "Theorem F (docs/fdp.md; Vadhan and Zhang 2023)",
    "Theorem F, first-pair consistent (docs/fdp.md)",
    lambda shown: f"as hard to tell apart as the product of the pairs, f₁ ⊗ … ⊗ f_k, of {shown}",
    _trade_offs,
)
"""How dominating pairs (f-DP) add up: by their product."""


def adding_row(f: Paying) -> Adding:
    """How the amounts that f fixes add up: (ε, δ), trade-off functions, or another measure."""
    if f.unit is PARAMETERS:
        return PARAMETER
    return TRADE_OFF if f.fixed and isinstance(f.fixed[0], kinds.Dominated) else MEASURE


def sum_theorem(
    theorem: str, row: Adding, f: Paying, premises: Sequence[Premise], inquiry: Inquiry
) -> Leaf:
    """The derivation step of a theorem by which the amounts that f fixes add up: all of them, or
    any ``max_creations``."""
    given, most, any_of = f.fixed, inquiry.max_creations, ""
    whole = most is None or most >= len(given)
    covered = theorem if row is PARAMETER and whole else ""
    truth, parts = yield from creations(inquiry)
    premises = (fixed_premise(given), *premises)
    if most is not None and most < len(given):
        premises, any_of = (*premises, at_most(most, inquiry)), f"any {most:,} of "
    curve, measures = row.add(given, most)
    return Derivation(
        theorem,
        lambda: row.words(any_of + shown_parameters(given)),
        f,
        curve,
        (*premises, truth),
        parts,
        measures,
        covered,
    )


def fixed_premise(parameters: Sequence[Hashable]) -> Premise:
    """The premise that the parameters are fixed in advance."""
    text = "the parameters are fixed in advance"
    return Premise(text, Mark.CHECKED, lambda: shown_parameters(parameters))


DISCRETE: Final = Premise("created mechanisms have discrete answers", Mark.ENFORCED, "by V[f]")


def at_most(number: int, inquiry: Inquiry) -> Premise:
    """The premise that at most ``number`` of the created mechanisms are asked anything."""
    return Premise(
        f"at most {number:,} of the created mechanisms are asked anything",
        Mark.ENFORCED if inquiry.bounded else Mark.GIVEN,
        "by V[f]" if inquiry.bounded else "max_creations",
    )
