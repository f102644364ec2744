"""The list of mutants fits the code: every old text is there once, so `make mutants` can run."""

import pytest
from listing import faults, read


def test_no_mutant_is_stale():
    assert faults(read(), compiled=False) == []


@pytest.mark.slow
def test_each_mutant_is_python():
    assert faults(read()) == []


def test_there_are_four_hundred():
    assert len([each for each in read() if not each.equivalent]) >= 400


def test_a_stale_mutant_is_named(tmp_path):
    (tmp_path / "room.txt").write_text(
        "file antiphon/verifiers/verifier.py\ntests tests/nowhere.py\n\n"
        "why the wrong world\n- nowhere in the file\n+ x\n\n"
        "why a word that is there often\n- self\n+ x\n"
    )
    stale, ambiguous, missing = faults(read(tmp_path))
    assert "the wrong world" in stale
    assert "there 0 times" in stale
    assert "a word that is there often" in ambiguous
    assert missing == "tests/nowhere.py: no such test file"


def test_a_line_that_is_no_part_of_a_mutant_is_refused(tmp_path):
    (tmp_path / "room.txt").write_text("file a.py\nwhy before any tests\n")
    with pytest.raises(ValueError, match=r"room\.txt:2"):
        read(tmp_path)
