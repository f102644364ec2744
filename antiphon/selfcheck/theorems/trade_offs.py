# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of Theorems F and F₁ of docs/fdp.md: trade-off functions of continual mechanisms.

A guarded mechanism is a post-processing of one sample of a pair of laws, so that compositions are
as hard to tell apart as products of pairs; and what is left of it without first-pair consistency.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.audit.simulated_composition import CompositionSimulator, FirstWorld
from antiphon.audit.simulator_of_pairs import Dichotomy, best_of, joined, pair_simulator
from antiphon.composition import Create, ExtConComp, validity
from antiphon.composition.accounting.pairs.points import FinitePair
from antiphon.composition.suitable import Suitable
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol import Claim, Coins, Pair, PostProcessor, Status, Verification, identical
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.measures.kinds import Dominated
from antiphon.protocol.spaces import BITS, Anything, Pairs, Signature
from antiphon.selfcheck.theorems import theorem
from antiphon.selfcheck.theorems.components import messages
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteAboveThreshold, Table
from antiphon.verifiers import Identifier, Verifier
from antiphon.verifiers.models import bounded, event_level, neighbouring_start

SECTION = (5, 7)
AT: tuple[ExactEpsilon, ...] = (epsilon(0), Log(Fraction(3, 2)), Log(2), Log(3))
EVENT, START = bounded(event_level(), 2), bounded(neighbouring_start(), 3)
EXPOSED = Table(
    "exposed w.p. 1/5, then RR(ln 4)",
    (
        ((0, 0, 0, 1, 0, 0, 0, 0, 4), (0, 0, 0, 1, 0, 0, 0, 0, 4)),
        ((0, 0, 0, 4, 1, 0, 0, 0, 0), (0, 0, 0, 1, 4, 0, 0, 0, 0)),
        ((0, 0, 0, 0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0, 0, 0, 1)),
    ),
    (0, 1, 2),
)
"""The mechanism M_{p,E} of docs/sparse.md: it says whether it is exposed, and then answers a bit by
RR_{ln 4}."""


def checks() -> Iterable[theorem.Check]:
    """The checks of Theorems F and F₁, with broken twins."""
    instances: tuple[tuple[str, Table | FiniteAboveThreshold, Verification, int], ...] = (
        ("walk", WALK, EVENT, 2),
        ("AboveThreshold", FiniteAboveThreshold(1), EVENT, 2),
        ("secret", SECRET, START, 3),
        ("exposed", EXPOSED, EVENT, 2),
    )
    rows = {
        name: theorem.Check(
            "Thm F", f"{name} ≡ T ∘* N, N its pair", partial(_same, mechanism, f, n)
        )
        for name, mechanism, f, n in instances
    }
    yield from rows.values()
    yield rows["walk"].twin("walk, T fed by a pair a tenth nearer", nearer=Fraction(1, 10))
    yield from _composed()
    yield from _without_consistency()


@cache
def claiming(mechanism: Table | FiniteAboveThreshold, f: Verification, rounds: int) -> Create:
    """The message that creates a mechanism with one claim: its own exact trade-off function."""
    best = pair_simulator(mechanism, f, rounds=rounds).pair
    pair = FinitePair(*zip(*best_of((best, _swapped(best))), strict=True))
    claim = Claim(Dominated(pair), f, Status.PROVED, "computed exactly (audit.simulator_of_pairs)")
    return Create(attrs.evolve(mechanism, claims=(claim,)))


def _swapped(pair: Dichotomy) -> Dichotomy:
    return joined([tuple((q, p) for p, q in pair)])


def _pair(created: Create) -> Dichotomy:
    assert created.claim is not None
    assert isinstance(created.claim.measure, Dominated)
    pair = created.claim.measure.pair
    assert isinstance(pair, FinitePair)
    return joined([pair.atoms])


def _figures(*created: Create) -> tuple[theorem.Bound, ...]:
    """The points (ε, δ) of the product of the pairs (P, Q) that the given creations claim."""
    points = [(Fraction(1), Fraction(1))]
    for pair in map(_pair, created):
        points = [(p * a, q * b) for (p, q), (a, b) in product(points, pair)]

    def stick(growth: Fraction) -> Fraction:
        return sum((max(Fraction(0), p - growth * q) for p, q in points), Fraction(0))

    return tuple((at, stick(Fraction(at.argument if isinstance(at, Log) else 1))) for at in AT)


@attrs.frozen
class Samples(NoninteractiveMechanism[int, object]):
    """A mechanism on a bit: it draws a point from each pair (P, Q), by P for 0 and Q for 1, and
    answers the tuple of their indices or, if ``single``, the first index."""

    pairs: tuple[Dichotomy, ...]
    single: bool = False
    signature = Signature(BITS, Anything(), BITS)

    def respond(self, dataset: int, coins: Coins) -> object:
        drawn = tuple(coins.categorical(_weights(pair, dataset)) for pair in self.pairs)
        return drawn[0] if self.single else drawn


def _weights(pair: Dichotomy, bit: int) -> list[int]:
    scale = math.lcm(*(point[bit].denominator for point in pair))
    return [int(point[bit] * scale) for point in pair]


# --- checks of Theorem F: one mechanism ----------------------------------------------------------


def _same(
    mechanism: Table | FiniteAboveThreshold,
    f: Verification,
    rounds: int,
    *,
    nearer: Fraction = Fraction(0),
) -> theorem.Evidence:
    """Evidence that T ∘* N(b) has the views of V[f] ∘* I(b) ∘* M, where T is the simulator and N(b)
    draws once from M's pair (P, Q); ``nearer``: a part by which P and Q are mixed, in a twin."""
    simulator = pair_simulator(mechanism, f, rounds=rounds)
    fed = [(p + nearer * (q - p) / 2, q + nearer * (p - q) / 2) for p, q in simulator.pair]
    samples = Samples((tuple(fed),), single=True)
    pairs = Pairs(mechanism.signature.queries).enumerate()
    game = PrivacyGame(mechanism, f)
    systems = theorem.in_both_worlds(lambda b: simulator @ Identifier(b) @ samples, game.mechanism)
    return theorem.same_views(systems, rounds, pairs)


# --- checks of Theorem F: compositions -----------------------------------------------------------


def _measures(*created: Create) -> list[Dominated]:
    claims = [each.claim for each in created]
    return [c.measure for c in claims if c is not None and isinstance(c.measure, Dominated)]


def _composed() -> Iterable[theorem.Check]:
    row = partial(theorem.Check, "Thm F")
    walk, above = claiming(WALK, EVENT, 2), claiming(FiniteAboveThreshold(1), EVENT, 2)
    secret, exposed = claiming(SECRET, START, 3), claiming(EXPOSED, EVENT, 2)
    fixed = validity.fixed_parameters(_measures(walk, above))
    both = row("walk and AboveThreshold, chosen adaptively: f₁ ⊗ f₂",
               partial(_bounded, [walk, above], [walk, above], 6, 3, f=fixed))  # fmt: skip
    yield both
    more = validity.fixed_parameters(_measures(walk, above, above))
    yield both.twin("f has a slot more than is fixed in the claim", f=more)
    two = partial(_bounded, [secret] * 2, [secret], 9, 3, f=_sparse(secret, secret))
    yield row("2 of up to 3 secrets, first-pair consistent: f ⊗ f", two)
    yield row("1 of 2 secrets ≡ 𝒫 ∘* N", partial(_proof, [secret], 2, 5, f=_sparse(secret)))
    three = row("3 exposed ones, which first-pair consistency leaves out",
                partial(_bounded, [exposed], [exposed], 7, 3, f=_sparse(exposed)))  # fmt: skip
    proof = row("exposed, which it leaves out ≡ 𝒫 ∘* N",
                partial(_proof, [exposed], 1, 4, f=_sparse(exposed)))  # fmt: skip
    yield from (three, proof)
    free = _sparse(exposed, consistent=False)
    yield three.twin("f forgets first-pair consistency, 3 exposed ones", f=free)
    yield proof.twin("𝒫 asks N at a difference that is not the first pair", f=free)


def _sparse(*created: Create, consistent: bool = True) -> validity.SparseMeasures:
    return validity.sparse_parallel(_measures(*created), first_pair_consistent=consistent)


def _bounded(
    purse: Sequence[Create], made: Sequence[Create], rounds: int, most: int, *, f: Suitable
) -> theorem.Evidence:
    """Evidence that a composition has at most the δ of the product of the pairs (P, Q) in
    ``purse``."""
    return theorem.of_creations(f, made, _figures(*purse), rounds, most)


def _only(*_: object) -> int:
    """The index of the sample that the simulator takes: 0, as there is a single sample."""
    return 0


def _proof(made: list[Create], count: int, rounds: int, *, f: Suitable) -> theorem.Evidence:
    """Evidence that V[f] ∘* I(b) ∘* ExtConComp has the views of V[f] ∘* 𝒫 ∘* N(b), where 𝒫 is the
    simulator and N(b) draws once from a pair (P, Q)."""
    (one,) = made
    assert one.claim is not None
    guarded = pair_simulator(
        one.mechanism, one.claim.verification, rounds=rounds, pair=_pair(one), within=True
    )

    def choose(created: Create, pair: Pair) -> PostProcessor:
        return FirstWorld(created) if identical(pair.zero, pair.one) else guarded

    simulator, samples = CompositionSimulator((), choose, _only), Samples((_pair(one),))
    systems = theorem.in_both_worlds(
        lambda b: Verifier(f) @ Identifier(b) @ ExtConComp(),
        lambda b: Verifier(f) @ simulator @ Identifier(b) @ samples,
    )
    return theorem.same_views(systems, rounds, messages(made, count))


# --- checks of Theorem F₁: without first-pair consistency ----------------------------------------


def _without_consistency() -> Iterable[theorem.Check]:
    exposed = claiming(EXPOSED, EVENT, 2)
    row = theorem.Check(
        "Thm F₁", "1 of up to 3 exposed ones: RR(ln 4) of the largest loss",
        partial(_one_of, 3, claimed=_of_response()),
    )  # fmt: skip
    yield row
    yield row.twin("the trade-off function itself, 1 of up to 3", claimed=_figures(exposed))
    text = "1 of up to {} exposed ones: m(1-(1-δ/m)^n), attained"
    rows = theorem.rows("Thm F₁", text, _attained, (1,), (2,), (3,))
    yield from rows
    yield rows[-1].twin("1 of up to 3, as if 2 were created", counted=2)


def _of_response() -> tuple[theorem.Bound, ...]:
    """The points (ε, δ) of one randomized response RR_{ln 4}."""
    return theorem.composed([(Log(4), Fraction(0))], AT)


def _one_of(n: int, *, claimed: Sequence[theorem.Bound], exactly: bool = False) -> theorem.Evidence:
    exposed = claiming(EXPOSED, EVENT, 2)
    f = _sparse(exposed, consistent=False)
    return theorem.of_creations(f, [exposed], claimed, 2 * n + 1, n, exactly=exactly)


def _attained(n: int, *, counted: int | None = None) -> theorem.Evidence:
    """Evidence for Theorem F₁ on n creations; in a twin, the claim is that for ``counted``
    creations."""
    points = zip(_figures(claiming(EXPOSED, EVENT, 2)), _of_response(), strict=True)
    claimed = [
        (at, most * (1 - (1 - delta / most) ** (counted or n))) for (at, delta), (_, most) in points
    ]
    return _one_of(n, claimed=claimed, exactly=True)
