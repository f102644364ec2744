"""OpenDP's measurements as mechanisms: their claims, their one draw, their errors."""

from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon.interop import MetricWithin, opendp
from antiphon.protocol import Approximate, Pure, Renyi, Status, ZeroConcentrated


@pytest.fixture(scope="module", autouse=True)
def _opendp():
    """Loaded when a test of this file runs: it takes a second, in each process."""
    global dp, INTEGER, REAL, ROWS
    reason = "no opendp here: pip install 'antiphon[opendp]'"
    dp = pytest.importorskip("opendp.prelude", reason=reason)
    dp.enable_features("contrib", "honest-but-curious")
    INTEGER = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    REAL = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    ROWS = dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance()


def laplace(**more):
    return opendp.mechanism(dp.m.make_laplace(*INTEGER, scale=2.0), d_in=1, **more)


def user(function, measure=None, privacy_map=lambda distance: 1.0):
    return dp.m.make_user_measurement(
        *INTEGER, measure or dp.max_divergence(), function, privacy_map
    )


def measure(measurement, **more):
    (claim,) = opendp.mechanism(measurement, **more).claims
    assert claim.status is Status.ASSUMED
    assert claim.source.startswith("OpenDP ")
    return claim.measure


class TestClaims:
    def test_max_divergence_is_epsilon(self):
        assert measure(dp.m.make_laplace(*INTEGER, scale=2.0), d_in=3) == Pure(Fraction(3, 2))

    def test_zero_concentrated_is_rho(self):
        gaussian = dp.m.make_gaussian(*REAL, scale=2.0)
        assert measure(gaussian, d_in=1.0) == ZeroConcentrated(Fraction(1, 8))
        assert measure(gaussian, d_in=0.0) == Pure(0)

    def test_approximate_is_epsilon_and_delta(self):
        profile = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*REAL, scale=2.0))
        fixed = dp.c.make_fix_delta(profile, 1e-6)
        epsilon, delta = fixed.map(1.0)
        stated = Approximate(Fraction(epsilon), Fraction(delta))
        assert measure(fixed, d_in=1.0) == stated
        assert measure(profile, d_in=1.0, delta=1e-6) == stated
        for wrong in (None, 0, 1.0, "a"):
            with pytest.raises(ap.InvalidArgument, match="pass delta"):
                opendp.mechanism(profile, d_in=1.0, delta=wrong)

    def test_renyi_is_its_curve(self):
        found = measure(
            user(abs, dp.renyi_divergence(), lambda distance: lambda order: order * distance),
            d_in=2,
        )
        assert type(found) is Renyi
        assert found.curve(3) == 6.0

    def test_others_are_refused_with_the_cure(self):
        gaussian = dp.c.make_approximate(dp.m.make_gaussian(*REAL, scale=2.0))
        with pytest.raises(ap.CompositionError, match=r"Approximate.*make_fix_delta"):
            opendp.mechanism(gaussian, d_in=1.0)
        with pytest.raises(ap.CompositionError, match="made_up"):
            opendp.mechanism(user(abs, dp.user_divergence("made_up")), d_in=1)

    def test_an_infinite_loss_is_no_claim(self):
        with pytest.raises(ap.InvalidArgument, match="bounds nothing"):
            opendp.mechanism(user(abs, privacy_map=lambda distance: float("inf")), d_in=1)

    @over("wrong", [-1, 1.5, "1", True, float("nan"), None])
    def test_a_distance_that_is_none_is_refused(self, wrong):
        with pytest.raises(ap.InvalidArgument, match="d_in"):
            opendp.mechanism(dp.m.make_laplace(*INTEGER, scale=2.0), d_in=wrong)

    def test_what_is_no_measurement_is_refused(self):
        with pytest.raises(ap.InvalidArgument, match="Measurement is needed"):
            opendp.mechanism(dp.t.make_sum(*ROWS), d_in=1)

    def test_a_guarantee_says_that_it_is_assumed(self):
        mechanism = laplace(answers=ap.spaces.Integers())
        f = ap.composition.sparse_parallel([(Fraction(1, 2), 0)])
        promise = ap.guarantee(ap.ExtConComp(), f, catalogue=[mechanism])
        assert promise.status is Status.ASSUMED
        assert promise.epsilon_at(0) == 0.5
        assert "not verified here" in str(promise)

    @pytest.mark.slow
    def test_an_audit_sees_what_it_loses(self):
        mechanism = laplace()
        game = ap.PrivacyGame(mechanism, mechanism.verification)
        player = ap.scripted([ap.Pair(0, 1)])
        reports = [
            game.audit(player, epsilon=e, delta=0, samples=6000, seed=1, confidence=1 - 1e-9)
            for e in (0.05, 0.5)
        ]
        assert [each.verdict for each in reports] == ["refuted", "not refuted"]


class TestAnswers:
    def test_one_answer_then_halt(self):
        session = laplace().start()
        assert type(session.send(5)) is int
        assert session.send(5) is ap.HALT

    def test_a_recording_replays_where_there_is_no_opendp(self, tmp_path, monkeypatch):
        recording = ap.record(ap.scripted([7]), laplace())
        recording.save(tmp_path / "recording.jsonl")
        loaded = ap.Recording.load(tmp_path / "recording.jsonl")
        monkeypatch.setattr(opendp, "_opendp", None)
        monkeypatch.setattr(dp.Measurement, "__call__", None)
        assert ap.replay(loaded).answers == recording.view.answers
        ((draw,),) = loaded.tape
        assert draw.kind == "foreign"
        assert draw.value == recording.view.answers[0]
        other = attrs.evolve(loaded.rebuild_system(), description="another")
        with pytest.raises(ap.ReplayMismatch):
            ap.replay(loaded, mechanism=other)

    def test_one_that_was_read_from_a_file_is_not_asked_anew(self):
        recording = ap.record(ap.scripted([7]), laplace())
        session = recording.rebuild_system().start()
        assert session.send(7) is ap.HALT
        assert "make it again" in str(session.failure)

    def test_two_of_the_same_parameters_are_two(self):
        """What OpenDP says of them may hide a difference; a pair of two is no identical pair."""
        one, other = laplace(), laplace()
        assert one == one
        assert one != other
        assert not ap.protocol.identical(one, other)

    def test_vectors_are_tuples(self):
        summed = ROWS >> dp.t.then_sum() >> dp.m.then_laplace(5.0)
        mechanism = opendp.mechanism(summed, d_in=1, answers=ap.spaces.Integers())
        assert mechanism.claims[0].measure == Pure(2)
        assert mechanism.verification.relation == MetricWithin("SymmetricDistance", 1)
        assert type(mechanism.start().send((1, 2, 3))) is int
        vector = dp.m.make_laplace(
            dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=2.0
        )
        answer = opendp.mechanism(vector, d_in=2).start().send((1, 2))
        assert list(map(type, answer)) == [int, int]

    @pytest.mark.parametrize("outside", [(1, 11), (1, True), (1.0,), (-1,), 3])
    def test_what_is_outside_the_domain_is_refused(self, outside):
        """OpenDP itself believes that data are in their bounds."""
        session = opendp.mechanism(
            ROWS >> dp.t.then_sum() >> dp.m.then_laplace(5.0), d_in=1
        ).start()
        with pytest.raises(ap.InvalidArgument, match="outside the query space"):
            session.send(outside)
        assert type(session.send((0, 10))) is int

    def test_opendp_is_asked_whether_data_are_in_the_domain_of_spaces_of_ones_own(self):
        session = opendp.mechanism(
            ROWS >> dp.t.then_sum() >> dp.m.then_laplace(5.0), d_in=1, queries=ap.spaces.Anything()
        ).start()
        assert session.send((0, 11)) is ap.HALT
        assert "domain" in str(session.failure.__cause__)

    def test_an_answer_outside_the_answer_space_is_a_failure(self):
        session = laplace(answers=ap.spaces.Texts()).start()
        assert session.send(5) is ap.HALT
        assert "pass answers" in str(session.failure)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ([1, (2.5, "a")], (1, (2.5, "a"))),
            ({"b": 1, "a": None}, (("a", None), ("b", 1))),
            (b"x", b"x"),
        ],
    )
    def test_answers_are_messages(self, answer, message):
        assert opendp.mechanism(user(lambda x: answer), d_in=1).start().send(1) == message

    def test_a_failure_of_opendp_is_typed_and_its_cause_kept(self):
        session = opendp.mechanism(user(lambda x: 1 // 0), d_in=1).start()
        assert session.send(1) is ap.HALT
        assert type(session.failure) is ap.ForeignError
        assert type(session.failure.__cause__).__name__ == "OpenDPException"

    def test_an_interactive_answer_is_refused(self):
        inner = dp.c.make_adaptive_composition(*INTEGER, dp.max_divergence(), 1, [0.5])
        session = opendp.mechanism(inner, d_in=1).start()
        assert session.send(1) is ap.HALT
        assert "no queryable" in str(session.failure.__cause__)

    def test_ap_check_finds_nothing(self):
        report = ap.check(laplace(answers=ap.spaces.Integers()), messages=[3], seed=1)
        assert report, str(report)


class TestSpaces:
    @over(
        ("domain", "inside", "outside"),
        lambda: [
            (dp.atom_domain(T="u8"), [0, 255], [-1, 256, True]),
            (dp.atom_domain(T="i64"), [-(2**63)], [2**63, 1.0]),
            (dp.atom_domain(T=bool), [True], [1]),
            (dp.atom_domain(T=str), ["a"], [1]),
            (dp.atom_domain(bounds=(0.0, 1.0)), [0.0, 1.0], [1.5, float("nan"), 0]),
            (dp.vector_domain(dp.atom_domain(T=bool), size=2), [(True, False)], [(True,), [True]]),
        ],
    )
    def test_domains(self, domain, inside, outside):
        space = opendp._space(domain)
        for value in inside:
            assert space.contains(value)
            assert domain.member(list(value) if type(value) is tuple else value)
        assert not any(map(space.contains, outside))

    def test_a_domain_that_is_not_known_is_refused_with_the_cure(self):
        with pytest.raises(ap.InvalidArgument, match="pass queries"):
            opendp._space(dp.atom_domain(T="f32"))

    @pytest.mark.parametrize("monotonic", [False, True])
    def test_a_metric_in_one_direction_is_not_known(self, monotonic):
        metric = dp.linf_distance(T=int, monotonic=monotonic)
        domain = dp.vector_domain(dp.atom_domain(T=int))
        noisy_max = dp.m.make_noisy_max(domain, metric, dp.max_divergence(), scale=1.0)
        if monotonic:
            with pytest.raises(ap.InvalidArgument, match="pass relation"):
                opendp.mechanism(noisy_max, d_in=1)
        else:
            relation = opendp.mechanism(noisy_max, d_in=1).verification.relation
            assert relation == MetricWithin("LInfDistance", 1)


def test_without_opendp_the_extra_is_named(monkeypatch):
    def missing(name, *rest):
        raise ImportError(name)

    monkeypatch.setattr(opendp, "import_module", missing)
    with pytest.raises(ap.MissingExtra, match=r"antiphon\[opendp\]"):
        opendp.mechanism(None, d_in=1)
