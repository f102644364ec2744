"""Options that are handed on: written once, and shown wherever they are taken."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

Method = TypeVar("Method", bound=Callable[..., object])


def handed_on(to: Callable[..., object]) -> Callable[[Method], Method]:
    """Decorator: ``help`` shows, for the ``**options`` of a method, what ``to`` takes by name.

    Of the parameters of ``to``, those with a default, as it has them. What is called does not
    change.

    >>> def solve(question, *, limit=10): ...
    >>> @handed_on(solve)
    ... def tight(rounds, **search): ...
    >>> inspect.signature(tight)
    <Signature (rounds, *, limit=10)>
    """
    empty, by_name = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    shown = inspect.signature(to).parameters.values()
    options = [each.replace(kind=by_name) for each in shown if each.default is not empty]

    def decorate(method: Method) -> Method:
        own = inspect.signature(method)
        *kept, _ = own.parameters.values()
        setattr(method, "__signature__", own.replace(parameters=[*kept, *options]))  # noqa: B010
        return method

    return decorate
