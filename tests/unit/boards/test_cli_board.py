"""``antiphon board``: both outputs, each status, bad input in one line."""

import json
import shlex
import shutil

import pytest
from making import csv
from trying import over

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.boards import read_board
from antiphon.boards.commands import running_boards
from antiphon.protocol import pictures

TOML = """
by = "country"
keys = ["FR", "DE"]
start = 2026-01-01
horizon = 10
epsilon = 1000000
per_user = 2
files = ["events*.csv"]
"""
ROWS = ["2026-01-01T08:00,canary,FR", "2026-01-01T09:00,bob,DE", "2026-01-02,canary,FR"]


@pytest.fixture(autouse=True)
def _drawn(request, monkeypatch):
    """Pictures take four fifths of a page's time: one test has those of pages, the others none."""
    if request.function is not test_a_page_has_released_numbers_and_public_times_only:
        monkeypatch.setattr(pictures.Plotted, "_as_svg", lambda _: "<svg></svg>")


@pytest.fixture
def path(tmp_path):
    csv(tmp_path, ROWS)
    (tmp_path / "visits.toml").write_text(TOML)
    return tmp_path / "visits.toml"


def test_a_day_of_a_board(cli, path):
    status, out, err = cli("board", "run", path, "--until", "2026-01-03", "--begin")
    assert status == 0
    assert err == "warning: ε = 1e+06 promises next to nothing: see the statement\n"
    assert "3 new rows, 0 known ones; 2 windows published" in out
    page = path.with_suffix(".html").read_text()
    assert "Who is protected" in page
    assert "canary" not in page
    status, out, _ = cli("board", "run", path, "--until", "2026-01-03")
    assert "0 new rows, 3 known ones; 0 windows published" in out
    status, out, _ = cli("board", "status", path)
    assert "private, do not publish" in out
    assert "2 of 10 windows published" in out
    more = csv(path.parent, ["2026-01-03,canary,DE"], "more.csv")
    status, out, _ = cli("board", "feed", path, more, "--until", "2026-01-04", "--json")
    assert json.loads(out) == {"new": 1, "again": 0, "told": 1, "waiting": 0, "late": 0, "bad": 0}
    status, out, _ = cli("board", "ask", path, "--how", "window", "--json")
    assert json.loads(out)["values"] == [["1", "1"], ["1", "0"], ["0", "1"]]
    status, out, _ = cli("board", "ask", path, "--how", "sliding", "--last", "2", "--csv")
    assert [line.split(",")[:3] for line in out.splitlines()[1:]] == [
        ["2026-01-01", "1", "1"], ["2026-01-02", "2", "1"], ["2026-01-03", "1", "1"],
    ]  # fmt: skip
    status, out, _ = cli("board", "page", path, "--json", "--force")
    assert json.loads(out)["proved"] is True
    assert cli("board", "page", path)[0] == 2  # it is there already


def test_sums_are_a_board_of_a_column(cli, path):
    path.write_text(TOML + 'sum = "amount"\nlow = 0\nhigh = 500\nfolder = "sums"\n')
    rows = [f"{row},{n}00" for n, row in enumerate(ROWS, 4)]
    csv(path.parent, rows, head="time,user,country,amount\n")
    assert cli("board", "feed", path, "--until", "2026-01-03", "--begin")[0] == 0
    _, out, _ = cli("board", "ask", path, "--json")
    assert json.loads(out)["values"] == [["400", "500"], ["900", "500"]]
    assert (path.parent / "sums").is_dir()


def test_keys_that_are_found_and_rows_that_are_purged(cli, path):
    found = TOML.replace('["FR", "DE"]', '"discovered"\ndelta = 0.5')
    path.write_text(found.replace("epsilon = 1000000", "epsilon = 100"))
    assert cli("board", "feed", path, "--until", "2026-01-03", "--begin")[0] == 0
    _, out, _ = cli("board", "purge", path, "--json")
    assert json.loads(out) == {"purged": 3}
    assert "0 rows of windows" in cli("board", "purge", path)[1]
    path.write_text(found.replace("delta = 0.5", ""))
    status, _, err = cli("board", "status", path)
    assert (status, "delta" in err) == (2, True)


def test_a_page_has_released_numbers_and_public_times_only(cli, path):
    """Rows that count in nothing released change nothing on it: not on the page, not in prints."""
    pages = []
    for number, more in enumerate(([], [ROWS[0]] * 50 + ["2026-01-09,swan,FR"] * 7)):
        text = TOML.replace("per_user = 2", f'per_user = 2\nfolder = "b{number}"')
        path.write_text(text.replace("events*", f"rows{number}"))
        csv(path.parent, ROWS[:1] * 2 + more, f"rows{number}.csv")
        assert (
            cli("board", "run", path, "--begin", "--until", "2026-01-03",
                "--output", path.with_name("p"))[0]
            == 0
        )  # fmt: skip
        live = read_board(path).board.open(path.parent / f"b{number}")
        with live:
            shown = [str(live), repr(live), live._repr_mimebundle_()["text/html"]]
            pages.append([path.with_name("p").read_bytes(), *shown, str(live.ask()),
                          live.ask().csv()])  # fmt: skip
    assert pages[0] == pages[1]
    assert b"2 of 10 windows published" in pages[0][0]
    assert b"rows</" not in pages[0][0]
    assert b"BoardS" not in pages[0][0]


def test_python_writes_the_page_of_the_command_line(cli, path, tmp_path):
    assert cli("board", "run", path, "--until", "2026-01-03", "--begin")[0] == 0
    page = path.with_suffix(".html")
    written = page.read_bytes()
    with read_board(path).board.open(path.with_suffix("")) as live:
        with pytest.raises(ap.FileError, match="overwrite=True"):
            live.page(page)
        with pytest.raises(ap.FileError, match=r"none/page\.html cannot be written"):
            live.page(tmp_path / "none" / "page.html")
        (tmp_path / "else").mkdir()
        assert live.page(tmp_path / "else" / "visits.html").read_bytes() == written
        page.write_text("")
        assert live.page(str(page), overwrite=True).read_bytes() == written


def test_a_page_of_sums_says_so_and_names_the_column(tmp_path):
    board = ap.boards.sums(
        "<amount>", low=0, high=5, start="2026-01-01", horizon=9, epsilon=1, per_user=1
    )
    page = board.start(seed=1).page(tmp_path / "p.html").read_text()
    assert "Sums of &lt;amount&gt;" in page
    assert "<amount>" not in page
    assert "Counts" not in page


def test_what_only_reads_founds_no_folder(cli, path):
    folder = path.with_suffix("")
    for _ in range(2):
        for action in ("status", "ask", "page", "purge"):
            status, _, err = cli("board", action, path, "--begin")
            assert (status, f"there is no board in {folder} yet" in err) == (2, True)
        status, out, _ = cli("board", "statement", path)
        assert (status, "Who is protected" in out) == (0, True)
        assert not folder.exists() or not list(folder.iterdir())
        folder.mkdir(exist_ok=True)  # as of a volume that is mounted, and is another one


def test_a_board_begins_by_a_word_only(cli, path):
    """A folder that is missing would otherwise spend ε again, and tell the same days twice."""
    folder, until = path.with_suffix(""), ("--until", "2026-01-03")
    for action in ("run", "feed"):
        status, out, err = cli("board", action, path, *until)
        assert (status, out) == (2, "")
        assert f"there is no board in {folder} yet" in err
        assert "A new one spends ε = 1e+06, again if" in err
        assert err.endswith(
            f"to begin it: antiphon board {action} {path} {until[0]} {until[1]} --begin\n"
        )
        assert not folder.exists()
        assert not path.with_suffix(".html").exists()
    for _ in range(2):  # a first command may come again
        assert cli("board", "run", path, *until, "--begin")[0] == 0
    assert cli("board", "run", path, *until)[0] == 0
    _, told, _ = cli("board", "ask", path, "--json")
    folder.rename(path.parent / "moved")
    assert cli("board", "run", path, *until)[0] == 2
    (path.parent / "moved").rename(folder)
    assert cli("board", "ask", path, "--json")[1] == told


def test_the_line_that_begins_a_board_has_all_that_was_asked(cli, path):
    more = csv(path.parent, [*ROWS, "2026-01-02,,FR"], "a day.csv")
    asked = ("board", "feed", path, more, "--until", "2026-01-03", "--leave-bad", "--leave-late")
    line = cli(*asked)[2].partition("to begin it: antiphon ")[2]
    status, out, _ = cli(*shlex.split(line))
    assert (status, "3 new rows" in out, "2 windows published" in out) == (0, True, True)


def test_a_first_run_without_a_file_is_refused(cli, path):
    run = ("board", "run", path, "--until", "2026-01-03")
    for files, said in (('["rentl-*.csv"]', '["rentl-*.csv"]'), ("[]", "[…]")):
        path.write_text(TOML.replace('["events*.csv"]', files))
        status, _, err = cli(*run, "--begin")
        assert (status, f"files = {said}: nothing would be fed" in err) == (2, True)
        assert not path.with_suffix("").exists()
        with read_board(path).board.open(path.with_suffix("")):
            pass
        assert cli(*run)[0] == 2  # a board that is there, and was never fed
        shutil.rmtree(path.with_suffix(""))
    path.write_text(TOML)
    assert cli(*run, "--begin")[0] == 0
    path.with_name("events.csv").unlink()
    status, out, err = cli(*run[:-1], "2026-01-04")
    assert (status, "1 window published" in out) == (0, True)
    assert f'warning: no file in {path.parent} matches its line files = ["events*.csv"]' in err


def test_without_pictures_a_page_says_so(cli, path, monkeypatch):
    monkeypatch.setattr(running_boards, "find_spec", lambda _: None)
    asked = ("board", "run", path, "--until", "2026-01-03", "--begin")
    assert "pip install 'antiphon[plot]'" in cli(*asked)[2]


def test_lines_that_cannot_be_read_are_left_out_after_a_word(cli, path):
    csv(path.parent, [*ROWS, "2026-01-02,,FR"])
    asked = ("board", "feed", path, "--until", "2026-01-03", "--json", "--begin")
    assert cli(*asked)[0] == 2
    assert json.loads(cli(*asked, "--leave-bad")[1])["bad"] == 1
    path.write_text(TOML + 'bad = "leave out"\n')  # and the board is the same
    assert json.loads(cli(*asked)[1])["bad"] == 1


def test_a_large_step_is_one_line_of_warning(cli, path):
    path.write_text(f'{TOML}sum = "amount"\nlow = 0\nhigh = 1000\nstep = 1000\n')
    err = cli("board", "statement", path)[2]
    assert err.startswith("warning: step=1000 is more than a tenth of high - low")
    assert err.count("\n") == 1


@over(
    "keys",
    ["{discovered = 1e-6}", "{delta = 1e-6}", '"FR"', "1", "[1.5]", "[[1]]", '"discovered"'],
)
def test_keys_of_another_shape_are_refused_with_the_lines_to_write(tmp_path, keys):
    file = tmp_path / "visits.toml"
    file.write_text(TOML.replace('["FR", "DE"]', keys))
    with pytest.raises(InvalidArgument, match="delta = 1e-6"):
        read_board(file)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("horizon = 10", "horizons = 10"), "no line 'horizons'; there are sum, "),
        (("horizon = 10", ""), "say horizon"),
        (('by = "country"', "by = "), "no TOML file"),
        (("epsilon = 1000000", "epsilon = 0"), "epsilon"),
        (("epsilon = 1000000", 'epsilon = "1/2"'), "visits.toml: epsilon"),
        (("files = [", "folder = 1\nfiles = ["), "folder is a text"),
    ],
)
def test_bad_boards_are_one_line(cli, path, change, said):
    path.write_text(TOML.replace(*change))
    status, _, err = cli("board", "status", path)
    assert status == 2
    assert said in err
    assert len(err.splitlines()) == 1


def test_bad_input_is_one_line(cli, path):
    csv(path.parent, [*ROWS, "2026-01-02,,FR"])
    status, _, err = cli("board", "run", path, "--until", "2026-01-03", "--begin")
    assert (status, len(err.splitlines())) == (2, 1)
    assert "events.csv, line 5" in err
    assert not path.with_suffix(".html").exists()
    assert cli("board", "dance", path)[0] == 2
    assert cli("board", "status", path, "x.csv")[0] == 2
    assert cli("board", "status", path.parent / "none.toml")[0] == 2
