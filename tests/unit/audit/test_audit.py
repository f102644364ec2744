"""`game.audit`: what it refutes, what it does not, what it says, and what it refuses."""

import concurrent.futures
import json
import math
import signal
import sys
from fractions import Fraction

import attrs
import bounds
import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon.audit import (
    AdversaryFamily,
    AuditReport,
    Coarsened,
    Counterexample,
    CounterexampleAdversary,
    counterexample_game,
)
from antiphon.audit.statistical import experiment
from antiphon.audit.statistical.audit_report import rows as report_rows
from antiphon.cli import main
from antiphon.mechanisms import Laplace, RandomizedResponse
from antiphon.protocol.spaces import Anything, Reals
from antiphon.verifiers import event_level

DELTA = Fraction(1, 10)
GAME = counterexample_game(DELTA)
BREAKER = CounterexampleAdversary(delta=DELTA, copies=3)
RR = RandomizedResponse(epsilon=ap.Log(3))
RR_GAME = ap.PrivacyGame(RR, RR.claims[0].verification)
ASKER = ap.scripted([ap.Pair(0, 1)])
NOISE = Laplace(epsilon=1)
NOISE_GAME = ap.PrivacyGame(NOISE, NOISE.claims[0].verification)


def asks(distance):
    return ap.scripted([ap.Pair(0.0, float(distance))])


class TestVerdicts:
    @pytest.mark.parametrize("method", ["clopper-pearson", "label", "anytime"])
    def test_every_method_refutes_a_false_claim(self, method):
        report = GAME.audit(BREAKER, epsilon=0, delta=DELTA, samples=10**5, seed=1, method=method)
        assert report.verdict == "refuted"
        assert report.refuted
        assert 0.1 < report.delta_lower < float(BREAKER.success)
        assert report.counterexample.in_event is True
        assert report.counterexample.bit == report.event.bit

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["clopper-pearson", "label", "anytime"])
    def test_no_method_refutes_a_true_claim_often(self, method):
        """60 audits at confidence 0.8 of RR at its own ε."""
        reports = [
            RR_GAME.audit(
                ASKER, epsilon=ap.Log(3), samples=2000, seed=seed, method=method, confidence=0.8
            )
            for seed in map(bounds.seeded, range(60))
        ]
        assert sum(report.refuted for report in reports) <= bounds.at_most(
            60, 0.2, bounds.level("unit/audit/test_audit", 3)
        )
        assert all(report.refuted or report.counterexample is None for report in reports)
        assert {report.verdict for report in reports} <= {"refuted", "not refuted"}

    def test_numbers_are_audited_as_symbols_are(self):
        for epsilon, verdict in ((0.9, "refuted"), (1, "not refuted")):
            report = NOISE_GAME.audit(asks(1), epsilon=epsilon, samples=200_000, seed=1)
            assert report.verdict == verdict
            assert 0.9 < report.epsilon_lower < 1
            assert "the answer to message 1" in report.event.words()

    def test_labels_bound_delta_more_tightly(self):
        """At ε = 0, on the same number of views: one bound against two."""
        two, one = (
            RR_GAME.audit(ASKER, epsilon=0, samples=10_000, seed=1, objective="delta", method=m)
            for m in ("clopper-pearson", "label")
        )
        assert 0.5 > one.delta_lower > two.delta_lower > 0.45
        assert "label" in one.method

    def test_labels_that_never_name_a_world(self):
        report = RR_GAME.audit(ASKER, epsilon=30, samples=2000, seed=1, method="label")
        assert not report.refuted
        assert report.hits.trials == 0
        assert report.epsilon_lower == 0

    def test_an_anytime_audit_stops_early(self):
        report = GAME.audit(
            BREAKER, epsilon=0, delta=DELTA, samples=10**9, seed=1, method="anytime"
        )
        assert report.refuted
        assert report.samples <= 10_000
        assert report.epsilon_lower > 0
        assert "the wealth K reached 1/α = 20" in report.method
        told = dict(report_rows(report))
        assert "  under b = 1" not in told  # the rounds may favour different worlds
        assert told["  favoured world"].endswith("all rounds and events added up")

    def test_a_refutation_never_says_that_delta_is_at_least_what_was_claimed(self):
        report = RR_GAME.audit(ASKER, epsilon=0.9, samples=10**5, seed=1, method="anytime")
        assert report.refuted
        low = attrs.evolve(report, delta_lower=report.delta)
        assert dict(report_rows(low))["δ at that ε"] == "more than 0"
        assert "four times the samples" not in str(report)

    def test_an_anytime_audit_of_a_true_claim_uses_all(self):
        report = RR_GAME.audit(ASKER, epsilon=ap.Log(3), samples=20_000, seed=1, method="anytime")
        assert not report.refuted
        assert 10_000 <= report.samples <= 20_000
        assert 0.5 < report.epsilon_lower < math.log(3)
        assert "the wealth K did not reach 1/α = 20" in report.method
        assert dict(report_rows(report))["δ at that ε"] == "at least 0"
        assert "half the excess in ε takes about four times the samples" in str(report)

    @pytest.mark.slow
    def test_a_score_of_ones_own(self):
        report = NOISE_GAME.audit(
            asks(1), epsilon=0.5, samples=50_000, seed=1, score=lambda answers: answers[0]
        )
        assert report.refuted
        assert report.event.words().startswith("the feature is ")

    @pytest.mark.slow
    def test_a_feature_of_ones_own(self):
        report = NOISE_GAME.audit(
            asks(1), epsilon=0.5, samples=20_000, seed=1, feature=lambda a: bool(a[0] > 0.5)
        )
        assert report.refuted
        assert report.event.words() in ("the transcript True", "the transcript False")


class TestReports:
    @pytest.fixture
    def report(self):
        return RR_GAME.audit(ASKER, epsilon=1, samples=20_000, seed=3, confidence=0.9)

    def test_it_says_all_of_it(self, report):
        data = report.to_dict()
        assert data["verdict"] == "refuted"
        assert data["samples"] == 20_000
        assert data["tested"] + 10_000 == 20_000
        assert data["hypotheses"] == 1
        assert "none was needed" in data["correction"]
        assert data["hits"]["trials"] == data["tested"]

    def test_its_curve_holds_for_all_epsilons(self, report):
        assert report.delta_at(report.epsilon) == report.delta_lower
        assert report.epsilon_at(0.0) == report.epsilon_lower
        assert report.delta_at(0.0) < 0.5
        assert report.delta_at(1.2) == 0.0

    def test_it_saves_and_loads(self, report, tmp_path):
        report.save(tmp_path / "report.json")
        again = AuditReport.load(tmp_path / "report.json")
        assert again.to_dict() == report.to_dict()
        assert again.trace == report.trace
        assert again.delta_at(0.5) == report.delta_at(0.5)
        assert again.event.words() == report.event.words()

    @pytest.mark.parametrize("text", ["", "{}", '{"format": "other"}', "[1]"])
    def test_what_is_no_report(self, tmp_path, text):
        path = tmp_path / "report.json"
        path.write_text(text)
        with pytest.raises(ap.TranscriptError):
            AuditReport.load(path)
        with pytest.raises(ap.InvalidArgument):
            AuditReport.load(tmp_path / "nothing.json")

    def test_the_trace_grows_to_the_hits(self):
        report = RR_GAME.audit(ASKER, epsilon=1, samples=40_000, seed=3, chunk=100)
        counts = [point.trials for point in report.trace]
        assert counts == sorted(counts)
        assert 30 <= len(counts) <= 64
        assert report.trace[-1] == report.hits
        assert report.progress()[-1] == (report.tested, report.delta_lower)

    def test_labels_have_no_curve(self):
        report = RR_GAME.audit(ASKER, epsilon=1, samples=2000, seed=3, method="label")
        with pytest.raises(ap.InvalidArgument, match="clopper-pearson"):
            report.delta_at(0.5)


class TestCounterexamples:
    @pytest.fixture
    def saved(self, tmp_path):
        report = GAME.audit(BREAKER, epsilon=0, delta=DELTA, samples=10_000, seed=1)
        report.counterexample.save(tmp_path / "found.jsonl")
        return report.counterexample, tmp_path / "found.jsonl"

    def test_it_replays_both_sides_and_lies_in_the_event(self, saved):
        found, path = saved
        again = Counterexample.load(path)
        assert again.replay().answers == found.view.answers
        assert again.in_event is True
        assert attrs.evolve(again, recording=found.recording, event=found.event) == found
        assert path.stat().st_mode & 0o077 == 0

    def test_its_seed_plays_it_again(self, saved):
        found, _ = saved
        entropy, key = found.seed["entropy"], found.seed["spawn_key"]
        seed = np.random.SeedSequence(int(entropy, 16), spawn_key=key)
        view = ap.interact(BREAKER, GAME.mechanism(found.bit), seed=seed)
        assert view.answers == found.view.answers

    def test_it_is_a_recording_and_a_view(self, saved):
        found, path = saved
        assert ap.View.load(path).answers == found.view.answers
        assert ap.Recording.load(path).tape == found.recording.tape

    def test_one_that_misses_the_event_is_told(self, saved):
        found, _ = saved
        outside = attrs.evolve(found, event=attrs.evolve(found.event, threshold=5.0))
        assert outside.in_event is False
        with pytest.raises(ap.ReplayMismatch, match="event"):
            outside.replay()

    def test_a_feature_that_is_not_registered_is_not_known(self, tmp_path):
        report = RR_GAME.audit(
            ASKER, epsilon=0, samples=2000, seed=1, feature=lambda answers: answers[0]
        )
        with pytest.warns(UserWarning, match=r"feature <lambda> has no name.*cannot tell"):
            report.counterexample.save(tmp_path / "found.jsonl")
        again = Counterexample.load(tmp_path / "found.jsonl")
        assert again.in_event is None
        assert again.replay().answers == report.counterexample.view.answers

    def test_a_mere_view_or_a_damaged_one_is_none(self, saved, tmp_path):
        found, path = saved
        found.view.save(tmp_path / "view.jsonl")
        with pytest.raises(ap.TranscriptError, match="no counterexample"):
            Counterexample.load(tmp_path / "view.jsonl")
        for name in ("bit", "event", "epsilon"):
            text = path.read_text().replace(f'"{name}"', '"other"')
            (tmp_path / "damaged.jsonl").write_text(text)
            with pytest.raises(ap.TranscriptError):
                Counterexample.load(tmp_path / "damaged.jsonl")


class TestSeveralAdversaries:
    FAMILY = (asks(0.1), asks(0.5), asks(1), asks(0.2), asks(0.3))

    def test_the_best_is_chosen_on_training_samples_and_tested_alone(self):
        report = NOISE_GAME.audit(self.FAMILY, epsilon=0.8, samples=100_000, seed=1)
        assert report.refuted
        assert report.player is self.FAMILY[2]
        assert report.hypotheses == 1
        assert "one of 5 adversaries" in report.correction

    @pytest.mark.parametrize("correction", ["holm", "bonferroni"])
    def test_testing_all_is_paid_for(self, correction):
        report = NOISE_GAME.audit(
            self.FAMILY[:3], epsilon=0.8, samples=50_000, seed=1, correction=correction
        )
        assert report.refuted
        assert report.player is self.FAMILY[2]
        assert report.hypotheses == len(report.tests) == 3
        assert report.alpha_each == pytest.approx(0.05 / 3)
        assert "α/3 (Bonferroni)" in report.correction
        assert ("Holm" in report.correction) is (correction == "holm")
        first = min(test.adjusted for test in report.tests)  # the smallest decides, in both
        assert first == pytest.approx(min(1, 3 * min(test.p_value for test in report.tests)))
        assert [test.adjusted <= 0.05 for test in report.tests] == [False, False, True]
        assert all(test.adjusted >= test.p_value for test in report.tests)

    def test_a_family_is_searched(self):
        family = AdversaryFamily(lambda v: asks(v[0]), [(0.0, 1.0)], size=12)
        report = NOISE_GAME.audit(family, epsilon=0.7, samples=100_000, seed=1)
        assert report.refuted
        assert "parameters (0.9" in report.adversary

    def test_a_member_without_a_name_is_known_by_its_family(self):
        family = AdversaryFamily(lambda v: ap.adversary(lambda a, coins: v[0]), [(2, 2)], size=1)
        (candidate,) = family.members(np.random.SeedSequence(1))
        member = candidate.adversary
        assert (member.family, member.vector) == (family, (2.0,))
        assert member.step(member.initial_state, ap.EMPTY, None)[1] == 2.0

    def test_families_cover_their_box(self):
        family = AdversaryFamily(lambda v: ap.scripted(v), [(0, 1), (5, 7)], size=10)
        members = family.members(np.random.SeedSequence(1))
        first, second = np.array([each.adversary.messages for each in members]).T
        assert sorted((first * 10).astype(int)) == list(range(10))
        assert sorted((second * 5 - 25).astype(int)) == list(range(10))

    @pytest.mark.slow
    def test_a_strategy_for_a_coarser_system_plays_the_real_one(self):
        """The exact engine solves randomised response; its strategy asks a Laplace mechanism."""
        coarse = ap.PrivacyGame(RandomizedResponse(epsilon=1), RR.claims[0].verification)
        best = coarse.best_adversary(epsilon=0, rounds=1)

        def translate(message):
            return (0, int(message > 0.5))

        player = Coarsened(best, translate)
        state, message = player.step(player.initial_state, ap.EMPTY, None)
        assert isinstance(message, ap.Pair)
        assert player.step(state, 0.9, None)[1] is ap.HALT
        report = NOISE_GAME.audit(Translated(player), epsilon=0.5, samples=5000, seed=1)
        assert report.refuted


@attrs.frozen
class Translated(ap.Adversary):
    """Bits become reals on their way to a mechanism for reals."""

    inner: Coarsened

    @property
    def initial_state(self):
        return self.inner.initial_state

    def step(self, state, message, coins):
        state, said = self.inner.step(state, message, coins)
        return state, said if said is ap.HALT else ap.Pair(float(said.zero), float(said.one))


class TestMemory:
    """Numbers that are kept at once are bounded, also where a view has many."""

    ASKER = ap.scripted([ap.Pair(0.0, 1.0), *[ap.same(0.0)] * 9])

    @pytest.fixture
    def game(self):
        @ap.mechanism(queries=Reals(), answers=Reals())
        @ap.column_safe
        def noise(state, message, coins):
            return state, message + coins.laplace(1)

        return ap.PrivacyGame(noise, event_level())

    @pytest.fixture
    def played(self, monkeypatch):
        sizes = []
        original = experiment.play_sample

        def watched(*parties, replicas, **options):
            sizes.append(replicas)
            return original(*parties, replicas=replicas, **options)

        monkeypatch.setattr(experiment, "play_sample", watched)
        monkeypatch.setattr(sys.modules["antiphon.audit.statistical.audit"], "MOST_NUMBERS", 10_000)
        monkeypatch.setattr(experiment, "CHUNK_NUMBERS", 5000)
        return sizes

    def test_of_training_and_of_chunks(self, game, played):
        report = game.audit(self.ASKER, epsilon=0.5, samples=20_000, seed=1)
        assert (report.samples, report.tested) == (20_000, 19_000)
        assert report.refuted
        assert max(played) == 500

    def test_of_rounds_that_are_bet_on(self, game, played):
        most = sized(8000, 20_000)
        options = {"epsilon": 1, "samples": most, "seed": 1, "method": "anytime"}
        report = game.audit(self.ASKER, **options)
        assert not report.refuted
        assert most / 2 < report.samples <= most
        assert report.tested > sized(0.55, 0.7) * report.samples
        assert max(played) == 500

    def test_what_was_asked_for_is_done(self, game, played):
        report = game.audit(self.ASKER, epsilon=0.5, samples=6000, training=4000, seed=1)
        assert report.tested == 2000
        assert max(played) == 2000


class TestDistribution:
    @pytest.mark.slow
    def test_results_do_not_depend_on_the_executor(self):
        options = {"epsilon": 0, "delta": DELTA, "samples": 40_000, "seed": 1, "chunk": 5000}
        serial = GAME.audit(BREAKER, executor="serial", **options)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            threads = GAME.audit(BREAKER, executor=pool, **options)
        assert serial == threads == GAME.audit(BREAKER, executor=2, **options)
        assert serial.counterexample.view == threads.counterexample.view

    def test_seeds_repeat_and_differ(self):
        one, again, other = (
            RR_GAME.audit(ASKER, epsilon=1, samples=5000, seed=seed).hits for seed in (1, 1, 2)
        )
        assert one == again != other

    def test_a_checkpoint_resumes(self, tmp_path):
        path = tmp_path / "audit.checkpoint"
        options = {"epsilon": 1, "samples": 20_000, "seed": 1, "chunk": 2000, "checkpoint": path}
        first = RR_GAME.audit(ASKER, **options)
        assert path.exists()
        assert RR_GAME.audit(ASKER, **options) == first
        with pytest.raises(ap.CheckpointError):
            RR_GAME.audit(ASKER, **{**options, "seed": 2})

    def test_a_checkpoint_that_grew_does_not_claim_what_one_look_would(self, tmp_path):
        """Three reports of samples that grew: wrong in any of them with 3 α, not α."""
        options = {
            "epsilon": ap.Log(3), "seed": 1, "chunk": 1000, "training": 1000, "confidence": 0.95,
            "checkpoint": tmp_path / "audit.checkpoint",
        }  # fmt: skip
        reports = [
            RR_GAME.audit(ASKER, samples=samples, **options) for samples in (3000, 3000, 3500, 6000)
        ]
        assert [report.looks for report in reports] == [1, 1, 2, 3]
        assert reports[0].confidence == 0.95
        assert reports[0] == reports[1]
        assert 0.9 - 1e-12 < reports[2].confidence < 0.9
        assert 0.85 - 1e-12 < reports[3].confidence < 0.85
        assert "report 3 of samples that grew" in reports[3].correction
        fresh = RR_GAME.audit(ASKER, samples=6000, **options | {"checkpoint": None})
        assert fresh.hits == reports[3].hits
        assert fresh.delta_lower == reports[3].delta_lower
        reports[3].save(tmp_path / "report.json")
        assert AuditReport.load(tmp_path / "report.json").looks == 3

    def test_what_was_interrupted_says_how_much_was_done(self):
        def stop(done, total):
            if done >= 3000:
                signal.raise_signal(signal.SIGINT)

        for method, tested in (("clopper-pearson", 3000), ("label", 1500)):
            report = RR_GAME.audit(
                ASKER, epsilon=1, samples=20_000, seed=1, chunk=1000, method=method,
                executor="serial", progress=stop,
            )  # fmt: skip
            assert report.interrupted
            assert (report.tested, report.samples) == (tested, 10_000 + tested)
            assert report.hits.trials + report.hits.others == 2 * tested

    def test_progress_is_told(self):
        told = []
        RR_GAME.audit(
            ASKER, epsilon=1, samples=8000, seed=1, chunk=1000,
            progress=lambda done, total: told.append((done, total)),
        )  # fmt: skip
        assert told[-1] == (4000, 4000)


class TestBadInput:
    @over(
        ("bad", "text"),
        [
            ({"samples": 999}, "at least 1000"),
            ({"samples": 10.5}, "samples"),
            ({"confidence": 1}, "strictly between"),
            ({"confidence": 0}, "strictly between"),
            ({"confidence": math.nan}, "confidence"),
            ({"delta": 1}, "nothing to audit"),
            ({"delta": 1.5}, "delta"),
            ({"epsilon": -1}, "epsilon"),
            ({"epsilon": 800}, "700"),
            ({"epsilon": 10**400}, "700"),
            ({"method": "magic"}, "clopper-pearson"),
            ({"score": "magic"}, "additive"),
            ({"correction": "none"}, "holm"),
            ({"training": 5000}, "training"),
            ({"training": 0}, "training"),
            ({"seed": -1}, "seed"),
            ({"seed": None, "checkpoint": "file"}, "seed"),
            ({"checkpoint": "file", "method": "anytime"}, "checkpoint"),
            ({"score": len, "feature": len}, "one of them"),
            ({"score": "places"}, "no number"),
        ],
    )
    def test_arguments(self, bad, text):
        with pytest.raises(ap.InvalidArgument, match=text):
            RR_GAME.audit(ASKER, **{"epsilon": 1, "samples": 5000, "seed": 1, **bad})

    @pytest.mark.parametrize("adversary", [[], 7, [7], "ab"])
    def test_what_is_no_adversary(self, adversary):
        with pytest.raises(ap.InvalidArgument, match="adversary"):
            RR_GAME.audit(adversary, epsilon=1, samples=5000)

    def test_too_few_samples_for_so_many_adversaries(self):
        with pytest.raises(ap.InvalidArgument, match="fewer adversaries"):
            RR_GAME.audit([ASKER] * 50, epsilon=1, samples=2000)

    @pytest.mark.parametrize("bounds", [[], [(1, 0)]])
    def test_a_family_without_a_box(self, bounds):
        with pytest.raises(ap.InvalidArgument, match="bounds"):
            AdversaryFamily(lambda v: ASKER, bounds)

    @pytest.mark.slow
    def test_an_adversary_that_never_halts(self):
        @ap.adversary
        def endless(answers, coins):
            return ap.same(0)

        @ap.mechanism(queries=Anything(), answers=Anything())
        def patient(state, message, coins):
            return state, ap.TOP

        game = ap.PrivacyGame(patient, event_level())
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            game.audit(endless, epsilon=1, samples=1000)
        report = game.audit(endless, epsilon=0, samples=1000, rounds=2)
        assert not report.refuted
        assert report.event.words() == "the transcript ⊤ ⊤"

    def test_a_view_that_cannot_be_counted(self):
        with pytest.raises(ap.InvalidArgument, match="feature"):
            RR_GAME.audit(ASKER, epsilon=1, samples=1000, feature=list)
        with pytest.raises(ap.InvalidArgument, match="feature"):
            RR_GAME.audit(ASKER, epsilon=1, samples=1000, feature=lambda answers: object())


# --- audits that tested nothing --------------------------------------------------------------

RR = ap.mechanisms.RandomizedResponse(epsilon=1)
START = RR.claims[0].verification


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([0, 1], "every view was halted by V[f]: its messages are no pairs"),
        ([], "nothing was said"),
        ([ap.same(0), ap.same(1)], "no differing pair was sent"),
        ([ap.Pair(0, 7)], "every view was halted by V[f] before a differing pair could pass: "),
        ([ap.same(0), ap.Pair(0, 1)], "halted by V[f] before a differing pair could pass: a pair "
         "after the first has two different sides"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["clopper-pearson", "anytime"])
def test_an_audit_that_tested_nothing_says_so(said, why, method, tmp_path):
    game = ap.PrivacyGame(RR, START)
    report = game.audit(ap.scripted(said), epsilon=0, samples=2000, seed=1, method=method)
    assert not report.refuted
    assert why in report.vacuous
    assert report.to_dict()["vacuous"] == report.vacuous
    report.save(tmp_path / "report.json")
    assert type(report).load(tmp_path / "report.json").vacuous == report.vacuous


def test_an_audit_that_tested_something_is_not_called_vacuous():
    game = ap.PrivacyGame(RR, START)
    for epsilon in (0, 1):
        report = game.audit(ap.scripted([ap.Pair(0, 1)]), epsilon=epsilon, samples=2000, seed=1)
        assert report.refuted is (epsilon == 0)
        assert report.vacuous == ""
    # a differing pair passes, and then the adversary runs into V[f] on purpose
    script = ap.scripted([ap.Pair(0, 1), ap.Pair(0, 1)])
    assert game.audit(script, epsilon=1, samples=2000, seed=1).vacuous == ""


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Of a counterexample file."""
    path = tmp_path_factory.mktemp("evidence") / "found"
    report = GAME.audit(BREAKER, epsilon=0, delta=DELTA, samples=10_000, seed=1)
    report.counterexample.save(path)
    return path.read_text().splitlines()


class TestEvidenceIsRechecked:
    def written(self, lines, path, change):
        header = json.loads(lines[0])
        change(header, header["evidence"])
        path.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")
        return path

    def test_what_it_says_of_itself(self, lines, tmp_path, capsys):
        path = self.written(lines, tmp_path / "found", lambda header, evidence: None)
        found = Counterexample.load(path)
        assert found.as_stated == ("the counts of views in the event",)
        assert main(["replay", str(path)]) == 0
        assert "stated, and not checkable from the file: the counts" in capsys.readouterr().out

        def without_counts(header, evidence):
            del evidence["hits"], evidence["alpha"]

        path = self.written(lines, tmp_path / "other", without_counts)
        assert Counterexample.load(path).as_stated == ("δ_lower and its confidence",)

    @pytest.mark.every(2)
    @pytest.mark.parametrize(
        "change",
        [
            {"bit": 0}, {"bit": True}, {"bit": "1"}, {"delta_lower": 0.99}, {"delta_lower": 0.0},
            {"confidence": 0.999}, {"confidence": 1.0}, {"epsilon": 3.0}, {"epsilon": "0"},
            {"epsilon": -1.0}, {"delta": 0.9}, {"delta": None}, {"hits": [9, 1, 0, 9]},
            {"hits": [1, 5000, 1, 5000]}, {"hits": 5}, {"alpha": 0.9}, {"alpha": 0},
            {"alpha": None},
            {"words": "the answer is 42"}, {"event": {"symbol": "TOP"}},
        ],
        ids=str,
    )  # fmt: skip
    def test_what_does_not_fit_is_refused(self, lines, tmp_path, change):
        path = self.written(lines, tmp_path / "found", lambda _, evidence: evidence.update(change))
        with pytest.raises(ap.TranscriptError, match="line 1"):
            Counterexample.load(path)
        assert main(["replay", str(path)]) == 2

    def test_the_header_is_held_against_its_secret_part(self, lines, tmp_path):
        """Such a file replayed as identical."""

        def other_delta(header, _):
            header["system"]["chain"][0]["parameters"] = {"verification": {"type": "x.Y/1"}}

        def other_mechanism(header, _):
            header["system"] = {"type": "antiphon.RandomizedResponse/1"}

        def no_identifier(header, _):
            del header["system"]["chain"][1]

        def seedless(header, _):
            header["seeded"] = False

        def other_bit(header, _):
            header["secret"]["system"]["chain"][1]["parameters"]["bit"] ^= 1

        for change in (other_delta, other_mechanism, no_identifier):
            path = self.written(lines, tmp_path / "found", change)
            for load in (ap.View.load, ap.Recording.load, Counterexample.load):
                with pytest.raises(ap.TranscriptError, match="different systems"):
                    load(path)
        for change in (seedless, other_bit):
            with pytest.raises(ap.TranscriptError, match="line 1"):
                Counterexample.load(self.written(lines, tmp_path / "found", change))
