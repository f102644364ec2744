"""Values that their classes call equal, and that an adversary can tell apart: never merged."""

import dataclasses
import enum

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon.composition.concurrent import Dead
from antiphon.composition.merging import FromOutside, content
from antiphon.numbers.interning import Interner, fingerprint
from antiphon.protocol.spaces import BITS, Anything


class Lies:
    """Equal to all of its class, as it says itself."""

    __immutable__ = True

    def __init__(self, bit):
        self.bit = bit

    def __eq__(self, other):
        return type(other) is type(self)

    def __hash__(self):
        return 1


class Slotted:
    __slots__ = ("bit",)
    __immutable__ = True
    __init__, __eq__, __hash__ = Lies.__init__, Lies.__eq__, Lies.__hash__


@attrs.frozen
class Aside:
    """Its one field is kept from ==."""

    bit: int = attrs.field(eq=False)


@attrs.frozen(eq=False)
class Written:
    bit: int
    __eq__, __hash__ = Lies.__eq__, Lies.__hash__


@dataclasses.dataclass(frozen=True)
class Data:
    bit: int = dataclasses.field(compare=False)


class Heir(Aside):
    """Of an attrs class, with an attribute that attrs knows nothing of."""

    def __init__(self, bit):
        object.__setattr__(self, "bit", 0)
        object.__setattr__(self, "more", bit)


class Meta(type):
    """Lies about the class as well."""

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 1


class OfMeta(Lies, metaclass=Meta):
    pass


KINDS = [Lies, Slotted, Aside, Written, Data, Heir, OfMeta]


@over("kind", KINDS)
@over("where", ["answer", "state"])
def test_an_exact_figure_rests_on_no_equality_of_a_user(kind, where):
    """Once δ = 0, of mechanisms that tell their datum."""

    @ap.mechanism(queries=BITS, answers=Anything())
    def tells(state, bit, coins):
        if where == "answer":
            return state, kind(bit)
        return (kind(bit), ap.TOP) if state is None else (state, told(state))

    game = ap.PrivacyGame(tells, ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=3, queries=[0, 1]) == 1


def told(state):
    return getattr(state, "more", state.bit)


@over("kind", KINDS, at_least=7)
def test_the_same_content_is_the_same_value(kind):
    known = Interner()
    assert [known(each) for each in (kind(0), kind(1), kind(0), kind(1))] == [0, 1, 0, 1]


def test_what_says_its_content_itself_is_believed():
    class Says(Lies):
        def __fingerprint__(self):
            return ()

    assert fingerprint(Says(0)) == fingerprint(Says(1))


def test_dead_children_are_all_the_same():
    assert fingerprint(Dead(ValueError(), 3)) == fingerprint(Dead())


def test_members_of_an_enumeration_are_themselves():
    class Coin(enum.Enum):
        HEADS = 0
        TAILS = 1

    assert fingerprint(Coin.HEADS) == fingerprint(Coin(0)) != fingerprint(Coin.TAILS)


def test_what_holds_itself_is_refused():
    endless = Lies(0)
    endless.bit = endless
    with pytest.raises(ap.InvalidArgument, match="hashed"):
        Interner()(endless)


@over("kind", KINDS, at_least=7)
def test_a_state_is_merged_with_none_that_only_looks_the_same(kind):
    assert content(kind(0)) != content(kind(1))


def test_an_f_remembers_which_creation_got_a_pair_that_differed():
    f = ap.composition.sparse_parallel([(ap.Log(3), 0)])
    created = ap.same(ap.Create(ap.mechanisms.RandomizedResponse(epsilon=ap.Log(3))))
    at, keys = FromOutside(), []
    for differing in (0, 1):
        pairs = [created, created, ap.Pair(ap.Ask(0, differing), ap.Ask(1, differing))]
        state = f.initial_state
        for pair in pairs:
            state = f.step(state, pair.zero, pair.one)
        keys.append(at.state(f, state))
    assert keys[0] != keys[1]
