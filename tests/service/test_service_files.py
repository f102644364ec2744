"""Services in TOML files: what they say, what is refused, and the command line."""

import csv
import html
import io
import shlex
import subprocess
import sys
from fractions import Fraction

import pytest
from flying import FILE, KNOWN, file
from trying import over

import antiphon as ap
from antiphon.boards.board_files import BoardFile
from antiphon.cli import main
from antiphon.composition import BasicFilter, WhitehouseFilter
from antiphon.service.definition import read_definition
from antiphon.service.service import opened
from antiphon.service.tokens import Tokens

PLAIN = """epsilon = 1
[fields.colour]
values = ["red", "blue"]
[fields.size]
low = 0
high = 9
least = [5]
"""
BOARD = "start = 2026-01-01\nhorizon = 3\nper_user = 1\nepsilon = 1\n"


def read(place, text):
    path = place / "own.toml"
    path.write_text(text)
    return read_definition(path)


def test_a_plain_file_has_words_of_its_own(tmp_path):
    known = read(tmp_path, PLAIN)
    assert (known.title, known.noun, known.folder) == ("own", "events", tmp_path / "own")
    half = Fraction(1, 2)
    assert known.name(("", "", half)) == "events"
    assert known.name(("red", 5, half)) == "events, colour red, size at least 5"
    assert known.machine.budget == BasicFilter(epsilon=1)
    assert known.machine.charges[0] == Fraction(1, 20)
    small = read(tmp_path, f"delta = 1e-6\ncharges = [0.1]\n{PLAIN}").machine
    assert small.budget == WhitehouseFilter(epsilon=1, delta=1e-6)
    assert small.charges == (Fraction(1, 10),)


def test_flights_are_one_such_file():
    assert KNOWN.name(("UA", "JFK", 30, 1)) == "UA flights from JFK, 30 minutes late or more"
    assert KNOWN.name(("", "", "", 1)) == "All flights"
    promise = ap.guarantee(KNOWN.machine.system())
    assert (promise.status.value, promise.epsilon_at(0)) == ("proved", 4)
    assert read_definition(FILE, FILE.parent / "x").folder == FILE.parent / "x"


def test_a_file_without_fields_is_a_board(tmp_path):
    known = read(tmp_path, BOARD)
    assert type(known) is BoardFile
    assert read_definition(tmp_path / "own.toml", tmp_path / "x").folder == tmp_path / "x"


@over(
    "text, said",
    [
        ("epsilon = ", "is no TOML file"),
        ("fields = 1", "is a table"),
        ("[fields]\nx = 1", "is a table"),
        ("[fields.x]\nvalues = ['a']", "say epsilon"),
        ("epsilon = -1\n[fields.x]\nvalues = ['a']", "epsilon"),
        ("epsilon = 'one'\n[fields.x]\nvalues = ['a']", "epsilon is a number"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\nhorizon = 0"), "horizon must be an int >= 1"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\nhorizons = 9"), "no parameter 'horizons'"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\ncharges = []"), "charges is a list"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\ncharges = [0]"), "charges must be positive"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\nnoun = 3"), "noun is a text"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\ncounted = '{weight}'"), "colour, size"),
        (PLAIN.replace("epsilon = 1", "epsilon = 1\ncounted = '{'"), "colour, size"),
        (PLAIN.replace('"red", ', '"blue", '), "names something twice"),
        (PLAIN.replace('"red", ', ""), None),
        (PLAIN.replace('["red", "blue"]', "[]"), "a list of texts"),
        (PLAIN.replace('"red"', '""'), "a list of texts"),
        (PLAIN.replace('"red"', "3"), "a list of texts"),
        (PLAIN.replace("low = 0", "low = 10"), "ints low, high and least"),
        (PLAIN.replace("low = 0", "low = 0.5"), "ints low, high and least"),
        (PLAIN.replace("least = [5]", "least = 5"), "ints low, high and least"),
        (PLAIN.replace("least = [5]", "most = 5"), "no parameter 'most'"),
        (PLAIN.replace("fields.size", "fields.epsilon"), "a field's name"),
        (PLAIN.replace("fields.size", "fields.'a b'"), "a field's name"),
    ],
)
def test_what_is_no_stream(tmp_path, text, said):
    if said is None:
        assert read(tmp_path, text).machine.fields[0].values == ("blue",)
        return
    with pytest.raises(ap.InvalidArgument, match=said):
        read(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ap.FileError, match="cannot be read"):
        read_definition(tmp_path / "nothing.toml")


def test_a_folder_is_of_one_file(folder):
    """A larger budget, or other fields, do not go on with a session that has spent."""
    opened(file(folder, BasicFilter(epsilon=1))).run.session.close()
    with pytest.raises(ap.ResumeError, match="another system"):
        opened(file(folder, BasicFilter(epsilon=2)))
    opened(file(folder, BasicFilter(epsilon=1))).run.session.close()


def test_a_token_from_the_command_line(tmp_path, capsys):
    given = ["service", str(FILE), "--folder", str(tmp_path / "f")]
    assert main([*given, "--token", "analyst", "ada"]) == 0
    holder = Tokens(tmp_path / "f" / "tokens").holder(capsys.readouterr().out.strip())
    assert (holder.role, holder.name) == ("analyst", "ada")
    for wrong in (("root", "ada"), ("analyst", "a b"), ("analyst", ""), ("analyst", "é")):
        assert main([*given, "--token", *wrong]) == 2
        assert capsys.readouterr().err


WITHOUT = """import sys
from antiphon.cli import main
for missing in ("uvicorn", "starlette"):
    sys.modules[missing] = None
    assert main(["service", *sys.argv[1:]]) == 2
    del sys.modules[missing]
"""


@pytest.mark.slow
def test_without_its_extra_it_names_it(tmp_path):
    given = [str(FILE), "--folder", str(tmp_path / "f")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *given], capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    for missing in ("uvicorn", "starlette"):
        text = f"{missing} is not installed; it is in the extra antiphon[service]"
        assert text in done.stderr
    assert not (tmp_path / "f").exists()


def test_a_port_that_is_taken(tmp_path, capsys):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        given = ["service", str(FILE), "--folder", str(tmp_path / "f"), "--port", port]
        assert main([*given, "--begin"]) == 2
    assert "try --port" in capsys.readouterr().err
    assert not (tmp_path / "f").exists()


BOARD = """by = "country"
keys = ["FR"]
start = 2026-01-01
horizon = 9
per_user = 1
epsilon = 1
"""


def test_a_service_begins_by_a_word_only(tmp_path, capsys):
    """A folder that is missing, as a volume in Docker, would otherwise spend the budget again."""
    (tmp_path / "visits.toml").write_text(BOARD)
    kinds = ((FILE, "live stream", "4"), (tmp_path / "visits.toml", "board", "1"))
    for path, what, epsilon in kinds:
        for folder in (tmp_path / "none", tmp_path / what):
            given = ["service", str(path), "--folder", str(folder), "--until", "2026-01-03"]
            if folder.name == what:  # it is there, with tokens only
                assert main([*given, "--token", "ingestion", "feed"]) == 0
            assert main(given) == 2
            said = capsys.readouterr().err
            assert f"there is no {what} in {folder} yet" in said
            assert f"ε = {epsilon}, again if there was one before" in said
            assert f"{shlex.join(['antiphon', *given])} --begin\n" in said
            assert not (folder / "session.jsonl").exists()
    assert not (tmp_path / "none").exists()


def test_a_stream_has_a_statement_and_csv(talked):
    async def conversation(talk):
        await talk.create({"airline": "UA", "delay": 30, "epsilon": "1/2"})
        await talk.create({"epsilon": "1"})
        await talk.fly(60)
        asked = [(await talk.ask(number)).json() for number in (0, 1)]
        got = {path: await talk.client.get(path) for path in ("/statement", "/board.csv")}
        assert (await talk.client.get("/board.csv?how=window")).status_code == 422
        told = (await talk.client.get("/api/statement")).json()
        return asked, got["/statement"].text, got["/board.csv"].text, told

    asked, page, text, told = talked(conversation)
    rows = [*csv.reader(io.StringIO(text))]
    assert rows[0] == [
        "counter", "airline", "origin", "delay", "epsilon", "events", "count", "error at 95 %"
    ]  # fmt: skip
    assert rows[1:] == [
        ["0", "UA", "", "30", "1/2", "60", str(asked[0]["count"]), str(asked[0]["within"])],
        ["1", "", "", "", "1", "60", str(asked[1]["count"]), str(asked[1]["within"])],
    ]
    sections = {each["heading"]: each["sentences"] for each in told["sections"]}
    assert "OneEntry()) allows and no more" in sections["Who is protected"][0]
    assert "Protected is one event of one batch" in sections["What is public"][0]
    assert sections["How much"][0].startswith("ε = 2 and δ = 0")
    for sentences in sections.values():
        for each in sentences:
            assert html.escape(each) in page
