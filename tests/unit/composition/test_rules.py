"""The table of rules: how it is asked, and that a theorem is added by adding its file."""

import ast
import subprocess
import sys
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sources import copied
from trying import over

import antiphon as ap
from antiphon import Claim, ExtConComp, Log, spaces
from antiphon.composition import Certified, each_valid, sparse_parallel
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.parameters import parameters, single
from antiphon.composition.complex_mechanism import unwrapped
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import TABLE, rule
from antiphon.mechanisms import ContinualHistogram, LeakyBit, TreeCounter
from antiphon.protocol import IdentityPostProcessor, Pure, Status
from antiphon.verifiers import event_level, every_pair
from antiphon.verifiers.models import EveryPair

ROOT = Path(ap.__file__).parent


@pytest.fixture
def table():
    """The table, which is as before after the test."""
    before = {key: list(rows) for key, rows in TABLE.items()}
    yield TABLE
    TABLE.clear()
    TABLE.update(before)


def silent(system, f, inquiry):
    if system.delta:
        return None
    premise = Premise("δ is 0", Mark.CHECKED)
    return Derivation("Toy Thm 1", "it tells nothing", f, of_measure(Pure(0)), (premise,))


class TestTheTable:
    def test_a_registered_theorem_is_found(self, table):
        with pytest.raises(ap.CompositionError):
            ap.guarantee(LeakyBit(delta=0), every_pair())
        rule("Toy Thm 1", LeakyBit, about=EveryPair)(silent)
        promise = ap.guarantee(LeakyBit(delta=0), every_pair())
        assert (promise.theorem, promise.status) == ("Toy Thm 1", Status.PROVED)
        assert promise.explain().count("✓ δ is 0") == 1

    def test_where_it_says_nothing_the_others_are_asked(self, table):
        rule("Toy Thm 1", LeakyBit)(silent)
        half = LeakyBit(delta=0.5)
        assert ap.guarantee(half).theorem == "the mechanism's claim"
        assert ap.guarantee(LeakyBit(delta=0)).theorem == "Toy Thm 1"

    def test_a_subclass_is_another_type(self, table):
        class Louder(LeakyBit):
            pass

        rule("Toy Thm 1", LeakyBit, about=EveryPair)(silent)
        with pytest.raises(ap.CompositionError):
            ap.guarantee(Louder(delta=0), every_pair())

    def test_a_class_that_passes_for_another_is_none_of_ours(self):
        class Equal(type(ap.Mechanism)):
            def __eq__(cls, other):
                return other is ExtConComp

            def __hash__(cls):
                return hash(ExtConComp)

        class Posing(ap.ContinualMechanism, metaclass=Equal):
            initial_state = 0
            signature = spaces.Signature(spaces.BITS, spaces.BITS)

            def step(self, state, message, coins):
                return state, message

        with pytest.raises(ap.CompositionError, match="a claim of"):
            ap.guarantee(Posing(), sparse_parallel([(0, 0)]))

    def test_a_part_is_asked_about_by_a_question(self, table):
        def doubled(system, f, inquiry):
            inside = yield inquiry.of(system.mechanism, f)
            return Derivation("Toy Thm 2", "as M", f, inside.curve, (), (inside,))

        deep = LeakyBit(delta=0.25)
        for _ in range(40):
            deep = Certified(deep, deep.claims[0].verification)
        rule("Toy Thm 2", Certified)(doubled)
        promise = ap.guarantee(deep, deep.verification)
        assert (promise.theorem, promise.delta_at(0)) == ("Toy Thm 2", 0.25)


TOY_RULE = '''"""Toy Thm 1: P ∘* ExtConComp tells nothing, if it is the identity."""

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import rule
from antiphon.protocol.measures.kinds import Pure
from antiphon.verifiers.models import UserLevel


@rule("Toy Thm 1", ComplexMechanism, about=UserLevel)
def silent(system, f, inquiry):
    premise = Premise("a toy", Mark.CHECKED)
    return Derivation("Toy Thm 1", "nothing", f, of_measure(Pure(0)), (premise,))
'''
TOY_CHECK = '''"""Toy Thm 1."""

from antiphon.selfcheck.theorems.theorem import Check, Evidence


def checks():
    yield Check("Toy Thm 1", "M_0", lambda: Evidence((), ()))
'''
QUESTION = """import antiphon as ap
from antiphon.composition import ComplexMechanism
from antiphon.protocol import IdentityPostProcessor
from antiphon.selfcheck.theorems import checks
promise = ap.guarantee(ComplexMechanism(IdentityPostProcessor()), ap.verifiers.user_level())
print(promise.theorem, promise.status.value, promise.epsilon_at(0))
print([check.theorem for check in checks("Toy 1")], checks()[-1].run().verdict)"""


@pytest.mark.slow
def test_a_theorem_is_added_by_two_files(tmp_path):
    """As CONTRIBUTING says: a rule, and the check that `antiphon verify` runs."""
    copied(ROOT, tmp_path / "antiphon")
    rules = tmp_path / "antiphon" / "composition" / "guarantees" / "rules"
    (rules / "toy.py").write_text(TOY_RULE)
    (tmp_path / "antiphon" / "selfcheck" / "theorems" / "toy.py").write_text(TOY_CHECK)
    done = subprocess.run(
        [sys.executable, "-c", QUESTION], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stdout.splitlines() == ["Toy Thm 1 proved 0.0", "['Toy Thm 1'] holds"], done.stderr


def calls(function):
    """How many calls of this library's functions it takes, generators each time they go on."""
    found = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            found.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(before)
    return len(found)


def test_a_guarantee_is_a_look_up():
    """README's example: most calls that are left read the counter's claim and its parameters."""
    counter, f = TreeCounter(horizon=8, epsilon=1), sparse_parallel([(1, 0)])
    made = [ap.guarantee(ExtConComp(), f, catalogue=[counter])]
    # From now on it is known what is kept of classes.
    spent = calls(lambda: made.append(ap.guarantee(ExtConComp(), f, catalogue=[counter])))
    assert made[0].theorem == "CM Thm 5.2"
    assert 20 < spent <= 116
    assert repr(made[0].derivation) == "<Derivation by CM Thm 5.2, proved>"
    assert repr(made[0].derivation.premises[-2]) == "<Premise, checked: every fixed δ is 0>"
    assert calls(made[0].explain) > 100  # texts are written when they are read


class Plain(TreeCounter):
    """Nothing changed; an object of it has a dictionary."""


class TestWhatChangesAfterwards:
    def test_a_part_of_what_was_derived(self):
        """A claim that was derived once said *proved* for ever."""
        part = Plain(horizon=2, epsilon=1)
        histogram = ContinualHistogram(counter=part, dimension=2)
        inside = ap.ConComp([part])
        systems = [
            ap.ConComp([histogram]),
            ap.ConComp([IdentityPostProcessor() @ histogram]),
            Certified(inside, each_valid(inside)),
            ap.ConComp([Certified(inside, each_valid(inside))]),
        ]
        assert {ap.guarantee(each).status for each in systems} == {Status.PROVED}
        part.__dict__["_noise"] = lambda coins: 0
        for each in systems:
            promise = ap.guarantee(each)
            assert promise.status is Status.ASSUMED
            assert "Plain._noise was set on the object itself" in promise.explain()
        text = ap.guarantee(systems[0]).explain()
        assert "no longer follows from what it was derived from" in text

    def test_a_claim_that_is_derived_again_is_proved_as_before(self):
        for delta in (None, 0.3):
            one = Certified(ap.ConComp([LeakyBit(delta=0.1)] * 3), LEAKY, delta=delta)
            promise = ap.guarantee(ap.ConComp([one]))
            assert promise.status is Status.PROVED
            assert promise.claim().parameters == one.claims[0].parameters


LEAKY = each_valid(ap.ConComp([LeakyBit(delta=0.1)] * 3))


def test_a_chain_proves_no_claim_that_its_mechanism_only_hopes_for():
    """Another claim of the mechanism was proved, and its derivation vouched for this one."""
    hoped = Claim(Pure(0.1), event_level(), Status.ASSUMED, "hope")
    known = Claim(Pure(1), event_level(), Status.PROVED, "proof")

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, claims=(hoped, known))
    def echo(state, message, coins):
        return state, message

    chain = IdentityPostProcessor() @ echo
    by_hope, by_proof = (ap.ConComp([ap.Create(chain, claim)]) for claim in chain.claims)
    assert (ap.guarantee(by_hope).status, ap.guarantee(by_hope).epsilon_at(0)) == (
        Status.ASSUMED, 0.1,
    )  # fmt: skip
    assert "? it is true (hope; post-processing" in ap.guarantee(by_hope).explain()
    assert (ap.guarantee(by_proof).status, ap.guarantee(by_proof).epsilon_at(0)) == (
        Status.PROVED, 1,
    )  # fmt: skip


def test_what_is_certified_answers_as_it_is():
    class Loud(Certified):
        def step(self, state, message, coins):
            return state, 7

    system, f = ExtConComp(), sparse_parallel([(1, 0)])
    certified = Certified(system, f)
    twice = Certified(certified, certified.claims[0].verification)
    assert unwrapped(system) is unwrapped(certified) is unwrapped(twice) is system
    assert unwrapped(Loud(system, f)) == Loud(system, f)


def runs(node):
    """Every node below, but for what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from runs(child)


def arrows(path, files):
    """The files of the room that a file imports, also in its functions."""
    for node in runs(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            parts = {f"{node.module}.{alias.name}" for alias in node.names} & files
            yield from parts or {node.module} & files
    if path.parent.name == "rules" and path.name == "__init__.py":  # reads all that is below
        yield from (name for name in files if ".guarantees.rules." in name)


def test_no_circle_in_the_room():
    paths = {}
    for path in (ROOT / "composition").rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        paths[".".join(parts).removesuffix(".__init__")] = path
    graph = {name: set(arrows(path, paths.keys())) for name, path in paths.items()}
    TopologicalSorter(graph).prepare()
    low, high = (f"antiphon.composition.guarantees.{name}" for name in ("derivation", "rulebook"))
    assert low in graph[high]
    with pytest.raises(CycleError):
        TopologicalSorter(graph | {low: graph[low] | {high}}).prepare()


@over("epsilon", [Fraction(0), Fraction(1, 3), Log(3)])
@over("delta", [Fraction(0), Fraction(1, 7), Fraction(1)])
def test_the_parameters_of_one_claim(epsilon, delta):
    assert single(epsilon, delta) == parameters([(epsilon, delta)])
    assert parameters(single(epsilon, delta), 3) == parameters([(epsilon, delta)], 3)
    with pytest.raises(ap.InvalidArgument, match="promises nothing"):
        single(Fraction(10**10), delta)
