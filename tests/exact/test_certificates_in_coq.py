"""Certificates as theorems of Coq: the kernel proves true ones, and accepts none that is false."""

import contextlib
import os
import re
import subprocess
from fractions import Fraction
from random import Random

import pytest
from proved import CERTIFICATES, PROOFS, compiled, kept_by, needs_coq, tool
from random_games import drawn
from table_games import TableGame
from test_certificates import GAMES, asked, certificate, changed, numbered, responses, rows_of
from test_tight_delta import ANY, AboveThreshold

import antiphon as ap
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    fixed_parameters,
    sparse_parallel,
)

TWO, CLOSED = ap.Log(2), "Closed under the global context"


def two_responses():
    f = sparse_parallel([(ap.Log(3), 0)] * 2)
    return asked(ap.ExtConComp(), f, catalogue=responses(3), max_creations=3)


def sparse_vector(radius, rounds):
    return asked(AboveThreshold(radius, rounds), ap.verifiers.bounded(ANY, rounds))


def two_of_three():
    parts = [AboveThreshold(radius, 1) for radius in (1, 2, 3)]
    return asked(ap.ExtConComp(), sparse_parallel([(9, 0)] * 2), catalogue=parts, max_creations=3)


def five_creations():
    budget = BasicFilter(epsilon=ap.Log(64))
    search = {"catalogue": responses(2, 3, 4), "max_creations": 5}
    return asked(ap.ExtConComp(budget=budget), adaptive_parameters(budget), **search)


def created_adaptively():
    """Which response is created next may depend on the answers of the others."""
    f = fixed_parameters([(ap.Log(q), 0) for q in (2, 2, 3, 4)])
    return asked(ap.ExtConComp(), f, catalogue=responses(2, 3, 4), max_creations=4)


EXPORTS = {
    "two responses": (two_responses, 6, ap.Log(3)),
    "a sparse vector": (lambda: sparse_vector(3, 6), 6, TWO),
    "a long sparse vector": (lambda: sparse_vector(1, 20), 20, TWO),
    "two of three sparse vectors": (two_of_three, 6, TWO),
    "a filter": (five_creations, 10, ap.Log(4)),
    "an adaptive creation": (created_adaptively, 8, TWO),
}


def export(name):
    make, rounds, epsilon = EXPORTS[name]
    return make().certify(epsilon=epsilon, rounds=rounds)


def test_the_file_of_the_proofs_is_an_export():
    made = tool("certify").theorem(export("two responses").lines, "two_responses")
    assert made in (PROOFS / "Certified.v").read_text()


def test_what_the_reader_refuses_is_not_written():
    *rows, (kind, epsilon, growth, (over, under)) = rows_of(certificate("fixed")[1])
    with pytest.raises(tool("certify").NotAccepted, match="another δ"):
        tool("certify").theorem(numbered([*rows, [kind, epsilon, growth, [over, under + 1]]]))


def test_a_curve_is_one_theorem_for_each_point():
    found = GAMES["fixed"][0]().certify(epsilon=[0, TWO], rounds=4)
    text = tool("certify").theorem(found.lines, "curve")
    assert re.findall(r"^Theorem (\w+) : bounds curve_data (\d+) 1 ", text, re.MULTILINE) == [
        ("curve_0", "1"),
        ("curve_1", "2"),
    ]


# --- the kernel -----------------------------------------------------------------------------------


@pytest.fixture
def proofs(request, tmp_path):
    return compiled(kept_by(request, tmp_path), CERTIFICATES)


def run(text, proofs, folder):
    """(what coqc prints, seconds of processor time, bytes of memory)."""
    (folder / "Asked.v").write_text(text)
    command = ["coqc", "-Q", str(proofs), "Antiphon", "Asked.v"]
    with (folder / "said").open("w+") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return said.read(), used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss


@pytest.mark.slow
@needs_coq
@pytest.mark.parametrize("name", [*EXPORTS, *GAMES])
def test_a_certificate_is_a_theorem(name, proofs, tmp_path):
    found = export(name) if name in EXPORTS else certificate(name)[1]
    said, seconds, memory = run(tool("certify").theorem(found.lines), proofs, tmp_path)
    assert said.strip() == CLOSED
    assert seconds < 20
    assert memory < 1e9


NUMBERS = re.compile(r"(?<!\w)\d+")


def text_changed(random, text):
    """Coq data with another number in what its tables do not say: columns, nodes, public states."""
    tables = range(text.index("_data :"), text.index("lesser :="))
    found = (each for each in NUMBERS.finditer(text) if each.start() not in tables)
    place = random.choice([*found])
    value = int(place.group())
    near = random.choice((value + 1, value - 1, 1, 2, 2 * value, random.randrange(9)))
    near = near if near > 0 else value + 1  # Coq reads no denominator that is 0
    return text[: place.start()] + str(near) + text[place.end() :]


def explained(lines):
    """A certificate for Coq, whether or not the reader accepts it; None if it cannot be written."""
    module = tool("certify")
    try:
        read = module.Explained(lines)
        with contextlib.suppress(module.NotAccepted, LookupError, ValueError, ArithmeticError):
            read.check()
        for column in range(2, len(read.columns) // 2):
            if read.columns[column][:2] in read.tables["f"]:
                read.moves(column)
        data, claim = module.definition(read, "a_game"), module.claims(read, "a_game")[0]
    except (module.NotAccepted, LookupError, ValueError, ArithmeticError):
        return None
    return (data, claim) if re.match("a_game_data [1-9][0-9]* [1-9]", claim) else None


def holds(lines):
    """Whether a claim is true of its tables, or these make no game."""
    try:
        return TableGame(lines).holds()
    except (LookupError, ValueError, ArithmeticError):
        return True


def false_claims(random, number):
    """Certificates with a claim that is false: of the same game, or of one with other tables."""
    module, names = tool("certify"), [name for name in GAMES if name != "a hidden coin"]
    known = {name: certificate(name)[1] for name in names}
    while number:
        name = random.choice(names)
        found = known[name]
        if number % 2:
            read = module.Explained(found.lines)
            read.check()
            (_, one, zero), (over, under) = next(iter(read.tables["delta"].items()))
            d = Fraction(over, under) * random.choice((Fraction(99, 100), Fraction(101, 100)))
            data = text_changed(random, module.definition(read, "a_game"))
            claim = f"a_game_data {one} {zero} ({d.numerator} # {d.denominator})"
        else:
            lines = numbered(changed(random, rows_of(found)))
            written = explained(lines)
            if written is None or holds(lines):
                continue
            data, claim = written
        number -= 1
        yield data, claim


def accepted(proofs, folder, cases):
    """What the kernel's check says of each of these."""
    text = tool("certify").HEADER
    for number, (data, claim) in enumerate(cases):
        text += data.replace("a_game", f"game_{number}")
        said = claim.replace("a_game", f"game_{number}")
        text += f"Eval vm_compute in check_tight {said}.\n"
    said, *_ = run(text, proofs, folder)
    found = re.findall(r"= (true|false)", said)
    assert len(found) == len(cases), said[-2000:]
    return found.count("true")


@pytest.mark.slow
@needs_coq
def test_a_hundred_false_certificates_are_refused(proofs, tmp_path):
    assert accepted(proofs, tmp_path, [*false_claims(Random(7), 100)]) == 0
    true = explained(certificate("fixed")[1].lines)
    assert accepted(proofs, tmp_path, [true]) == 1


def random_cases(seeds):
    """Certificates of random games, as `explained` gives them."""
    for seed in seeds:
        random = Random(seed)
        game = drawn(random, rounds=random.choice((3, 4)))
        try:
            found = game.question.certify(epsilon=random.choice((0, TWO)), rounds=game.rounds)
        except ap.InvalidArgument:  # f takes nothing of the catalogue, or the budget is of a user
            continue
        yield explained(found.lines)


@pytest.mark.slow
@needs_coq
def test_random_games(proofs, tmp_path):
    cases = [*random_cases(range(60))]
    assert accepted(proofs, tmp_path, cases) == len(cases) > 40


@pytest.mark.slow
@needs_coq
def test_a_false_figure_is_no_theorem(proofs, tmp_path):
    text = tool("certify").theorem(export("two responses").lines)
    said, *_ = run(text.replace("(3 # 8)", "(37 # 100)"), proofs, tmp_path)
    assert CLOSED not in said
    assert "Error" in said
