"""Whose word is believed: every way in which a class or a value may not be what it says."""

from contextlib import nullcontext, suppress
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np
import pytest
from catalogue import MECHANISMS, PROCESSORS
from trying import over

import antiphon as ap
from antiphon import Claim, spaces
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.mechanisms import (
    ContinualHistogram,
    HistogramMonitor,
    HistogramSVT,
    KthLargest,
    LeakyBit,
    RandomizedResponse,
    SparseVector,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.histograms.continual import AskEach
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Pure, Status
from antiphon.protocol.adapters import FunctionMechanism
from antiphon.protocol.claims import CERTAIN
from antiphon.protocol.post_processor import FunctionPostProcessor
from antiphon.protocol.provenance import (
    assumed,
    claims_of,
    essence,
    is_library_code,
    why_assumed,
    why_untrusted,
)
from antiphon.selfcheck.corpus.table import corpus
from antiphon.selfcheck.specimens.choices import NoisyMaxValue
from antiphon.selfcheck.specimens.histograms import OneSensitiveTotal
from antiphon.verifiers import Within, event_level, every_pair, updates_and_queries

OWN = [entry.mechanism for entry in MECHANISMS if type(entry.mechanism) is not FunctionMechanism]


class Same(TreeCounter):
    """Adds nothing but this."""


class Slotted(TreeCounter):
    __slots__ = ("more",)


class Mixin:
    def _noise(self, coins):
        return 0


class Behind(TreeCounter, Mixin):
    pass


class Before(Mixin, TreeCounter):
    pass


class Equal(TreeCounter):
    def __eq__(self, other):
        return True

    __hash__ = TreeCounter.__hash__


class Impostor(TreeCounter):
    def _noise(self, coins):
        return 0


Impostor.__module__, Impostor.__qualname__ = TreeCounter.__module__, TreeCounter.__qualname__


class Lies(type(TreeCounter)):
    """A metaclass: of whatever is asked it says what TreeCounter would."""

    def __getattribute__(cls, name):
        return getattr(TreeCounter, name) if name == "__mro__" else super().__getattribute__(name)


class Lied(Mixin, TreeCounter, metaclass=Lies):
    pass


class PassesForComplex(type(TreeCounter)):
    """A metaclass: its classes are found wherever ``complex`` is looked up."""

    def __hash__(cls):
        return hash(complex)

    def __eq__(cls, other):
        return True


class SaysComplex(TreeCounter, metaclass=PassesForComplex):
    def _noise(self, coins):
        return 0


@over("mechanism", OWN, at_least=98)
def test_this_librarys_mechanisms_are_its_own(mechanism):
    assert why_untrusted(mechanism) is None
    assert why_assumed(mechanism, "claims") is None


@over("entry", PROCESSORS, at_least=25)
def test_this_librarys_post_processors_are_its_own(entry):
    assert why_untrusted(entry.processor) is None


@over("kind", [Slotted, Behind, Before, Equal, Impostor, Lied, SaysComplex])
def test_what_a_class_from_elsewhere_adds_is_not_this_librarys(kind):
    mechanism = kind(horizon=8, epsilon=1)
    assert not is_library_code(essence(kind))
    assert why_untrusted(mechanism) is not None
    assert "state it anew" in why_assumed(mechanism, "claims")
    assert mechanism.claims[0].status is Status.ASSUMED
    # Where `complex` was asked about before, Python takes SaysComplex for it: no mechanism at all.
    with suppress(ap.InvalidArgument) if kind is SaysComplex else nullcontext():
        assert ap.guarantee(mechanism).status is Status.ASSUMED


def test_a_subclass_that_adds_nothing_is_what_it_is_made_from():
    same = Same(horizon=8, epsilon=1)
    assert essence(Same) is TreeCounter
    assert why_untrusted(same) is None
    assert ap.guarantee(same).status is Status.PROVED


def test_an_attribute_of_the_object_may_hide_a_method():
    same = Same(horizon=8, epsilon=1)
    object.__setattr__(same, "_noise", lambda coins: 0)
    assert why_untrusted(same) == "Same._noise was set on the object itself"
    assert ap.guarantee(same).status is Status.ASSUMED


def test_nor_can_a_class_hide_the_dictionary_of_its_objects():
    class Hides(TreeCounter):
        __dict__ = property(lambda self: {})

    assert why_untrusted(Hides(horizon=8, epsilon=1)) is not None


def test_what_says_of_itself_that_it_is_a_mechanism_is_looked_at_all_the_same():
    class Poses(KthLargest):
        __class__ = TreeCounter  # pyright: ignore

        def __call__(self, counts):
            return 0

    assert why_untrusted((Poses(1),), but_created=True) is not None


def test_parts_are_looked_at_at_every_depth():
    inner = Before(horizon=8, epsilon=1)
    assert why_untrusted(UnboundedCounter(counter=inner)) == "Mixin._noise is not of this library"
    assert why_untrusted(((inner,),)) == "Mixin._noise is not of this library"
    assert why_untrusted(((1, "a", None, 0.5, Fraction(1, 2)), np.arange(3), ap.TOP)) is None
    assert why_untrusted(UnboundedCounter(counter=inner), but_created=True) is not None
    asked = AskEach(counter=inner, dimension=2)  # creates it: its own claim vouches for it
    assert why_untrusted(asked) == "Mixin._noise is not of this library"
    assert why_untrusted(asked, but_created=True) is None


def test_numbers_of_a_class_of_their_own_are_refused_or_foreign():
    class Half(Fraction):
        def __eq__(self, other):
            return True

        __hash__ = Fraction.__hash__

    class Two(int):
        pass

    assert why_untrusted(Half(1, 2)) is not None
    assert why_untrusted(Two(2)) is not None
    with pytest.raises(InvalidArgument, match="epsilon"):
        RandomizedResponse(epsilon=Half(1, 2))
    with pytest.raises(InvalidArgument, match="epsilon"):
        Pure(Half(1, 2))
    assert type(Pure(Two(2)).epsilon.numerator) is int
    with pytest.raises(InvalidArgument):
        list(ap.outcomes(lambda coins: coins.bernoulli(Half(1, 2))))
    with pytest.raises(InvalidArgument):
        list(ap.outcomes(lambda coins: coins.categorical([Half(1, 2), 1])))


def test_a_claim_holds_plain_values_only():
    class Shifty(Pure):
        pass

    with pytest.raises(InvalidArgument, match=r"a plain Pure or .* not a Shifty"):
        Claim(Shifty(1), event_level(), Status.PROVED, "")

    class Mine(LeakyBit):
        claims = [LeakyBit(delta=1).claims[0]]

    with pytest.raises(InvalidArgument, match="must be a tuple of Claim"):
        claims_of(Mine(delta=1))
    with pytest.raises(InvalidArgument, match="must be a tuple of Claim"):
        ap.guarantee(Mine(delta=1))


class TestAUsersOwnWord:
    CLAIM = (Claim(Pure(1), event_level(), Status.PROVED, "my proof"),)

    def test_what_the_class_states_itself_is_believed(self):
        class Mine(LeakyBit):
            claims = self.CLAIM

        assert why_assumed(Mine(delta=1), "claims") is None
        assert ap.guarantee(Mine(delta=1)).status is Status.PROVED

    def test_not_what_it_inherits_from_another_of_the_users_classes(self):
        class Stated(LeakyBit):
            claims = self.CLAIM

        class Louder(Stated):
            def step(self, state, message, coins):
                return state, message

        assert "inherited" in why_assumed(Louder(delta=1), "claims")
        assert ap.guarantee(Louder(delta=1)).status is Status.ASSUMED

    def test_what_is_given_to_an_object_of_this_library_is_believed(self):
        @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, claims=self.CLAIM)
        def mine(state, bit, coins):
            return state, 0

        assert ap.guarantee(mine).status is Status.PROVED

        class Changed(FunctionMechanism):
            def step(self, state, message, coins):
                return state, message

        changed = Changed(mine.function, mine.signature, None, self.CLAIM)
        assert ap.guarantee(changed).status is Status.ASSUMED

    def test_a_function_of_the_user_is_none_of_this_librarys(self):
        assert why_untrusted(FunctionPostProcessor(lambda *args: args)) is not None


class TestParts:
    """A proof about a whole speaks of parts that claim what it assumes."""

    def test_a_query_of_the_users_own_is_none_of_the_proof(self):
        svt = HistogramSVT(epsilon=1, query=OneSensitiveTotal(), histogram=(0, 0))
        assert svt.claims[0].status is Status.ASSUMED
        assert "OneSensitiveTotal" in str(ap.guarantee(svt))
        monitor = HistogramMonitor(
            mechanism=SparseVector(epsilon=1),
            queries=(KthLargest(1), OneSensitiveTotal()),
            dimension=2,
        )
        guarantee = ap.guarantee(ap.composition.ComplexMechanism(monitor))
        assert guarantee.status is Status.ASSUMED
        assert "OneSensitiveTotal is not of this library" in guarantee.explain()

    def test_a_counter_of_the_users_own_adds_what_it_claims(self):
        class Half(TreeCounter):
            @property
            def claims(self):
                return (Claim(Pure(2), self.verification, Status.PROVED, "half the noise"),)

        claim, *_ = UnboundedCounter(counter=Half(horizon=1, epsilon=1)).claims
        assert (claim.measure, claim.status) == (Pure(3), Status.ASSUMED)


BROKEN = [entry for entry in corpus() if not entry.private]


@over("entry", BROKEN, at_least=62)
def test_what_the_corpus_refutes_is_not_called_proved(entry):
    """Some of it inherits a claim, which is true of what it was made from."""
    try:
        guarantee = ap.guarantee(entry.system, entry.claim.verification)
    except NoGuarantee:
        return
    epsilon, delta = entry.parameters
    assert guarantee.status is not Status.PROVED or guarantee.delta_at(epsilon) > delta


def test_the_twins_by_name():
    asked = NoisyMaxValue(epsilon=1, candidates=2)
    assert ap.guarantee(asked).status is Status.ASSUMED
    assert "NoisyMaxValue" in str(ap.guarantee(asked))
    assert attrs.evolve(asked).claims[0].status is Status.ASSUMED


@pytest.mark.parametrize("status", Status)
def test_what_is_only_assumed_of_the_whole(status):
    claim = Claim(Pure(1), event_level(), status, "a test")
    after = assumed(claim)
    assert after.status is (Status.ASSUMED if status in CERTAIN else status)
    assert attrs.evolve(after, status=status) == claim


class TestWhatAHostileReaderFound:
    CLAIM = (Claim(Pure(0), event_level(), Status.PROVED, "my proof"),)

    def test_a_step_on_the_object_is_not_that_of_the_class(self):
        class Silent(ap.ContinualMechanism):
            initial_state = 0
            signature = spaces.Signature(spaces.BITS, spaces.BITS)
            claims = self.CLAIM

            def step(self, state, message, coins):
                return state, 0

        silent = Silent()
        assert ap.guarantee(silent).status is Status.PROVED
        silent.step = lambda state, message, coins: (state, message)
        assert why_assumed(silent, "claims") == "Silent.step was set on the object itself"
        assert ap.guarantee(silent).status is Status.ASSUMED

    def test_a_creation_reads_plain_claims_only(self):
        class Less(Claim):
            @property
            def parameters(self):
                return Fraction(0), Fraction(0)

        class Exact(LeakyBit):
            claims = (Less(Pure(50), event_level(), Status.PROVED, ""),)

        with pytest.raises(InvalidArgument, match="must be a tuple of Claim"):
            ap.Create(Exact(delta=1))

    def test_a_module_that_is_no_name(self):
        class Odd(TreeCounter):
            __module__ = property(lambda self: "antiphon.protocol")

        assert why_untrusted(Odd(horizon=1, epsilon=1)) is None  # adds nothing
        assert not is_library_code(Odd)

    def test_claims_that_change_are_those_of_what_is_created(self):
        """The first reader was told of all streams, the next ones of fewer."""

        class Changing(TreeCounter):
            reads: ClassVar = []

            @property
            def claims(self):
                self.reads.append(None)
                narrow = updates_and_queries(event_level(Within(0)), spaces.Finite(("count",)))
                if len(self.reads) == 1:
                    return (Claim(Pure(10), self.verification, Status.PROVED, "wide"),)
                return (Claim(Pure(0), narrow, Status.PROVED, "narrow"),)

        counter = Changing(horizon=2, epsilon=Fraction(1, 100))
        Changing.reads.clear()
        histogram = ContinualHistogram(counter=counter, dimension=1)
        assert ap.guarantee(histogram).epsilon_at(0) >= 10

    def test_so_are_those_of_a_monitors_sparse_vector(self):
        class Changing(SparseVector):
            reads: ClassVar = []

            @property
            def claims(self):
                self.reads.append(None)
                if len(self.reads) == 1:
                    return (Claim(Pure(10), every_pair(Within(1)), Status.PROVED, "wide"),)
                return (Claim(Pure(0), every_pair(Within(0)), Status.PROVED, "narrow"),)

        monitor = HistogramMonitor(
            mechanism=Changing(epsilon=1), queries=(KthLargest(1),), dimension=1
        )
        system = ap.composition.ComplexMechanism(monitor)
        assert ap.guarantee(system).epsilon_at(0) >= 10
