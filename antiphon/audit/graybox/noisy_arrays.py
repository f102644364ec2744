"""Arrays of numbers with noise on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from antiphon.audit.graybox.noisy import Noisy, applied, chosen, plain

_LINEAR: Final = (np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.matmul)
_COMPARED: Final = (
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
)  # fmt: skip
_EXTREME: Final = (np.maximum, np.minimum)
_KEPT: Final = (
    np.sum, np.mean, np.cumsum, np.dot, np.concatenate, np.stack, np.vstack, np.hstack, np.ravel,
    np.reshape, np.transpose, np.squeeze, np.append, np.copy, np.shape, np.size, np.ndim,
    np.broadcast_to, np.tile, np.repeat, np.diff, np.expand_dims, np.atleast_1d, np.array_split,
)  # fmt: skip
"""What arrays of any content allow; all else reads."""
_SELECTING: Final = (np.argmax, np.argmin, np.argsort)


class Draws(np.ndarray[Any, Any]):
    """An array of ``Noisy``."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return universal(ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(func is each for each in _KEPT):
            return super().__array_function__(func, types, args, kwargs)
        if any(func is each for each in _SELECTING):
            return selected(lambda numbers: func(numbers, *args[1:], **kwargs), args[0])
        return func(*map(numbers, args), **{key: numbers(each) for key, each in kwargs.items()})

    def argmax(self, *args: Any, **options: Any) -> Any:
        """The index of the largest, which is all that is read."""
        return selected(lambda numbers: numbers.argmax(*args, **options), self)

    def argmin(self, *args: Any, **options: Any) -> Any:
        """The index of the least."""
        return selected(lambda numbers: numbers.argmin(*args, **options), self)

    def argsort(self, *args: Any, **options: Any) -> Any:
        """The order, which is all that is read."""
        return selected(lambda numbers: numbers.argsort(*args, **options), self)

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """As plain numbers, which is reading them."""
        return numbers(self).astype(dtype, *args, **options)

    def round(self, *args: Any, **options: Any) -> Any:
        """Rounded, which is reading them."""
        return numbers(self).round(*args, **options)


def draws(noisy: Sequence[Noisy], shape: tuple[int, ...]) -> Draws:
    """The array of these."""
    made = np.empty(len(noisy), dtype=object)
    for place, each in enumerate(noisy):
        made[place] = each
    return made.reshape(shape).view(Draws)


def selected(select: Callable[[Any], Any], array: Any) -> Any:
    """What is chosen by looking at all numbers of an array."""
    flat = as_objects(array).ravel().tolist()
    noisy = [each for each in flat if type(each) is Noisy]

    def result() -> Any:
        totals = [each.total if type(each) is Noisy else each for each in flat]
        return select(np.array(totals).reshape(np.shape(array)))

    return chosen("selection", noisy, result) if noisy else result()


def numbers(thing: Any) -> Any:
    """The thing with all noise in it read."""
    if type(thing) is Noisy:
        return thing.read()
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(numbers, thing))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(thing, np.ndarray) and thing.dtype == object:
        return np.array([plain(each) for each in thing.ravel().tolist()]).reshape(thing.shape)
    return thing


def as_objects(thing: Any) -> Any:
    """As NumPy's own array, of objects where there is noise in it."""
    if type(thing) is Noisy:
        made = np.empty((), dtype=object)
        made[()] = thing
        return made
    return np.asarray(thing).view(np.ndarray)


def wrapped(made: Any) -> Any:
    """An array that has noise in it as ours; any other as plain numbers."""
    if not isinstance(made, np.ndarray) or made.dtype != object:
        return made
    flat = made.ravel().tolist()
    if any(type(each) is Noisy for each in flat):
        return made.view(Draws) if made.shape else flat[0]
    return np.array(flat).reshape(made.shape)[()]


def universal(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc: linear ones keep the parts, comparisons read one bit, others act on each number."""
    out = options.pop("out", None)
    objects = [as_objects(each) for each in inputs]
    if any(ufunc is each for each in (*_LINEAR, *_COMPARED)):
        made = getattr(ufunc, method)(*objects, **options)
    elif any(ufunc is each for each in _EXTREME) and method == "reduce":
        made = selected(lambda array: ufunc.reduce(array, **options), inputs[0])
    elif method == "__call__" and ufunc.nout == 1:
        each = np.frompyfunc(lambda *parts: applied(ufunc, *parts), ufunc.nin, 1)
        made = each(*objects)
    else:
        made = getattr(ufunc, method)(*map(numbers, inputs), **options)
    if out is None:
        return made if type(made) is Noisy else wrapped(made)
    target = out[0]
    target[...] = made if target.dtype == object else numbers(as_objects(made))
    return target
