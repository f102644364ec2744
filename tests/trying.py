"""How much is tried: examples of Hypothesis, and many cases in one test.

A case of its own test costs more than what it checks, where there are thousands.
"""

import inspect

import pytest
from hypothesis import settings

USUAL = 15
"""Examples of a property every day (``conftest``)."""


def examples(everyday, **others):
    """Settings of a property whose examples are long: so many every day, in proportion slowly."""
    assert 1 <= everyday <= USUAL
    usual = settings.default.max_examples
    return settings(max_examples=max(everyday, everyday * usual // USUAL), **others)


def sized(everyday, slowly):
    """How large a case is: so large every day, and larger where 200 examples are tried."""
    return everyday if settings.default.max_examples == USUAL else slowly


def over(names, cases, *, at_least=1):
    """As ``pytest.mark.parametrize``, but one test: it tells of every case that fails.

    Cases that take long to make are given as a function, which is called by the test.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    known = None if callable(cases) else _made(cases, names, at_least)

    def loop(test):
        shown = inspect.signature(test)
        assert set(names) <= set(shown.parameters), names

        def looped(*instance, **fixtures):
            made = _made(cases(), names, at_least) if known is None else known
            runs = (_tried(test, instance, names, case, fixtures) for case in made)
            failed = [error for error in runs if error is not None]
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(made)} cases failed", failed)

        kept = [each for name, each in shown.parameters.items() if name not in names]
        looped.__signature__ = shown.replace(parameters=kept)
        for what in ("__name__", "__qualname__", "__module__", "__doc__", "pytestmark"):
            if hasattr(test, what):
                setattr(looped, what, getattr(test, what))
        return looped

    return loop


def _made(cases, names, at_least):
    """The cases. Raises: AssertionError if there are fewer than there should be."""
    made = [_plain(case, len(names)) for case in cases]
    assert len(made) >= at_least, f"{len(made)} cases, and there should be {at_least}"
    return made


def _plain(case, length):
    """The value of a case that ``pytest.param`` names."""
    if (values := getattr(case, "values", None)) is None or not hasattr(case, "marks"):
        return case
    assert not case.marks, "a case with marks has a test of its own"
    return values if length > 1 else values[0]


def _tried(test, instance, names, case, fixtures):
    """What a case fails with, if it does."""
    given = dict(zip(names, case if len(names) > 1 else (case,), strict=True))
    try:
        test(*instance, **given, **fixtures)
    except (Exception, pytest.fail.Exception) as error:
        error.add_note(f"The case: {given!r:.500}")
        return error
    return None
