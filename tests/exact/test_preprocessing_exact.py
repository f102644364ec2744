"""Pipelines with an imputation in the exact engine: never below the tight ε, which is not naive."""

import itertools
import math
from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import EMPTY, Log
from antiphon.mechanisms import ExponentialMechanism, PermuteAndFlip
from antiphon.preprocessing import ImputedSum, Preprocessed
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.spaces import Integers, Signature, Tuples
from antiphon.verifiers import EachWithin, Within, neighbouring_start

SETTINGS = [(3, 1, 2), (3, 2, 1), (2, 1, 2), (4, 1, 1), (3, 2, 2), (4, 2, 1)]


@attrs.frozen
class Geometric(ap.NoninteractiveMechanism):
    """x ↦ x + noise with P(n) ∝ 2^(-|n|), clamped to 0..most: ln 2 for each step, exactly."""

    most: int
    family: bool = True

    @property
    def signature(self):
        return Signature(Integers(0, self.most), Integers(0, self.most))

    @property
    def claims(self):
        return self.at(1)

    @property
    def claims_at(self):
        if not self.family:
            raise AttributeError
        return self.at

    def at(self, distance):
        cost = Pure(Log(2 ** math.floor(distance)))
        f = neighbouring_start(Within(distance))
        return (Claim(cost, f, Status.PROVED, "each step doubles or halves"),)

    def respond(self, dataset, coins):
        inner = [Fraction(1, 2 ** abs(y - dataset)) for y in range(self.most + 1)]
        inner[0] *= 2  # the tail, 1 + 1/2 + 1/4 + … as large as its first
        inner[-1] *= 2
        return coins.categorical(inner)


def tight(system, growth):
    return ap.PrivacyGame(system, system.verification).tight_delta(epsilon=Log(growth), rounds=1)


def pipeline(size, missing, high, **more):
    impute = ImputedSum(size=size, missing=missing, high=high)
    return Preprocessed(Geometric(size * high, **more), impute)


def moves(impute):
    """How far sums of neighbours are apart, of all of them."""
    found = 0
    for zero in impute.datasets.enumerate():
        for place, record in itertools.product(
            range(impute.size), (EMPTY, *range(impute.high + 1))
        ):
            one = (*zero[:place], record, *zero[place + 1 :])
            if impute.datasets.contains(one):
                found = max(found, abs(impute(zero) - impute(one)))
    return found


@over("setting", SETTINGS, at_least=6)
def test_the_derived_claim_holds_and_the_naive_one_does_not(setting):
    system = pipeline(*setting)
    impute = system.preprocessing
    derived = impute.images.distance + impute.distance
    true = moves(impute)
    assert impute.high < true <= derived
    assert system.claims[0].parameters == (Log(2 ** int(derived)), 0)
    assert tight(system, 2 ** int(derived)) == 0
    assert tight(system, 2**true) == 0
    assert tight(system, 2**impute.high) > 0.001  # as if nothing had been filled in
    assert tight(system, 2**true - Fraction(1, 100)) > 0


@pytest.mark.every(3)
@pytest.mark.parametrize("setting", [(3, 1, 1), (4, 1, 1), (4, 2, 1)])
def test_group_privacy_of_a_black_box_holds(setting):
    """Its one claim is about a record; where τ = 1, that is all the triangle needs, too."""
    system = pipeline(*setting, family=False)
    promise, count = ap.guarantee(system), setting[1] + 1
    group = promise.derivation.parts[-1]
    assert group.theorem.startswith("group privacy")
    assert group.curve.epsilon_at(0) == pytest.approx(count * math.log(2))
    assert promise.epsilon_at(0) == group.curve.epsilon_at(0)
    assert tight(system, 2**count) == 0
    assert tight(system, 2 ** (count - 1)) > 0


def test_the_triangle_holds_with_a_claim_for_the_step_of_the_others():
    """Claims about 1 and about τ, for which there is another word than for 1 + τ."""
    box = TwoClaims(6)
    impute = ImputedSum(size=6, missing=2, high=1)
    system = Preprocessed(box, impute)
    assert impute.distance == 2
    promise = ap.guarantee(system)
    assert promise.derivation.parts[0].theorem.startswith("weak triangle")
    assert promise.epsilon_at(0) == pytest.approx(3 * math.log(2))
    assert promise.status is Status.PROVED


@attrs.frozen
class TwoClaims(Geometric):
    """No family: neighbours one apart, and two."""

    family: bool = False

    @property
    def claims(self):
        return (*self.at(1), *self.at(2))

    def respond(self, dataset, coins):
        return Geometric.respond(self, dataset, coins)


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("distance", [1, 2])
def test_choices_at_a_distance(kind, distance):
    """The claim of the family is tight for the exponential mechanism in two dimensions."""
    choice = kind(epsilon=Log(4), candidates=2)
    f = neighbouring_start(EachWithin(distance))
    found = choice.claims_at(distance)[0].measure.epsilon.argument
    assert found == 4**distance
    scores = Tuples((Integers(0, 4),) * 2)
    shut = Shut(choice, scores)
    game = ap.PrivacyGame(shut, f)
    assert game.tight_delta(epsilon=Log(found), rounds=1) == 0
    assert game.tight_delta(epsilon=Log(4 ** (distance - 1) + Fraction(1, 2)), rounds=1) > 0


@attrs.frozen
class Shut(ap.NoninteractiveMechanism):
    """A mechanism on fewer queries."""

    mechanism: object
    queries: object

    @property
    def signature(self):
        return Signature(self.queries, self.mechanism.signature.answers)

    def respond(self, dataset, coins):
        return self.mechanism.respond(dataset, coins)
