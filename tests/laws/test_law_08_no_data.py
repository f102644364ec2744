"""Law 8: repr, errors, logs and saved views show nothing of a mechanism's state.

A canary stands in the state, the dataset, the initial state and the secret bit; then
everything that can be printed or saved is searched for it. Reports and pages
belong to the parts that draw them.
"""

import copy
import json
import logging
import pickle

import attrs
import cattrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import adder

import antiphon as ap
from antiphon import Recording, View, spaces
from antiphon.composition import sparse_parallel
from antiphon.mechanisms import Laplace, LeakyBit, RandomizedResponse, RoundToGrid, TreeCounter
from antiphon.protocol import SampledCoins
from antiphon.protocol.records.codec import encode

CANARY = 918_273_645
FOUND = (str(CANARY), hex(CANARY)[2:], "canary")


def shown(*things):
    return "\n".join(f"{thing!r}\n{thing!s}\n{thing}" for thing in things)


def assert_hidden(text, found=FOUND):
    assert not [secret for secret in found if secret in text], text


@ap.mechanism(
    queries=spaces.Integers(), answers=spaces.Finite((ap.TOP,)), initial_state=("canary", CANARY)
)
def keeper(state, message, coins):
    """Holds the canary, takes more, and fails when told to."""
    if message == 1:
        raise ap.InvalidArgument("refused")
    if message == 2:
        raise RuntimeError(f"internal: {state}")
    if message == 3:
        coins.bernoulli(0.5)
        raise ap.InvalidArgument(f"internal: {state}")
    return (*state, message), ap.TOP


def test_sessions_and_mechanisms_show_no_state():
    for system in (keeper, TreeCounter(horizon=9, epsilon=1, largest=CANARY), Laplace(epsilon=1)):
        session = system.start(seed=0, keep=True)
        session.send(float(CANARY) if isinstance(system, Laplace) else CANARY)
        if isinstance(system, TreeCounter):
            system = attrs.evolve(system, largest=1)
        assert_hidden(shown(session, system))


def test_errors_show_no_state_and_no_refused_message():
    session = keeper.start()
    session.send(CANARY)
    for message in (1, float(CANARY), f"canary{CANARY}", (CANARY,), np.array([CANARY]), ["canary"]):
        with pytest.raises(ap.AntiphonError) as caught:
            session.send(message)
        assert_hidden(shown(caught.value))
    for hostile in (float(CANARY), f"{CANARY}", (CANARY,)):
        with pytest.raises(ap.InvalidArgument) as caught:
            TreeCounter(horizon=2, epsilon=1).start().send(hostile)
        assert_hidden(shown(caught.value))


@pytest.mark.parametrize("message", [2, 3])
def test_a_failure_stays_out_of_what_can_be_shared(message, tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "view"
    view = ap.interact(ap.scripted([message]), keeper, sink=path)
    assert view.answers == (ap.HALT,)
    view.save(tmp_path / "again")
    assert_hidden(shown(view) + path.read_text() + (tmp_path / "again").read_text())
    assert_hidden(caplog.text + "".join(capfd.readouterr()))
    assert "canary" in str(view.failures[0])  # for the caller it is there
    session = keeper.start()
    session.send(message)
    assert_hidden(shown(session, session.why_halted))


def test_a_failure_is_in_nothing_that_is_made_of_a_view():
    """Neither pickled, nor copied, nor converted: only the view that was played knows it."""
    view = ap.interact(ap.scripted([3]), keeper)
    assert "canary" in str(view.failures[0])
    copies = [pickle.loads(pickle.dumps(view)), copy.copy(view), copy.deepcopy(view)]
    copies += [attrs.evolve(view), ap.record(ap.scripted([3]), keeper).view]
    made = [
        pickle.dumps(view, protocol=0).decode("latin-1"),
        json.dumps(attrs.asdict(view), default=repr),
        repr(attrs.astuple(view)),
        repr(cattrs.Converter().unstructure(view)),
        repr(cattrs.Converter().unstructure_attrs_astuple(view)),
        repr({name: getattr(view, name) for name in attrs.fields_dict(View)}),
        repr(getattr(view, "__dict__", None)),
        repr(view.__getstate__()),
        f"{view!r} {view}",
        repr(copies),
    ]
    assert_hidden(" ".join(made))
    assert [each.failures for each in copies[:4]] == [()] * 4
    assert [each.why_halted for each in copies[:4]] == [None] * 4
    with pytest.raises(TypeError):
        json.dumps(view)
    with pytest.raises(TypeError):
        vars(view)


def test_a_composition_shows_nothing_of_its_children(tmp_path):
    path = tmp_path / "view"
    said = [ap.Create(keeper), ap.Create(keeper), ap.Ask(0, 0), ap.Ask(2, 1)]
    view = ap.interact(ap.scripted(said), ap.ExtConComp(), sink=path)
    assert view.answers[-1] is ap.HALT
    assert_hidden(shown(view, ap.ExtConComp()) + path.read_text())


def _of_bits(right):
    return ap.Signature(spaces.BITS, right.answers, spaces.BITS)


@ap.post_processor(initial_state=0, signature=_of_bits)
def creates_for_each_one(state, side, message, coins):
    """Creates a mechanism for a 1 that comes from its left, and nothing for a 0."""
    if side is ap.Side.LEFT and message == 1:
        return state, ap.Side.RIGHT, ap.Create(LeakyBit(delta=0))
    return state, ap.Side.LEFT, ap.TOP


def test_a_chain_does_not_show_what_its_links_made_of_the_data():
    """How many mechanisms P has created may say which messages it got."""

    def cards(bits):
        session = (creates_for_each_one @ ap.ExtConComp()).start(seed=0)
        assert [session.send(bit) for bit in bits] == [ap.TOP] * 3
        return "".join(session._repr_mimebundle_().values())

    assert cards((1, 1, 0)) == cards((0, 0, 1))


def test_a_chain_that_only_forwards_shows_what_its_mechanism_does():
    session = (ap.protocol.IdentityPostProcessor() @ ap.ExtConComp()).start(seed=0)
    session.send(ap.Create(LeakyBit(delta=0)))
    assert "created" in session._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("bit", [0, 1])
def test_the_identifiers_bit_is_nowhere(bit, tmp_path):
    """Both worlds look alike, down to the byte, in everything but the answers."""
    texts = []
    for b in (bit, 1 - bit):
        game = ap.PrivacyGame(LeakyBit(delta=0), LeakyBit(delta=0).claims[0].verification)
        system, path = game.mechanism(b), tmp_path / f"{b}"
        view = ap.interact(ap.scripted([ap.Pair(0, 1), 7]), system, seed=3, sink=path)
        session = system.start(seed=3)
        texts.append(
            shown(system, system.parts, session, view, view.header, ap.Identifier(b), game)
            + path.read_text()
            + str(encode(system))
        )
    assert texts[0] == texts[1]
    with pytest.raises(ap.InvalidArgument) as caught:
        (ap.Identifier(bit) @ adder).start().send(0)
    assert str(bit) not in str(caught.value)


def test_the_initial_state_of_an_im_is_in_recordings_only(tmp_path):
    game = ap.PrivacyGame(LeakyBit(delta=0), LeakyBit(delta=0).claims[0].verification).interactive
    texts = []
    for b in (0, 1):
        view = ap.interact(ap.scripted([ap.same(0)]), game, initial=b, seed=1)
        view.save(tmp_path / "view", overwrite=True)
        texts.append(shown(view) + (tmp_path / "view").read_text())
    assert texts[0] == texts[1]
    recording = ap.record(ap.scripted([ap.same(0)]), game, initial=1, seed=1)
    assert recording.rebuild_initial() == 1
    assert recording.rebuild_system() == game
    assert ap.replay(recording) == recording.view


def test_a_secret_parameter_is_in_recordings_only(tmp_path):
    @ap.register("tests.Holder/1")
    @attrs.frozen
    class Holder(ap.ContinualMechanism):
        dataset: int = attrs.field(repr=False, default=0, metadata={"secret": True})
        signature = keeper.signature
        initial_state = 0

        def step(self, state, message, coins):
            return state, ap.TOP

    holder = Holder(CANARY)
    for system in (holder, ap.ConComp([holder]), ap.InteractiveAsContinual(holder)):
        view = ap.interact(ap.scripted([]), system)
        view.save(tmp_path / "view", overwrite=True)
        assert_hidden(shown(view, system) + (tmp_path / "view").read_text())
    recording = ap.record(ap.scripted([]), holder)
    recording.save(tmp_path / "recording")
    assert str(CANARY) in (tmp_path / "recording").read_text()
    assert_hidden(shown(recording))
    Recording.load(tmp_path / "recording").view.save(tmp_path / "view", overwrite=True)
    assert_hidden((tmp_path / "view").read_text())


def test_a_recordings_view_holds_no_coins_of_the_mechanism(tmp_path):
    system = RandomizedResponse(epsilon=1)
    recording = ap.record(ap.scripted([1]), system, seed=1)
    assert recording.tape[0]
    recording.view.save(tmp_path / "view")
    text = (tmp_path / "view").read_text()
    assert "draws" not in text
    assert "bernoulli" not in text
    assert "bernoulli" not in shown(recording, recording.view)


def test_no_seed_and_no_coin_is_shown(tmp_path):
    coins = SampledCoins(seed=CANARY)
    coins.gaussian(1)
    session = adder.start(seed=CANARY)
    view = ap.interact(ap.scripted([1]), adder, seed=CANARY, sink=tmp_path / "view")
    assert_hidden(shown(coins, session, view) + (tmp_path / "view").read_text())
    recorded = ap.protocol.RecordedCoins(SampledCoins(seed=1))
    drawn = recorded.laplace(1)
    assert str(drawn) not in shown(recorded, ap.protocol.ReplayedCoins(recorded.take()))


@given(st.floats().filter(lambda value: len(repr(value)) > 3))
def test_coins_do_not_name_a_parameter_that_may_depend_on_data(value):
    coins = SampledCoins(seed=0)
    for primitive in (coins.bernoulli, coins.laplace, coins.gaussian):
        reason = ""
        try:
            primitive(value)
        except ap.InvalidArgument as error:
            reason = str(error)
        assert repr(value) not in reason


def test_live_use_hides_updates_from_the_public_transcript():
    session = TreeCounter(horizon=4, epsilon=1, largest=CANARY).start(seed=0, keep=True)
    session.send(CANARY)
    session.send("count")
    assert [each.message for each in session.public()] == [None, "count"]
    hidden = (RoundToGrid() @ Laplace(epsilon=1)).start(seed=0, keep=True)
    hidden.send(float(CANARY))
    assert hidden.public()[0].message is None
    game = (ap.Verifier(sparse_parallel([])) @ ap.Identifier(0) @ ap.ExtConComp()).start(keep=True)
    game.send("canary")
    assert game.public()[0].message is None  # nothing is known of it, so it is hidden
