"""Draws by coins of another library: recorded, read back, never enumerated."""

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon import NoninteractiveMechanism
from antiphon.protocol import Draw, Pure, RecordedCoins, ReplayedCoins, SampledCoins, Status
from antiphon.protocol.records.codec import decode_draws, encode_draws


class Dice:
    """What another library would toss: counted, and never the same twice."""

    def __init__(self):
        self.rolls = 0

    def __call__(self):
        self.rolls += 1
        return self.rolls


@attrs.frozen(eq=False)
class Rolled(NoninteractiveMechanism):
    dice: Dice

    @property
    def signature(self):
        return ap.Signature(ap.spaces.BITS, ap.spaces.Integers())

    @property
    def claims(self):
        f = ap.verifiers.neighbouring_start()
        return (ap.Claim(Pure(1), f, Status.ASSUMED, "a test"),)

    def respond(self, dataset, coins):
        return coins.foreign("dice", dataset, self.dice)


def broken():
    raise RuntimeError("out of dice")


def test_a_value_is_tossed_once_and_recorded():
    dice = Dice()
    coins = RecordedCoins(SampledCoins())
    assert coins.foreign("dice", 7, dice) == 1
    assert coins.draws == dice.rolls == 1
    assert coins.take() == (Draw("foreign", ("dice", 7), 1),)


def test_a_replay_reads_it_and_calls_nobody():
    coins = ReplayedCoins([Draw("foreign", ("dice", 7), 5)])
    assert coins.foreign("dice", 7, broken) == 5
    assert coins.draws == 1


@pytest.mark.parametrize(("source", "argument"), [("cards", 7), ("dice", 8), ("dice", 7.0)])
def test_a_replay_by_another_source_or_of_another_argument_is_none(source, argument):
    coins = ReplayedCoins([Draw("foreign", ("dice", 7), 5)])
    with pytest.raises(ap.ReplayMismatch):
        coins.foreign(source, argument, broken)


def test_what_is_tossed_is_a_message():
    with pytest.raises(ap.InvalidArgument, match="list"):
        SampledCoins().foreign("dice", 0, lambda: [1])
    given = np.array([1])
    answer = SampledCoins().foreign("dice", 0, lambda: given)
    given[0] = 2
    assert answer.tolist() == [1]


def test_a_failure_is_a_draw_that_replays_as_one():
    coins = RecordedCoins(SampledCoins())
    with pytest.raises(RuntimeError):
        coins.foreign("dice", 7, broken)
    tape = coins.take()
    assert coins.draws == 1
    assert tape == (Draw("foreign", ("dice", 7), ap.HALT),)
    with pytest.raises(ap.ForeignError, match="dice failed"):
        ReplayedCoins(tape).foreign("dice", 7, Dice())


def test_it_is_written_and_read_as_other_draws_are():
    tape = (Draw("foreign", ("dice", (1, 2)), (0.5, "a")),)
    assert decode_draws(encode_draws(tape)) == tape


def test_a_session_answers_halt_where_it_fails_and_replays_so():
    recording = ap.record(ap.scripted([1]), Rolled(broken))
    assert recording.view.answers == (ap.HALT,)
    assert isinstance(recording.view.failures[0], RuntimeError)
    again = ap.replay(recording, mechanism=Rolled(Dice()))
    assert again.answers == (ap.HALT,)


def test_a_recording_replays_without_another_toss():
    dice = Dice()
    recording = ap.record(ap.scripted([1]), Rolled(dice))
    assert ap.replay(recording, mechanism=Rolled(broken)).answers == (1,)
    assert dice.rolls == 1


def test_it_is_not_enumerated():
    dice = Dice()
    with pytest.raises(ap.Intractable, match=r"dice.*game\.audit"):
        list(ap.outcomes(lambda coins: Rolled(dice).step(False, 1, coins)))
    assert dice.rolls == 0


def test_a_population_tosses_for_each_replica():
    dice = Dice()
    game = ap.PrivacyGame(Rolled(dice), ap.verifiers.neighbouring_start())
    report = game.audit(ap.scripted([ap.Pair(0, 1)]), epsilon=1, delta=0, samples=1000, seed=1)
    assert dice.rolls >= 2 * report.samples - 1000


def test_a_child_that_fails_is_dead_and_the_composition_lives():
    session = ap.ExtConComp().start()
    session.send(ap.Create(Rolled(broken)))
    session.send(ap.Create(Rolled(Dice())))
    answers = [session.send(ap.Ask(1, child)) for child in (0, 1, 0)]
    assert answers == [ap.HALT, 1, ap.HALT]
    assert [type(each) for each in session.failures] == [RuntimeError]
