"""The page of theorems, made of what decides them: `antiphon verify`, the rules, their premises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon.composition import (
    WhitehouseFilter,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import GaussianPair
from antiphon.mechanisms import (
    HSS,
    BufferedToeplitzCounter,
    CountAfter,
    KthLargest,
    LeakyBit,
    RandomizedResponse,
    TreeCounter,
)
from antiphon.numbers.exact import Log
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import Dominated, ZeroConcentrated
from antiphon.selfcheck.theorems import Check, Decided, Standing, checks

SMALL = Fraction(1, 100)
COUNTER = TreeCounter(horizon=8, epsilon=1)
UNIT_COUNTER = TreeCounter(horizon=8, epsilon=1, largest=9, sensitivity=1)
TOEPLITZ = BufferedToeplitzCounter(horizon=8, rho=SMALL)
ROWS = ap.Create(TOEPLITZ, TOEPLITZ.claims[0].at(SMALL))
LEAKY = LeakyBit(delta=Fraction(1, 100))
RESPONSE = RandomizedResponse(epsilon=1, delta=Fraction(1, 100))


@attrs.frozen(kw_only=True)
class About:
    """What a theorem says, who proved it, and a system whose guarantee shows its premises."""

    says: str
    source: str
    premises: str = ""
    """Where no guarantee is derived by it."""
    sample: Callable[[], Any] | None = None
    """A guarantee by it."""
    kernel: tuple[str, ...] = ()
    """The theorems of proofs/Proved.v that say it, or what is said after a colon of it."""


def sparse(*, delta: Fraction, consistent: bool = False, **narrowed: Any) -> Any:
    """The guarantee of a k-sparse parallel composition, k = 1."""
    f = sparse_parallel([(1, delta)], first_pair_consistent=consistent)
    return ap.guarantee(ap.ExtConComp(), f, **narrowed)


EVENT = ap.verifiers.event_level()
ABOUT = {
    "Lemma 2.4": About(
        says="RR_{ε,δ} is (ε, δ)-DP, and no less.",
        source="Kairouz, Oh, Viswanath; CM §2.1",
        premises="none",
    ),
    "Thm 2.5": About(
        says="An (ε, δ)-DP NIM is a post-processing of RR_{ε,δ}.",
        source="Kairouz, Oh, Viswanath; CM §2.1. The post-processing is built, and compared.",
        premises="the NIM is (ε, δ)-DP; its answers are discrete",
    ),
    "Alg. 1-2": About(
        says="P ∘\\* M and P₁ ∘\\* P₂ are the flat chains that run; ∘\\* is associative.",
        source="CM §2.3",
        premises="each part sends what the next one takes",
    ),
    "Lemma 2.15": About(
        kernel=("post_processing", "post_processing_forwarding: w.r.t. an f"),
        says="P ∘\\* M is as private as M.",
        source="CM Lemma 2.15; of a P that asks on its own: [post-processors that ask]"
        "(guarantees.md#post-processors-that-ask)",
        sample=lambda: ap.guarantee(CountAfter() @ COUNTER, EVENT),
    ),
    "Cor. 3.8": About(
        says="M is private w.r.t. f iff V[f] ∘\\* I ∘\\* M is, as an IM, w.r.t. 0 ∼ 1.",
        source="CM §3.4",
        sample=lambda: ap.guarantee(ap.Verifier(COUNTER.verification) @ ap.Identifier() @ COUNTER),
    ),
    "Expiration": About(
        says="An adversary who stops d updates after the one that differs pays for the answers "
        "that depend on it so far.",
        source="[windows and decay](windows.md#privacy-by-age)",
        premises="each answer is private given those before it, with a bound on the sum along "
        "every path",
    ),
    "Lemma 4.6": About(
        kernel=("lyu_decomposition: the laws that T samples from",),
        says="An (ε, δ)-DP CM is T ∘\\* RR_{ε,δ}, and T asks once.",
        source="Lyu 2022; CM App. A. T is built (`ap.audit.lyu`), and compared.",
        premises="M is (ε, δ)-DP w.r.t. f; discrete answers",
    ),
    "Lemma 4.7": About(
        says="A pure ε-DP CM is T ∘\\* RR_{ε,0}, and T asks only once the laws differ.",
        source="Vadhan, Wang 2021; CM App. B. T is built (`ap.audit.vadhan_wang`), and compared.",
        premises="M is ε-DP w.r.t. f; discrete answers",
    ),
    "Thm 4.10": About(
        kernel=("fixed_mechanisms", "fixed_mechanisms_from_the_start: ConComp"),
        says="Mechanisms fixed in advance are as private as Comp[RR_{ε₁,δ₁}, …].",
        source="CM Thm 4.10",
        sample=lambda: ap.guarantee(ap.ExtConComp(), fixed_mechanisms([COUNTER, RESPONSE])),
    ),
    "Thm 4.12": About(
        kernel=("fixed_parameters",),
        says="So are mechanisms chosen adaptively, their parameters fixed in advance.",
        source="CM Thm 4.12",
        sample=lambda: ap.guarantee(ap.ExtConComp(), fixed_parameters([(1, 0), (1, SMALL)])),
    ),
    "Thm 5.2": About(
        kernel=("sparse_parallel_pure",),
        says="Of any number of mechanisms, the k that see a difference pay, if δ = 0.",
        source="CM Thm 5.2",
        sample=lambda: sparse(delta=Fraction(0)),
    ),
    "Thm 5.5": About(
        kernel=("sparse_parallel_first_pair",),
        says="The same for any δ, where no mechanism can see a difference after its first message.",
        source="CM Thm 5.5",
        sample=lambda: sparse(delta=SMALL, consistent=True),
    ),
    "Thm 1.4": About(
        kernel=("no_sparse_composition",),
        says="With δ > 0 and no such restriction, n copies of M_δ cost 1-(1-δ)ⁿ: a counterexample.",
        source="CM §5.2; the adversary is found by search.",
        premises="none: it says what is *not* private",
    ),
    "Thm S": About(
        kernel=("symmetric_sparse_parallel: equal parameters, with a bound on what is created",),
        says="What n of them cost, if every f' allows the exchange of both sides. Attained.",
        source="proved in [sparse](sparse.md)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), sparse_parallel([(0, SMALL)]), max_creations=3, catalogue=[LEAKY]
        ),
    ),
    "Thm G": About(
        says="What n of them cost, for any f'. Attained.",
        source="proved in [sparse](sparse.md)",
        sample=lambda: sparse(delta=SMALL, max_creations=3),
    ),
    "Thm R": About(
        says="The same in Rényi DP, by elementary symmetric polynomials.",
        source="proved in [sparse](sparse.md#in-rényi-dp)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), sparse_parallel([ZeroConcentrated(SMALL)]), max_creations=3
        ),
    ),
    "Thm U": About(
        says="Of any number of uniformly private mechanisms, the k that see a difference pay.",
        source="proved in [sparse](sparse.md#uniformly-private-mechanisms)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), sparse_parallel([ROWS.parameters]), catalogue=[ROWS]
        ),
    ),
    "Distinct items": About(
        says="An event, or an item, changes a count of distinct items by +1 and -1 in turn.",
        source="CM Thm 6.1 with P = `Distinct`; [distinct](distinct.md)",
        premises="the counter is private w.r.t. such differences; P's three properties",
    ),
    "Thm F": About(
        says="A mechanism is a garbling of a pair of laws with its trade-off function, so that "
        "trade-off functions multiply.",
        source="proved in [fdp](fdp.md#theorem-f); for finite interactions Vadhan and Zhang 2023",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), fixed_parameters([Dominated(GaussianPair(SMALL))] * 2)
        ),
    ),
    "Thm F₁": About(
        says="One of n differs, without first-pair consistency: m(1 - (1 - δ/m)ⁿ).",
        source="proved in [fdp](fdp.md#without-first-pair-consistency)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), sparse_parallel([Dominated(GaussianPair(SMALL))]), max_creations=3
        ),
    ),
    "Filters": About(
        kernel=("basic_filter: the basic filter",),
        says="Parameters chosen adaptively, charged before anything runs.",
        source="Haney et al. 2023 for the composition; each filter's own in [filters](filters.md)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(budget=WhitehouseFilter(epsilon=1, delta=SMALL)), catalogue=[COUNTER]
        ),
    ),
    "Odometers": About(
        says="What was spent until now, whenever one stops.",
        source="Whitehouse, Ramdas, Rogers, Wu 2023; of f_∞ in [budget](budget.md). Each row is "
        "decided against every adversary who stops when they like, with the reading that "
        "`session.budget` shows.",
        premises="true claims, discrete answers; for the loss itself: no claim has a δ; for what "
        "got no differing pair to cost nothing: claims of ε alone",
    ),
    "Measures": About(
        says="What η-BR and μ-GDP imply, alone and composed.",
        source="[measures](measures.md)",
        premises="a claim in that measure",
    ),
    "Claim 6.3": About(
        says="I ∘\\* P ≡ P² ∘\\* I.",
        source="CM §6.2",
        premises="P has the destination and the response property",
    ),
    "Claim 6.4": About(
        says="V[f'] may be put between P² and I.",
        source="CM §6.2",
        premises="P has the f → f' property",
    ),
    "Thm 6.1": About(
        kernel=("complex_mechanism",),
        says="P ∘\\* M is as private w.r.t. f as M is w.r.t. f'.",
        source="CM Thm 6.1; in f-valid runs: `antiphon/composition/properties.py`",
        sample=lambda: ap.guarantee(
            ap.composition.ComplexMechanism(
                HSS(epsilon=1, query=KthLargest(), dimension=2, beta=SMALL)
            )
        ),
    ),
    "Thm 6.1, HSS": About(
        says="HSS, Alg. 4, by Thm 5.2, 4.10 and 6.1.",
        source="CM §7; [histograms](histograms.md)",
        premises="q is 1-sensitive and monotone; the parts are private: as above",
    ),
    "Thm 6.1, by distance": About(
        says="π @ M costs what M claims for neighbours as far apart as π moves them.",
        source="CM Thm 6.1 with P = π; [preprocessing](preprocessing.md)",
        premises="M claims so much by distance; π moves neighbours no farther than it declares",
    ),
    "Thm T1": About(
        says="B units of change over any number of pure counters cost B times what one unit costs.",
        source="[boards](boards.md)",
        sample=lambda: ap.guarantee(
            ap.ExtConComp(), ap.boards.SharedPurse((ap.Create(UNIT_COUNTER),) * 2, units=3)
        ),
    ),
    "Weak triangle": About(
        says="D_α over two steps, from the curve of each at an order above α: for every p > 1.",
        source="Hölder's inequality; [preprocessing](preprocessing.md)",
        premises="the curves of both steps are claimed; between them stands a table",
    ),
    "Group privacy": About(
        says="n records that move cost n times ε, and δ grows geometrically.",
        source="[preprocessing](preprocessing.md)",
        premises="π moves at most so many records",
    ),
    "Principal directions": About(
        says="Replacing a record turns the projection by at most s/(g + g'), s the spread of the "
        "difference of both moments, g and g' their eigengaps.",
        source="Davis and Kahan 1970; `PrincipalProjection` has the proof",
        premises="both datasets have the gap",
    ),
    "LDP Alg. 2": About(
        says="A privatised label costs each user ε where its noise has the scale Λ_t, not ln KT.",
        source="[distribution](distribution.md)",
        premises="the context is public; one label a user",
    ),
    "L2P Alg. 1": About(
        says="Adversaries that listen learn twice what two fixed streams tell.",
        source="[adaptivity](adaptivity.md)",
        premises="one loss differs",
    ),
    "Mistakes": About(
        says="(ln 3/2, δ)-DP learners: q_{i+1} ≤ ¾q_i + δ/2, and P(fewer than k) ≤ 3q₀ + 2kδ; "
        "and P(M < n) ≤ cβ + d on some stream.",
        source="[mistakes](mistakes.md), where the printed forms fail",
        premises="the learner is (ε, δ)-DP and β-concentrated, and f̂₁ is f⁽⁰⁾ for certain",
    ),
}


def page() -> str:
    """All of it, as Markdown."""
    rows = checks()
    return "\n".join(line for theorem in groups(rows) for line in entry(theorem, rows))


def groups(rows: list[Check]) -> list[str]:
    """The theorems, in the order of CM."""
    return list(dict.fromkeys(row.theorem for row in rows))


def entry(theorem: str, rows: list[Check]) -> Iterator[str]:
    """One theorem: what it says, whence, its premises, and its rows decided."""
    about = ABOUT[theorem]
    yield from (f"## {theorem}", "", about.says, "", f"*Proof:* {about.source.rstrip('.')}.", "")
    yield from (f"*Machine-checked:* {checked(about)}.", "", *premises(about), "")
    yield "| checked on | claimed | tight δ | |"
    yield "|---|---|---|---|"
    for row in rows:
        if row.theorem == theorem:
            yield decided(row.run())
    yield ""


def checked(about: About) -> str:
    """Which theorem of Coq says it; or that its proof is on paper."""
    named = [each.partition(": ") for each in about.kernel]
    texts = [f"`{name}` ({of})" if of else f"`{name}`" for name, _, of in named]
    return ", ".join(texts) + " in `proofs/Proved.v`" if texts else "no; the proof is on paper"


def premises(about: About) -> Iterator[str]:
    """As a guarantee marks them, or as they are stated."""
    if about.sample is None:
        yield f"*Premises:* {about.premises}."
        return
    yield "*Premises,* as `ap.guarantee` marks them in one system:"
    yield ""
    for premise in about.sample().derivation.premises:
        evidence = f" ({premise.evidence})" if premise.evidence else ""
        yield f"* {escaped(premise.text + evidence)}: *{premise.mark.value}*"


def decided(row: Decided) -> str:
    """A row of the table; a broken twin in italics."""
    check, found = row.check, row.evidence
    instance = ("" if check.expected else "*broken twin:* ") + escaped(check.instance)
    assert row.as_expected, f"{check.theorem}, {check.instance}: {row.verdict}"
    if found.relation is Standing.EQUIVALENT:
        claimed, tight = "≡, distance 0", f"distance {short(found.tight[0])}"
    else:
        points = [f"{found.relation.value} ({epsilon(e)}, {short(d)})" for e, d in found.claimed]
        claimed, tight = "<br>".join(points), "<br>".join(map(short, found.tight))
    return f"| {instance} | {claimed} | {tight} | {row.verdict} |"


def epsilon(value: Any) -> str:
    """ln 2, or a number."""
    return f"ln {value.argument}" if isinstance(value, Log) else short(value)


def short(value: Fraction) -> str:
    """A fraction as it is, where that is short; else six digits, rounded up."""
    return text if len(text := str(value)) <= 12 else f"≈ {shown_up(float(value))}"


def escaped(text: str) -> str:
    r"""Words, for Markdown.

    >>> escaped("P ∘* M | N")
    'P ∘\\* M \\| N'
    """
    for mark in "\\*_|[]<":
        text = text.replace(mark, f"\\{mark}")
    return text


__all__ = ["ABOUT", "page"]
