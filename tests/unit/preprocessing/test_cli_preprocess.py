"""`antiphon preprocess`: four prices over n."""

import json
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.cli import main
from antiphon.composition.accounting.calibration import largest_rho
from antiphon.mechanisms import NoisyDescent
from antiphon.preprocessing import Preprocessed
from antiphon.preprocessing.commands import calibrated
from antiphon.preprocessing.tables import MeanImputation, StandardScaling


def printed(capsys, *arguments, status=0):
    assert main(["preprocess", *arguments]) == status
    return capsys.readouterr()


def told(capsys, *arguments):
    return json.loads(printed(capsys, *arguments, "--json").out)


@pytest.mark.slow
def test_imputation_pays(capsys):
    out = printed(capsys, "--size", "1000").out
    assert "naive (wrong)" in out
    assert "1.05649" in out
    assert "120.547" in out
    assert "It pays: at n = 1,000 ε is 1.05" in out
    assert "with n" not in out  # one n says nothing of that


def test_it_is_what_the_library_says(capsys):
    data = told(capsys, "imputation", "--missing", "10", "--size", "200", "--size", "100")
    assert [row["size"] for row in data["rows"]] == [100, 200]
    delta = Fraction(1, 10**6)
    rho = largest_rho(Fraction(1), delta)
    noise = NoisyDescent(points=100, dimension=2, steps=1, rho=rho)
    promise = ap.guarantee(Preprocessed(noise, MeanImputation(size=100, dimension=2, missing=10)))
    row = data["rows"][0]
    assert row["derived"] == promise.epsilon_at(delta)
    assert row["naive"] == ap.guarantee(noise).epsilon_at(delta) <= 1
    assert row["naive"] < row["derived"] < row["printed"] < row["group"]
    assert (data["falls_with_n"], data["pays"]) == (True, True)


def test_noise_is_made_for_the_range_of_what_is_scaled():
    """Columns of a deviation of 1/4 at least are made four times as wide, and others are not."""
    rho = Fraction(1, 8)
    scaled = StandardScaling(size=100, dimension=2, sigma=Fraction(1, 4))
    assert calibrated(scaled, rho).clip == 4
    assert calibrated(MeanImputation(size=100, dimension=2, missing=10), rho).clip == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "derived", "printed_"), [("scaling", 120.55, 372.0), ("projection", 14.79, 24.26)]
)
def test_what_does_not_fall_with_n(capsys, kind, derived, printed_):
    options = ["--no-centred"] if kind == "projection" else []
    data = told(capsys, kind, *options, "--size", "1000", "--size", "100000")
    for row in data["rows"]:
        assert row["derived"] == pytest.approx(derived, rel=1e-3)
        assert row["printed"] == pytest.approx(printed_, rel=1e-3)
    assert (data["falls_with_n"], data["pays"]) == (False, False)
    assert data["premises"][-1]["mark"] == "assumed"


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ["bins", "clusters", "scaling"])
def test_in_plain_words(capsys, kind):
    out = printed(capsys, kind, "--size", "50", "--size", "60", "--sigma", "0.05").out
    assert "It does not pay" in out
    assert ("nothing is better than group privacy" in out) is (kind == "scaling")
    assert "does not fall with n" in out
    assert "assumed: scikit-learn computes what it documents" in out


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("dedup",), "group privacy"),
        (("imputation", "--missing", "50"), "nothing to take the mean of"),
        (("imputation", "--missing", "2.5"), "share below 1"),
        (("imputation", "--missing", "-1"), "missing is a number"),
        (("projection", "--gap", "0"), "eigengap of 0"),
        (("projection", "--dimension", "1"), "below dimension"),
        (("scaling", "--sigma", "0"), "sigma must be positive"),
        (("scaling", "--sigma", "1"), "no records in the ball"),
        (("clusters", "--eta", "0"), "eta must be positive"),
        (("--delta", "0"), "strictly between 0 and 1"),
        (("--epsilon", "0"), "epsilon"),
        (("--plot", "prices.txt"), "a plot is a"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, text):
    pytest.importorskip("matplotlib")
    err = printed(capsys, *arguments, "--size", "50", status=2).err
    assert text in err
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_prices_are_drawn(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "prices.svg"
    arguments = ["--size", "20", "--size", "40", "--plot", str(path)]
    assert "is drawn in" in printed(capsys, *arguments).out
    assert path.read_text().startswith("<?xml")
    assert "there" in printed(capsys, *arguments, status=2).err
    assert told(capsys, *arguments, "--force")["plot"] == str(path)
