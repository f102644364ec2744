"""Of how many arguments a user's function is: asked when it is decorated, not when it is called."""

from __future__ import annotations

import inspect

from antiphon.numbers.errors import InvalidArgument


def check_arity(function: object, decorator: str, *arguments: str) -> None:
    """Raises: InvalidArgument for what cannot be called on these arguments, in this order."""
    wanted = f"{decorator} takes a function of ({', '.join(arguments)})"
    if not callable(function):
        raise InvalidArgument(f"{wanted}, not a {type(function).__name__}")
    try:
        # Of a wrapper its own: what it wraps may be called on others.
        signature = inspect.signature(function, follow_wrapped=False)
    except ValueError:  # of some functions that are not written in Python it is not known
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        raise InvalidArgument(f"{wanted}, and {name} is one of {signature}") from None
