"""The command ``antiphon certify``: certificates of exact answers, written and checked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from antiphon.audit.certificates.certificate import READER, Certificate
from antiphon.audit.exact.question import Question
from antiphon.audit.game import PrivacyGame
from antiphon.cli.commands.account import read_epsilon
from antiphon.cli.output import check_files, print_json
from antiphon.cli.user_code import import_file, named, running, split_target
from antiphon.numbers.errors import TranscriptError
from antiphon.numbers.exact import rational


class Figure(NamedTuple):
    """The options for the figure to certify: δ at ε, ε at δ, or a Rényi moment of some order."""

    epsilons: Sequence[str] | None
    delta: str | None
    order: int | None
    rounds: int | None


def print_reader(target: str | None) -> int:
    """Print the Python program that checks the certificate in the file ``target`` without this
    library; without a ``target``, the program for certificates of a tight δ."""
    path = READER if target is None else Certificate.load(Path(target)).reader
    print(path.read_text(encoding="utf-8"), end="")
    return 0


def write(target: str, figure: Figure, save: Path, *, force: bool, as_json: bool) -> int:
    """Write a certificate of a figure of the game ``target``: its tight δ at some ε, its least ε at
    a δ, or the moment of the privacy loss of some order."""
    check_files([save], force)
    path, question = _question(target)
    epsilons, delta, order, rounds = figure
    given = None if epsilons is None else [read_epsilon(each) for each in epsilons]
    at = None if delta is None else rational(delta, "delta")
    with running(path):
        found = question.certify(
            save, epsilon=given, delta=at, order=order, rounds=rounds, overwrite=force
        )
    return _tell(_checked(found.check), found, as_json, saved=save)


def check(target: str, against: str | None, *, as_json: bool) -> int:
    """Check a certificate, and whether it is about the given game; exit status 1 if not."""
    found = Certificate.load(Path(target))
    if against is None:
        return _tell(_checked(found.check), found, as_json)
    path, question = _question(against)
    with running(path):
        told = _checked(lambda: found.against(question))
    return _tell(told, found, as_json)


def _checked(check: Callable[[], str]) -> tuple[str, bool]:
    """A pair: the checked statement or the error, as text; and whether the certificate holds."""
    try:
        return f"checked, {check()}", True
    except TranscriptError as error:
        return str(error), False


def _tell(
    told: tuple[str, bool], found: Certificate, as_json: bool, saved: Path | None = None
) -> int:
    text, holds = told
    if as_json:
        print_json({"holds": holds, "checked": text, "beliefs": found.beliefs, "saved": saved})
    else:
        print(text)
    return 0 if holds else 1


def _question(target: str) -> tuple[Path, Question]:
    path, name = split_target(target, "certify")
    what = "a PrivacyGame, or game.question(…)"
    found = named(import_file(path), name, PrivacyGame | Question, what)
    return path, found.question() if isinstance(found, PrivacyGame) else found
