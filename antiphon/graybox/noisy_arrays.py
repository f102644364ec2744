"""NumPy arrays of noisy numbers (value + Σ coefficient · draw)."""

from collections.abc import Callable, Sequence
from functools import partial, partialmethod
from typing import Final

import numpy as np

from antiphon.graybox.noisy import Noisy, applied, chosen, kind_of, without_noise
from antiphon.graybox.tape import Foreign

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
"""The NumPy functions whose results keep the noise terms; other functions get plain numbers."""
_SELECTING: Final = (np.argmax, np.argmin, np.argsort)


def _indices(array: Foreign, method: str, *args: Foreign, **options: Foreign) -> Foreign:
    """The result of an array method such as ``argmax`` that returns indices: the tape records the
    indices only, and not the numbers."""
    return selected(lambda numbers: getattr(numbers, method)(*args, **options), array)


def _plain(array: Foreign, method: str, *args: Foreign, **options: Foreign) -> Foreign:
    """The result of an array method such as ``round`` that needs plain numbers: noisy ones are read
    first."""
    return getattr(numbers(array), method)(*args, **options)


class Draws(np.ndarray[Foreign, Foreign]):
    """A NumPy array of ``Noisy`` numbers."""

    def __array_ufunc__(
        self, ufunc: Foreign, method: str, *inputs: Foreign, **options: Foreign
    ) -> Foreign:
        return universal(ufunc, method, inputs, options)

    def __array_function__(
        self, func: Foreign, types: Foreign, args: Foreign, kwargs: Foreign
    ) -> Foreign:
        if any(func is each for each in _KEPT):
            return super().__array_function__(func, types, args, kwargs)
        if any(func is each for each in _SELECTING):
            return selected(lambda numbers: func(numbers, *args[1:], **kwargs), args[0])
        return func(*map(numbers, args), **{key: numbers(each) for key, each in kwargs.items()})


for _name in ("argmax", "argmin", "argsort"):
    setattr(Draws, _name, partialmethod(_indices, _name))
for _name in ("astype", "round"):
    setattr(Draws, _name, partialmethod(_plain, _name))


def draws(noisy: Sequence[Noisy], shape: tuple[int, ...]) -> Draws:
    """An array of these noisy numbers, in this shape."""
    made = np.empty(len(noisy), dtype=object)
    for place, each in enumerate(noisy):
        made[place] = each
    return made.reshape(shape).view(Draws)


def selected(select: Callable[[Foreign], Foreign], array: Foreign) -> Foreign:
    """The result of a selection from an array, such as the index of the largest number; the tape
    records it as one reading of all numbers."""
    flat = as_objects(array).ravel().tolist()
    noisy = [each for each in flat if type(each) is Noisy]

    def result() -> Foreign:
        totals = [each.total if type(each) is Noisy else each for each in flat]
        return select(np.array(totals).reshape(np.shape(array)))

    return chosen("selection", noisy, result) if noisy else result()


def numbers(thing: Foreign) -> Foreign:
    """The object with its noisy numbers read: a plain number in place of each of them."""
    kind = kind_of(thing)
    if kind is Noisy:
        return thing.read()
    if kind is list or kind is tuple:
        return kind(map(numbers, thing))  # pyright: ignore[reportUnknownVariableType]
    if issubclass(kind, np.ndarray) and thing.dtype == object:
        return np.array([without_noise(each) for each in thing.ravel().tolist()]).reshape(
            thing.shape
        )
    return thing


def as_objects(thing: Foreign) -> Foreign:
    """The value as a plain NumPy array, with entries of type object if some are noisy numbers."""
    if type(thing) is Noisy:
        made = np.empty((), dtype=object)
        made[()] = thing
        return made
    return np.asarray(thing).view(np.ndarray)


def wrapped(made: Foreign) -> Foreign:
    """The array that a NumPy function made, as the audited code gets it: ``Draws`` if it has noisy
    numbers, else plain numbers."""
    if type(made) is not np.ndarray or made.dtype != object:
        return made  # pyright: ignore[reportUnknownVariableType]
    array: Foreign = made
    flat: list[object] = array.ravel().tolist()
    if any(type(each) is Noisy for each in flat):
        return array.view(Draws) if array.shape else flat[0]
    return np.array(flat).reshape(array.shape)[()]


def universal(
    ufunc: Foreign, method: str, inputs: Sequence[Foreign], options: dict[str, Foreign]
) -> Foreign:
    """The result of a NumPy ufunc on noisy arrays: linear functions keep the noise terms,
    comparisons read one bit, and others act on each number."""
    out = options.pop("out", None)
    made = _made(ufunc, method, inputs, options)
    if out is None:
        return made if type(made) is Noisy else wrapped(made)
    target: Foreign = out[0]
    target[...] = made if target.dtype == object else numbers(as_objects(made))
    return target


def _made(
    ufunc: Foreign, method: str, inputs: Sequence[Foreign], options: dict[str, Foreign]
) -> Foreign:
    objects = [as_objects(each) for each in inputs]
    if any(ufunc is each for each in (*_LINEAR, *_COMPARED)):
        return getattr(ufunc, method)(*objects, **options)
    if any(ufunc is each for each in _EXTREME) and method == "reduce":
        return selected(lambda array: ufunc.reduce(array, **options), inputs[0])
    if method == "__call__" and ufunc.nout == 1:
        each: Callable[..., Foreign] = partial(applied, ufunc)
        return np.frompyfunc(each, ufunc.nin, 1)(*objects)  # pyright: ignore[reportUnknownVariableType]
    return getattr(ufunc, method)(*map(numbers, inputs), **options)


def _of_one(
    self: Noisy, ufunc: Foreign, method: str, *inputs: Foreign, **options: Foreign
) -> Foreign:
    return universal(ufunc, method, inputs, options)


setattr(Noisy, "__array_ufunc__", _of_one)  # noqa: B010 - the class knows nothing of arrays
