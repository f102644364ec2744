"""Functions of other arguments than a decorator's are refused when they are decorated."""

from functools import partial, wraps

import pytest
from trying import over

import antiphon as ap
from antiphon.protocol.spaces import BITS

MECHANISM = ap.mechanism(queries=BITS, answers=BITS)


@over(
    ("decorator", "function", "says"),
    [
        (MECHANISM, lambda state, message: (state, 0), r"\(state, message, coins\).*\(state, mes"),
        (MECHANISM, lambda: 0, r"and <lambda> is one of \(\)"),
        (MECHANISM, lambda state, message, coins, more: 0, "more"),
        (MECHANISM, lambda state, message, *, coins: 0, "ap.mechanism"),
        (MECHANISM, 3, "not an int"),
        (MECHANISM, type("Called", (), {"__call__": lambda self, state: 0})(), "and Called is"),
        (ap.adversary, lambda answers: 0, r"ap.adversary.*\(answers, coins\)"),
        (ap.post_processor(), lambda state, side, message: 0, r"\(state, side, message, coins\)"),
    ],
)
def test_a_function_of_other_arguments_is_refused(decorator, function, says):
    """Once its first message was answered HALT, which looked like the mechanism's own."""
    with pytest.raises(ap.InvalidArgument, match=says):
        decorator(function)


def test_what_can_be_called_on_them_is_taken():
    def plain(state, message, coins, more=0):
        return state, message

    @wraps(lambda state, message: None)
    def wrapper(*arguments):
        return plain(*arguments)

    class Called:
        def __call__(self, state, message, coins):
            return state, message

    functions = (plain, wrapper, Called(), partial(plain, more=1), lambda *arguments: arguments[:2])
    for function in functions:
        assert MECHANISM(function).start(seed=1).send(1) == 1
    assert MECHANISM(min)  # of which Python does not know the arguments
