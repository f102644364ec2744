"""Witnesses in SQLite and in PostgreSQL: each generation of a session begins once."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import threading
from glob import glob
from importlib.util import find_spec
from pathlib import Path

import pytest

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.sessions import PostgresWitness, SQLiteWitness
from antiphon.sessions.witnesses import WITNESS_TABLE, witness_at

PAGE = Path(__file__).parents[3] / "docs" / "durable.md"
SERVERS = [
    shutil.which("initdb"),
    *glob("/usr/lib/postgresql/*/bin/initdb"),
    *glob("/usr/pgsql-*/bin/initdb"),
]
INITDB = next(filter(None, SERVERS), None)


def lived(folder, witness):
    """A session of two generations, and a copy of its files from between them."""
    path, copy = folder / "year.jsonl", folder / "backup"
    with ap.begin(TreeCounter(horizon=8, epsilon=1), path, witness=witness) as session:
        session.send(1)
    copy.mkdir()
    for name in ("year.jsonl", "year.jsonl.guard"):
        shutil.copy2(folder / name, copy / name)
    with ap.resume(path, witness=witness) as session:
        session.send(COUNT)
    return path, copy


def put_back(path, copy):
    """Write the files of a backup over those that came after it, where they are."""
    for each in copy.iterdir():
        (path.parent / each.name).write_bytes(each.read_bytes())


def refuses_a_second_life(folder, witness):
    path, copy = lived(folder, witness)
    put_back(path, copy)
    with pytest.raises(ap.ResumeError, match="the witness says no: generation 1"):
        ap.resume(path, witness=witness)
    ap.resume(path).close()  # without a witness nobody knows: that is why there is one


def asked_at_once(witness, many=8):
    """The answers to one question that several ask at the same time."""
    found, gate = [], threading.Barrier(many)

    def ask():
        gate.wait()
        found.append(witness("5e55", 7))

    threads = [threading.Thread(target=ask) for _ in range(many)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    return sorted(found)


def test_sqlite_refuses_a_second_life(tmp_path):
    refuses_a_second_life(tmp_path, SQLiteWitness(tmp_path / "elsewhere.sqlite"))


def test_sqlite_says_yes_once(tmp_path):
    witness = SQLiteWitness(tmp_path / "w.sqlite")
    asked = [("a", 0), ("a", 0), ("a", 1), ("b", 0), ("b", 0)]
    assert [witness(*each) for each in asked] == [True, False, True, True, False]
    again = SQLiteWitness(tmp_path / "w.sqlite")
    assert again("a", 1) is False
    assert (tmp_path / "w.sqlite").stat().st_mode & 0o777 == 0o600
    assert asked_at_once(again) == [False] * 7 + [True]


def test_a_file_that_is_no_witness(tmp_path):
    (tmp_path / "w").write_text("this is no database, but a text of some length " * 9)
    for path in (tmp_path / "w", tmp_path / "nowhere" / "w"):
        with pytest.raises(ap.FileError, match="is no witness"):
            SQLiteWitness(path)("a", 0)
        log = tmp_path / "log.jsonl"
        with pytest.raises(ap.FileError, match="is no witness"):
            ap.begin(TreeCounter(horizon=8, epsilon=1), log, witness=SQLiteWitness(path))
        assert not log.exists()


def test_where_a_witness_is(tmp_path):
    assert witness_at(str(tmp_path / "w")) == SQLiteWitness(tmp_path / "w")
    secret = witness_at("postgresql://me:secret@db/x")
    assert type(secret) is PostgresWitness
    assert "secret" not in repr(secret)
    for wrong in ("", "mysql://x"):
        with pytest.raises(ap.InvalidArgument, match="postgresql://"):
            witness_at(wrong)


def test_a_witness_without_its_driver(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(ap.MissingExtra, match=r"antiphon\[postgres\]"):
        PostgresWitness("postgresql://nowhere")("a", 0)


@pytest.mark.skipif(find_spec("psycopg") is None, reason="psycopg is not installed")
def test_a_server_that_is_not_there_is_told_without_its_address(tmp_path):
    witness = PostgresWitness(f"postgresql://me:secret@/x?host={tmp_path}")
    with pytest.raises(ap.FileError, match="does not answer: OperationalError") as told:
        witness("a", 0)
    assert "secret" not in str(told.value)
    with pytest.raises(ap.FileError, match="does not answer"):
        PostgresWitness("no = such = address")("a", 0)


def test_the_page_prints_the_table():
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.S)
    assert WITNESS_TABLE + ";\n" in blocks


# --- a real server -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server():
    """The address of a PostgreSQL server of its own, which listens to no network."""
    if INITDB is None or find_spec("psycopg") is None:
        pytest.skip("initdb of PostgreSQL, or psycopg (the extra postgres), is not installed")
    folder = tempfile.mkdtemp(prefix="witness")
    user = {}
    if os.geteuid() == 0:  # it runs as anybody but root
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    data, postgres = f"{folder}/data", str(Path(INITDB).with_name("postgres"))
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **user}
    made = [INITDB, "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8"]
    process = None
    try:
        subprocess.run([*made, "--no-locale"], check=True, timeout=120, **quiet)
        command = [postgres, "-D", data, "-k", folder, "-c", "listen_addresses="]
        process = subprocess.Popen(command, **quiet)
        yield waited_for(f"postgresql://tester@/postgres?host={folder}", process)
    finally:
        if process is not None:
            process.terminate()
            process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def waited_for(address, process):
    import time

    import psycopg

    for _ in range(300):
        assert process.poll() is None, "the server has ended"
        try:
            psycopg.connect(address).close()
            return address
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.mark.slow
def test_postgres_refuses_a_second_life(server, tmp_path):
    import psycopg

    witness = PostgresWitness(server)
    path = tmp_path / "log.jsonl"
    with pytest.raises(ap.FileError, match="create table"):  # it says the line to write
        ap.begin(TreeCounter(horizon=8, epsilon=1), path, witness=witness)
    assert not path.exists()
    with psycopg.connect(server) as base:
        base.execute(WITNESS_TABLE)
        base.execute(WITNESS_TABLE)  # it may be run again
    refuses_a_second_life(tmp_path, witness)
    assert [witness("a", 0), witness("a", 0), witness("a", 1)] == [True, False, True]
    assert asked_at_once(witness) == [False] * 7 + [True]
    with psycopg.connect(server) as base:
        rows = base.execute("select session, generation from antiphon_generations").fetchall()
    assert sorted(row for row in rows if row[0] in ("a", "5e55")) == [
        ("5e55", 7), ("a", 0), ("a", 1)
    ]  # fmt: skip
