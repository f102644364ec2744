"""Durable sessions in tests: how their process dies, and what their files hold."""

import os
import re

import antiphon as ap
from antiphon.mechanisms import TreeCounter
from antiphon.sessions.durable.checks import check_before, checked
from antiphon.sessions.durable.guard import Progress, beside, marked
from antiphon.sessions.durable.journal import as_written
from antiphon.sessions.durable.reading import opening, steps

COUNTER = TreeCounter(horizon=2**20, epsilon=1)


def begun(path, mechanism=COUNTER, **settings):
    """A session that is kept at a path."""
    return ap.begin(mechanism, path, **settings)


def die(session):
    """As kill -9 does it: the files are let go as they are."""
    session._log.close(), session._guard.close()


def in_the_log(path):
    """The exchanges of a log, by their numbers, and how far it has come."""
    found = {}
    with path.open("rb") as file:
        first = opening(file, path)
        for course in steps(file, first, first.rebuild_system()):
            if course.last is not None:
                found[course.last.number] = course.last
    return found, course


def bytes_of(path):
    """A log and its guard, as they are."""
    return path.read_bytes(), beside(path).read_bytes()


def without_checks(path):
    """The lines of a log, as they were said."""
    return re.sub(r',"(check|synced)":"\w{8}"}$', "}", path.read_text(), flags=re.M).splitlines()


def rewrite(path, lines):
    """Make it a log of these lines, as somebody would who knows of checks."""
    path.write_bytes(as_written(lines)[0])


def edit(path, old, new, times=-1):
    """Change what a log says, and its checks with it."""
    text = "\n".join(without_checks(path))
    assert old in text
    rewrite(path, text.replace(old, new, times).split("\n"))


def add(path, *lines):
    """Lines at the end of a log."""
    for line in lines:
        with path.open("rb+") as file:
            before = check_before(file, file.seek(0, 2))
            file.seek(0, 2)
            file.write(checked(line, before)[0])


def mark(path, **changes):
    """Change what the guard of a log says."""
    line = str(marked(path)._replace(**changes)._asdict()).replace("'", '"').replace(", ", ",")
    beside(path).write_bytes(checked(line.replace(": ", ":"), 0)[0].ljust(256))
    assert type(marked(path)) is Progress


def in_a_child(act):
    """What is returned, or the name of what is raised, by a forked process of its own."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = str(act())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(theirs, said.encode()[:4000])
        os._exit(0)
    os.close(theirs)
    with open(ours) as heard:
        said = heard.read()
    os.waitpid(child, 0)
    return said
