"""`antiphon audit` of a whole curve: --zcdp and --curve."""

import json
import textwrap

import pytest

from antiphon.audit import AuditReport

CODE = textwrap.dedent(
    """
    import antiphon as ap
    from antiphon.mechanisms import GridGaussian, Laplace

    noise = GridGaussian(rho=0.5, step_size=2**-10)
    asker = ap.scripted([ap.Pair(0.0, 1.0)])
    promise = ap.guarantee(Laplace(epsilon=0.7))
    curve = ap.guarantee(noise).curve
    """
)


@pytest.fixture
def system(tmp_path):
    path = tmp_path / "system.py"
    path.write_text(CODE)
    return path


def arguments(system, *claim):
    return ("audit", f"{system}:noise", "--adversary", "asker", "--seed", "1", "--samples", "40000",
            *claim)  # fmt: skip


def test_a_false_curve_is_refuted_with_a_picture_and_a_report(cli, system, tmp_path):
    report, plot = tmp_path / "report.json", tmp_path / "curve.svg"
    status, out, _ = cli(*arguments(system, "--zcdp", "0.2", "--report", report, "--plot", plot))
    assert status == 1
    assert "the whole curve (zCDP): refuted, at confidence 0.95" in out
    assert "where it fails" in out
    assert "μ, if it is μ-GDP" in out
    assert AuditReport.load(report).mu_lower > 0.9
    assert "<?xml" in plot.read_text()


@pytest.mark.slow
def test_a_mu_that_is_too_small_is_refuted(cli, system):
    status, out, _ = cli(*arguments(system, "--gdp", "0.6"))
    assert status == 1
    assert "refuted, at confidence 0.95" in out


@pytest.mark.slow
def test_a_true_curve_is_not(cli, system):
    for claim in (("--zcdp", "0.5"), ("--gdp", "1.01"), ("--curve", "curve")):
        status, out, _ = cli(*arguments(system, *claim))
        assert status == 0
        assert "where that is nearest" in out


def test_a_guarantee_in_the_file_and_json(cli, system):
    status, out, _ = cli(*arguments(system, "--curve", "promise", "--json"))
    data = json.loads(out)
    assert (status, data["verdict"]) == (1, "refuted")
    assert len(data["trade_off"]) == data["hypotheses"] > 20
    assert data["claimed"][0][0] == 0


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ((), "one of --epsilon, --zcdp, --gdp and --curve"),
        (("--zcdp", "1", "--epsilon", "1"), "one of --epsilon, --zcdp, --gdp and --curve"),
        (("--zcdp", "1", "--delta", "0.1"), "--delta belongs to --epsilon"),
        (("--zcdp", "x"), "rho is a number"),
        (("--zcdp", "0"), "rho"),
        (("--gdp", "0"), "mu"),
        (("--curve", "asker"), "neither a privacy curve nor a guarantee"),
        (("--curve", "nobody"), "neither a privacy curve nor a guarantee"),
        (("--zcdp", "1", "--method", "label"), "clopper-pearson"),
    ],
)
def test_what_is_no_claim_is_said_in_a_line(cli, system, claim, words):
    status, _, error = cli(*arguments(system, *claim))
    assert status == 2
    assert words in " ".join(error.split())
