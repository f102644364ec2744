"""Durable sessions in tests: how their process dies, and what their files hold."""

import os

from antiphon.protocol.durable.guard import beside
from antiphon.protocol.durable.reading import opening, steps


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
