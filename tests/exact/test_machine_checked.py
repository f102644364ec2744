"""A mechanism of one's own, whose figure has a certificate: alone, and composed."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon.audit import MachineChecked
from antiphon.composition.guarantees.derivation import Mark
from antiphon.composition.guarantees.statement import stated
from antiphon.mechanisms import DiscreteLaplace, SparseVector
from antiphon.protocol import Status
from antiphon.protocol.spaces import BITS, Space
from antiphon.verifiers import event_level


@ap.register("tests.TwoFlips/1")
@attrs.frozen
class TwoFlips(ap.ContinualMechanism):
    """Two messages; each is answered by itself with probability 1 - p, else by the other bit."""

    p: Fraction = Fraction(1, 4)
    initial_state = 0
    signature = ap.Signature(BITS, BITS)
    claims = ()

    def step(self, state, message, coins):
        if state == 2:
            return state, ap.HALT
        return state + 1, message ^ int(coins.bernoulli(self.p))


def checked(path, **change):
    game = ap.PrivacyGame(TwoFlips(), event_level())
    return game.machine_checked(path / "found.jsonl", epsilon=ap.Log(3), **change)


def test_its_guarantee_is_machine_checked(tmp_path):
    found = checked(tmp_path)
    promise = ap.guarantee(found)
    assert promise.status is Status.MACHINE_CHECKED
    assert promise.epsilon_at(0) == float(ap.Log(3))
    assert promise.delta_at(ap.Log(3)) == 0
    text = str(promise)
    assert "status: machine-checked" in text
    assert f"coins only ({found.file}: against 2 messages" in text
    assert "⊢ machine-checked" in text
    assert f"Machine-checked: {found.file}" in str(promise.statement())
    assert found.claims[0].status is Status.MACHINE_CHECKED


def test_a_composition_of_it_is_proved_with_a_leaf_that_is_machine_checked(tmp_path):
    promise = ap.guarantee(ap.ConComp([checked(tmp_path)] * 2))
    assert promise.status is Status.PROVED
    assert promise.epsilon_at(0) == pytest.approx(float(ap.Log(9)))
    assert [*promise.derivation.marked(Mark.MACHINE_CHECKED)]
    assert "machine-checked" in promise.explain("markdown")
    alone = ap.guarantee(ap.ConComp([ap.composition.Certified(checked(tmp_path, overwrite=True),
                                                              event_level())]))  # fmt: skip
    assert alone.status is Status.PROVED


def test_it_behaves_as_the_mechanism(tmp_path):
    ap.check(checked(tmp_path))


def test_without_its_file_it_is_assumed(tmp_path):
    found = checked(tmp_path)
    (tmp_path / "found.jsonl").unlink()
    lost = MachineChecked(TwoFlips(), event_level(), ap.Log(3), 0, found.file)
    assert lost.claims[0].status is Status.ASSUMED
    promise = ap.guarantee(lost)
    assert promise.status is Status.ASSUMED
    assert "cannot be read" in str(promise)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mechanism": TwoFlips(Fraction(1, 5))}, "another game"),
        ({"verification": event_level(events=2)}, "another game"),
        ({"epsilon": ap.Log(2)}, "does not say"),
        ({"epsilon": ap.Log(4)}, "does not say"),
        ({"epsilon": Fraction(11, 10)}, "does not say"),
    ],
)
def test_a_certificate_of_another_figure_is_refused(tmp_path, change, told):
    with pytest.raises(ap.TranscriptError, match=told):
        attrs.evolve(checked(tmp_path), **change)


def test_a_certificate_of_a_part_of_the_interaction_is_refused(tmp_path):
    path = tmp_path / "one.jsonl"
    ap.PrivacyGame(TwoFlips(), event_level()).question().certify(path, epsilon=ap.Log(3), rounds=1)
    with pytest.raises(ap.TranscriptError, match="of 1 message, and the game may take 2"):
        MachineChecked(TwoFlips(), event_level(), ap.Log(3), 0, str(path))


def test_one_that_does_not_end_has_none(tmp_path):
    endless = ap.mechanism(queries=BITS, answers=BITS, initial_state=0)(
        lambda state, message, coins: (state ^ 1, int(coins.bernoulli(Fraction(1, 2))))
    )
    with pytest.raises(ap.InvalidArgument, match="does not end by itself"):
        ap.PrivacyGame(endless, event_level()).machine_checked(tmp_path / "x", epsilon=0)


def test_a_user_who_writes_machine_checked_is_believed_as_one_who_writes_proved():
    @attrs.frozen
    class Boast(TwoFlips):
        claims = (ap.Claim(ap.protocol.Pure(1), event_level(), Status.MACHINE_CHECKED, "I say so"),)

        def step(self, state, message, coins):
            return super().step(state, message, coins)

    promise = ap.guarantee(Boast())
    assert promise.status is Status.PROVED
    assert not [*promise.derivation.marked(Mark.MACHINE_CHECKED)]


def test_an_epsilon_that_is_no_logarithm(tmp_path):
    game = ap.PrivacyGame(TwoFlips(), event_level())
    found = game.machine_checked(tmp_path / "one.jsonl", epsilon=1)
    assert ap.guarantee(found).status is Status.MACHINE_CHECKED
    assert 0 < found.delta < Fraction(1, 10)
    assert stated(ap.guarantee(found).derivation)


def test_a_smaller_delta_is_refused(tmp_path):
    game = ap.PrivacyGame(TwoFlips(), event_level())
    found = game.machine_checked(tmp_path / "two.jsonl", epsilon=ap.Log(2))
    assert attrs.evolve(found, delta=found.delta + Fraction(1, 100)).claims[0].status.certainty == 3
    with pytest.raises(ap.TranscriptError, match="does not say"):
        attrs.evolve(found, delta=found.delta - Fraction(1, 100))


@pytest.mark.parametrize(
    ("mechanism", "theorem"),
    [
        (DiscreteLaplace(epsilon=1), "SampCert (Lean, github.com/leanprover/SampCert): privNoised"),
        (SparseVector(epsilon=1, threshold=3), "Clutch-DP (Rocq, github.com/logsem/clutch): SVT"),
    ],
)
def test_what_is_checked_elsewhere_is_cited_and_stays_proved(mechanism, theorem):
    promise = ap.guarantee(mechanism)
    assert promise.status is Status.PROVED
    assert theorem in str(promise)
    assert "; here " in str(promise)


def test_a_filter_cites_who_has_checked_one():
    budget = ap.composition.BasicFilter(epsilon=1)
    assert "create_filter_private" in str(ap.guarantee(ap.ExtConComp(budget=budget)))


@attrs.frozen
class Hidden(Space):
    """An alphabet that takes 0, 1 and 2, and lists 0 only."""

    discrete = finite = True

    def contains(self, value):
        return value in (0, 1, 2)

    def enumerate(self):
        return iter((0,))


def test_an_alphabet_of_a_user_may_hide_messages(tmp_path):
    told = attrs.make_class("Told", [], bases=(TwoFlips,))
    told.signature = ap.Signature(Hidden(), BITS)
    game = ap.PrivacyGame(told(), event_level())
    with pytest.raises(ap.InvalidArgument, match="every message that may be sent, and Hidden"):
        game.machine_checked(tmp_path / "x", epsilon=0)


def test_a_guarantee_says_that_a_step_depends_on_nothing_else(tmp_path):
    assert "a step depends on state, message and coins only" in str(ap.guarantee(checked(tmp_path)))


class Marked(tuple):
    """A state with an attribute beside its members."""


@attrs.frozen
class Remembers(ap.ContinualMechanism):
    """It answers the second message by the first one, which an attribute of its state holds."""

    initial_state = None
    signature = ap.Signature(BITS, BITS)
    claims = ()

    def step(self, state, message, coins):
        if state is None:
            kept = Marked((1,))
            kept.bit = message
            return kept, 0
        return ("over", ap.HALT) if state == "over" else ("over", state.bit)


def test_states_that_differ_in_an_attribute_are_two():
    assert ap.PrivacyGame(Remembers(), event_level()).tight_delta(epsilon=0, rounds=3) == 1
