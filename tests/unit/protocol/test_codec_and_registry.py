"""Messages as JSON and back; names in transcripts."""

import enum
import json
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import example, given
from strategies import ALIENS, adder, messages, nested_pair, texts
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.protocol import Pure, Status, identical
from antiphon.protocol.records.codec import decode, encode, encode_any
from antiphon.protocol.registry import Unregistered, lookup, registered_name


def through_json(value):
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


@given(messages())
@example(-0.0)
@example(float("inf"))
@example(float("-inf"))
@example(float("nan"))
@example(5e-324)
@example(2**1024)
@example(-(2**1024))
@example(2**1048575)
@example(Fraction(-1, 10**3900))
@example("\ud800\udc00")
@example("\ud800")
@example("\x00\u2028é\U0001f600")
@example(np.zeros((0, 3)))
@example(np.array(5))
@example(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
@example(np.array([1, 2], dtype=">i4"))
@example(np.array([np.nan, -0.0, np.inf]))
@example(np.array([True, False]))
@example(())
@example(((),))
def test_every_message_survives_the_round_trip(message):
    assert identical(through_json(message), message)


@given(texts())
def test_text_of_any_characters_survives(text):
    assert through_json((text, ap.Ask(text, 0))) == (text, ap.Ask(text, 0))


@given(messages())
def test_the_json_form_is_canonical(message):
    """Written again, it is the same JSON: replay compares files this way."""
    data = encode(message)
    assert encode(decode(json.loads(json.dumps(data)))) == data


def test_what_was_decoded_cannot_be_written_to():
    array = through_json(np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@over(
    "value",
    [object(), {1}, {1: 2}, [1], 1j, np.float64(1), np.array(["a"]), np.zeros(2, "V3"),
     2 ** (1 << 20), Fraction(1, 10**5000), Log(10**5000), range(3), (1, [2])])  # fmt: skip
def test_what_has_no_json_form_is_refused(value):
    with pytest.raises(ap.InvalidArgument):
        encode(value)
    assert encode_any(value) == {"unregistered": type(value).__qualname__}


def test_anything_can_be_written_as_said():
    for alien in [*ALIENS, nested_pair(10**5)]:
        json.dumps(encode_any(alien), allow_nan=False)


@over(
    "data",
    [
        {}, {"what": 1}, {"symbol": "NO"}, {"symbol": 1}, {"symbol": ["TOP"]}, {"pair": [1]},
        {"pair": 1}, {"pair": [1, 2, 3]}, {"ask": [1]}, {"ask": None}, {"fraction": "1/0"},
        {"fraction": "1"}, {"fraction": "1/2/3"}, {"fraction": " 1/2"}, {"fraction": "1e9/1"},
        {"fraction": "1" * 4001 + "/1"}, {"fraction": "1/" + "1" * 90_000}, {"fraction": 1},
        {"fraction": "٣/4"}, {"log": "1/2"}, {"log": "0/1"}, {"int": "12"}, {"int": "0x"},
        {"int": "0x" + "f" * 300_000}, {"int": 12}, {"float": "1.5"}, {"float": "Infinity"},
        {"float": 1}, {"bytes": "%%%"}, {"bytes": 1}, {"text": "%%%"}, {"text": 5},
        {"text": "/w=="},
        {"array": "", "dtype": "<f8", "shape": [10**9, 10**9]},
        {"array": "", "dtype": "<f8", "shape": [2**50, 0]},
        {"array": "", "dtype": "<f8", "shape": [-1]},
        {"array": "", "dtype": "<f8", "shape": [True]},
        {"array": "", "dtype": "<f8", "shape": 0}, {"array": "", "dtype": "<f8"},
        {"array": "", "dtype": "O", "shape": [0]}, {"array": "", "dtype": "<f3", "shape": [0]},
        {"array": "AAAA", "dtype": "<f8", "shape": [1]},
        {"array": "", "dtype": "<f8", "shape": [0] * 99},
        {"array": "", "dtype": "V8", "shape": [0]}, {"array": 1, "dtype": "<f8", "shape": [0]},
        {"array": "", "dtype": "<f8,<f8", "shape": [0]}, {"array": "", "dtype": None, "shape": [0]},
        {"type": "os.system/1"}, {"type": "antiphon.Nothing/1"}, {"type": 1}, {"type": None},
        {"type": "antiphon.LeakyBit/1"},
        {"type": "antiphon.LeakyBit/1", "parameters": {"delta": 2}},
        {"type": "antiphon.LeakyBit/1", "parameters": {"delta": "x"}},
        {"type": "antiphon.LeakyBit/1", "parameters": {"delta": 0, "evil": 1}},
        {"type": "antiphon.LeakyBit/1", "parameters": ["delta"]},
        {"type": "antiphon.LeakyBit/1", "parameters": ""}, {"type": "antiphon.LeakyBit/1",
                                                            "parameters": None},
        {"type": "antiphon.Status/1", "member": "NO"}, {"type": "antiphon.Status/1"},
        {"type": "antiphon.Status/1", "member": []},
        {"type": "antiphon.Create/1", "parameters": {"mechanism": 5}},
        {"type": "antiphon.Create/1", "parameters": {
            "mechanism": {"type": "antiphon.ExtConComp/1"}, "claim": 5}},
        {"type": "antiphon.ConComp/1", "parameters": {"created": 5}},
        {"type": "antiphon.TreeCounter/1", "parameters": {"horizon": 1e9, "epsilon": 1}},
        {"type": "antiphon.Finite/1", "parameters": {"values": [1, 1]}},
        {"type": "antiphon.Bounded/1", "parameters": {"verification": 1, "pairs": -1}},
        {"object": "antiphon.LeakyBit/1"}, {"object": "nothing/1"}, {"object": 5}, {"chain": []},
        {"chain": [5, {"type": "antiphon.ExtConComp/1"}]}, {"chain": 5},
        {"chain": [{"type": "antiphon.Verifier/1", "parameters": {"verification": 5}},
                   {"type": "antiphon.ExtConComp/1"}]},
        {"symbol": "TOP", "pair": [1, 2]}, {"same": 1, "extra": 2}, {"pair": [1, 2], "comment": ""},
        {1: 2}, {"same": {"what": 1}}, float("inf"), float("nan"), object(), (1, 2), b"x",
    ])  # fmt: skip
def test_hostile_values_are_transcript_errors(data):
    with pytest.raises(ap.TranscriptError) as caught:
        decode(data)
    assert len(str(caught.value)) < 1000


@over(
    "wrap",
    [
        lambda v: [v],
        lambda v: {"same": v},
        lambda v: {"pair": [v, 0]},
        lambda v: {"ask": [v, 0]},
        lambda v: {"chain": [v]},
        lambda v: {"type": "antiphon.Pairs/1", "parameters": {"space": v}},
    ],
)
def test_nesting_is_bounded_on_reading(wrap):
    data = 0
    for _ in range(900):
        data = wrap(data)
    with pytest.raises(ap.TranscriptError, match="deep"):
        decode(data)


def test_pairs_of_pairs_of_pairs_do_not_double_for_ever():
    """{"same": {"same": …}} is short to write and 2^n to compare."""
    data = 0
    for _ in range(60):
        data = {"same": data}
    with pytest.raises(ap.TranscriptError):
        decode(data)
    few = decode({"same": {"same": {"same": {"same": 0}}}})
    assert identical(few, ap.same(ap.same(ap.same(ap.same(0)))))


# --- registered and unregistered types --------------------------------------------------------


def test_parameters_at_their_default_are_left_out():
    rr = ap.mechanisms.RandomizedResponse(epsilon=Log(3))
    assert encode(rr) == {
        "type": "antiphon.RandomizedResponse/1",
        "parameters": {"epsilon": {"log": "3/1"}},
    }
    assert decode(encode(rr)) == rr


def test_secret_parameters_are_written_on_request_only():
    assert encode(ap.Identifier(1)) == encode(ap.Identifier(0)) == {"type": "antiphon.Identifier/1"}
    assert decode(encode(ap.Identifier(1), secrets=True)) == ap.Identifier(1)
    chain = ap.Identifier(1) @ ap.mechanisms.LeakyBit(delta=0)
    assert decode(encode(chain, secrets=True)) == chain
    nested = (ap.Pair(0, ap.Create(ap.mechanisms.LeakyBit(delta=0))), Pure(1), Status.PROVED)
    assert decode(encode(nested)) == nested


def test_what_has_unnamed_parts_is_read_and_written_again():
    create = ap.Create(adder)
    for value in (create, ap.same(create), (create,), ap.ConComp([adder]), ap.Identifier(0) @ adder,
                  ap.InteractiveAsContinual(adder), ap.scripted([create])):  # fmt: skip
        data = json.loads(json.dumps(encode(value)))
        again = decode(data)
        assert encode(again) == data
        assert hash(again) == hash(decode(data))
    assert isinstance(decode(encode(create)), Unregistered)
    assert decode(encode(create)) != decode(encode(ap.ConComp([adder])))
    assert decode({"unregistered": "Thing"}) == Unregistered("Thing")


def test_names_have_a_version():
    for wrong in ("name", "name/", "name/x", "a/b/1", "name/1.0", "", "name/-1"):
        with pytest.raises(ap.InvalidArgument):
            ap.register(wrong)


def test_a_name_belongs_to_one_definition():
    with pytest.raises(ap.InvalidArgument, match="already"):

        @ap.register("antiphon.LeakyBit/1")
        @attrs.frozen
        class Impostor:
            pass

    assert lookup("antiphon.LeakyBit/1") is ap.mechanisms.LeakyBit


def test_only_attrs_classes_enums_and_objects_are_registered():
    with pytest.raises(ap.InvalidArgument):

        @ap.register("tests.Plain/1")
        class Plain:
            pass

    @ap.register("tests.Color/1")
    class Color(enum.Enum):
        RED = 1

    assert decode(encode(Color.RED)) is Color.RED


def test_registering_the_same_definition_again_replaces_it():
    def define():
        @ap.register("tests.Again/1")
        @attrs.frozen
        class Again:
            value: int

        return Again

    first, second = define(), define()
    assert lookup("tests.Again/1") is second
    assert registered_name(second) == "tests.Again/1"
    assert registered_name(first) is None
    assert decode(encode(second(3))) == second(3)


def test_objects_made_by_decorators_are_registered_too():
    @ap.register("tests.yes/1")
    @ap.adversary
    def yes(answers, coins):
        return ap.HALT

    assert encode(yes) == {"object": "tests.yes/1"}
    assert decode(encode(yes)) is yes
    with pytest.raises(ap.TranscriptError):
        decode({"type": "tests.yes/1"})
