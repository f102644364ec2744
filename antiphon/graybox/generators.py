"""Random generators that draw from the noise tape, in place of those of NumPy, Python and
``coins``."""

import copy
import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from antiphon.graybox.noisy import Noisy, without_noise
from antiphon.graybox.noisy_arrays import draws, numbers
from antiphon.graybox.tape import RAW, Foreign, Tape, place
from antiphon.protocol import Coins, SampledCoins

_OTHERS: Final = {
    "gumbel": 1, "logistic": 1, "exponential": 0, "standard_exponential": 0, "standard_t": 1,
    "standard_cauchy": 0, "rayleigh": 0,
}  # fmt: skip
"""NumPy's noise laws whose privacy cost is unknown here, by name, each with 1 if the generator's
method takes the location first, else 0."""
_RENAMED: Final = {"randint": "integers", "tomaxint": "integers", "random_integers": "integers"}


def shape_of(size: Foreign) -> tuple[int, ...]:
    """NumPy's argument ``size`` (None, a number or several) as the shape of an array."""
    return () if size is None else tuple(np.atleast_1d(np.asarray(size, dtype=int)).tolist())


def additive(
    tape: Tape,
    law: str,
    size: Foreign,
    where: Foreign,
    scale: Foreign,
    sample: Callable[[Foreign, Foreign], Foreign],
) -> Foreign:
    """Noisy numbers, one or an array: the values ``where`` plus ``scale`` times draws of a ``law``
    from the tape."""
    where, scale = numbers(where), numbers(scale)
    shape = (
        np.broadcast_shapes(np.shape(where), np.shape(scale)) if size is None else shape_of(size)
    )
    wide: list[Foreign] = np.broadcast_to(np.asarray(scale), shape).ravel().tolist()
    drawn = tape.draw(law, shape, tuple(wide), lambda: sample(np.asarray(scale), shape or None))
    places: list[Foreign] = np.broadcast_to(np.asarray(where), shape).ravel().tolist()
    at, bare = place(), where is _NOWHERE
    made = [
        Noisy(tape, value, {atom.number: (atom, 1)}, at, bare=bare)
        for value, atom in zip(places, tape.atoms(drawn, wide), strict=True)
    ]
    return draws(made, shape) if shape else made[0]


_NOWHERE: Final = 0


class Taped:
    """A replacement of NumPy's generators, old and new, that draws from the tape."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def laplace(
        self, loc: Foreign = _NOWHERE, scale: Foreign = 1.0, size: Foreign = None
    ) -> Foreign:
        """Laplace noise around ``loc``, drawn from the tape."""
        return additive(self._tape, "laplace", size, loc, scale, self._sample("laplace"))

    def normal(
        self, loc: Foreign = _NOWHERE, scale: Foreign = 1.0, size: Foreign = None
    ) -> Foreign:
        """Normal noise around ``loc``, drawn from the tape."""
        return additive(self._tape, "gaussian", size, loc, scale, self._sample("normal"))

    def standard_normal(self, size: Foreign = None, *_: Foreign, **__: Foreign) -> Foreign:
        """Normal noise of scale 1, drawn from the tape."""
        return self.normal(size=size)

    def randn(self, *size: int) -> Foreign:
        """Normal noise of scale 1, drawn as by ``standard_normal``."""
        return self.normal(size=size or None)

    def uniform(self, low: Foreign = 0.0, high: Foreign = 1.0, size: Foreign = None) -> Foreign:
        """Uniform noise between ``low`` and ``high``, drawn from the tape."""
        width = high - low
        made = additive(self._tape, RAW, size, _NOWHERE, 1.0, self._unit)
        return made if width == 1 and low == 0 else made * width + low

    def random(self, size: Foreign = None, *_: Foreign, **__: Foreign) -> Foreign:
        """Uniform noise in [0, 1), drawn from the tape."""
        return additive(self._tape, RAW, size, _NOWHERE, 1.0, self._unit)

    random_sample = ranf = sample = random

    def rand(self, *size: int) -> Foreign:
        """Uniform noise in [0, 1), drawn as by ``random``."""
        return self.random(size or None)

    def choice(
        self,
        a: Foreign,
        size: Foreign = None,
        replace: bool = True,
        p: Foreign = None,
        **_: Foreign,
    ) -> Foreign:
        """A random choice from the tape; the cost of probabilities ``p`` that depend on data is
        counted."""
        if p is None or size is not None:
            return self._other("choice", (a, size, replace, p), {})
        weights = [float(each) for each in numbers(np.asarray(p)).tolist()]
        source = self._tape.source
        index = self._tape.choose(weights, lambda: int(source.choice(len(weights), p=weights)))
        told = self._tape.draw("options", (), (), lambda: a)
        if not np.array_equal(np.asarray(told.result), np.asarray(a)):
            self._tape.coin(place())
        return index if isinstance(a, (int, np.integer)) else a[index]

    def shuffle(self, x: Foreign, *_: Foreign) -> None:
        """Shuffle ``x`` in place by a random permutation from the tape."""
        order = self._other("permutation", (len(x),), {})
        x[:] = [x[index] for index in order]

    def seed(self, *seed: Foreign) -> None:
        """Record a finding: the audited code sets a seed, so each call has the same noise."""
        seeded(self._tape, seed[0] if seed else None)

    def _sample(self, name: str) -> Callable[[Foreign, Foreign], Foreign]:
        def sample(scale: Foreign, size: Foreign) -> Foreign:
            return getattr(self._tape.source, name)(0.0, scale, size)

        return sample

    def _unit(self, _: Foreign, size: Foreign) -> object:
        return self._tape.source.random(size)  # pyright: ignore[reportUnknownVariableType]

    def _other(self, name: str, args: tuple[Foreign, ...], options: dict[str, Foreign]) -> Foreign:
        """A draw from the tape that is not additive noise; results that depend on it are not
        judged."""
        args, options = numbers(args), {key: numbers(each) for key, each in options.items()}
        return any_draw(
            self._tape,
            name,
            (args, options),
            lambda: getattr(self._tape.source, name)(*args, **options),
        )

    def __getattr__(self, name: str) -> Foreign:
        name = _RENAMED.get(name, name)
        if name.startswith("_") or not hasattr(self._tape.source, name):
            raise AttributeError(name)
        draw = self._other_noise if name in _OTHERS else self._other

        def method(*args: Foreign, **options: Foreign) -> Foreign:
            return draw(name, args, options)

        return method

    def _other_noise(
        self, name: str, args: tuple[Foreign, ...], options: dict[str, Foreign]
    ) -> Foreign:
        """Additive noise from the tape, by a law whose privacy cost is unknown here."""
        rest = dict(options)
        size, given = rest.pop("size", None), list(args)
        where: Foreign = rest.pop("loc", given.pop(0) if given and _OTHERS[name] else _NOWHERE)
        scale: Foreign = rest.pop("scale", given.pop(0) if given else 1.0)
        size = given.pop(0) if given else size
        own: Callable[..., Foreign] = getattr(self._tape.source, name)

        def sample(scale: Foreign, size: Foreign) -> Foreign:
            standard = own(size=size)
            return standard * scale

        return additive(self._tape, name, size, where, scale, sample)


def any_draw(tape: Tape, name: str, parameters: Foreign, sample: Callable[[], Foreign]) -> Foreign:
    """A draw from the tape by the law ``name``; results that depend on it are not judged."""
    drawn = tape.draw(name, (), (), lambda: (parameters, sample()))
    tape.coin(place())
    told, value = drawn.result
    return copy.deepcopy(value) if repr(told) == repr(parameters) else sample()


def seeded(tape: Tape, seed: Foreign) -> None:
    """Record as a finding that the audited code seeds a generator."""
    if seed is not None and not isinstance(seed, (Taped, np.random.SeedSequence)):
        tape.seeded.setdefault(place(), "seed")


def python_methods(tape: Tape) -> dict[str, Callable[..., Foreign]]:
    """Replacements, which draw from the tape, of the basic methods of ``random.Random``: its other
    methods call these."""
    own = Taped(tape)

    def random(_: Foreign) -> Foreign:
        return own.random()

    def gauss(_: Foreign, mu: Foreign = _NOWHERE, sigma: Foreign = 1.0) -> Foreign:
        return own.normal(mu, sigma)

    def expovariate(_: Foreign, lambd: Foreign = 1.0) -> Foreign:
        return own.exponential(1 / lambd)

    def getrandbits(_: Foreign, k: int) -> int:
        def sample() -> int:
            return int.from_bytes(tape.source.bytes((k + 7) // 8), "big") >> -k % 8

        bits: int = any_draw(tape, "getrandbits", k, sample)
        return bits

    def uniform(_: Foreign, a: Foreign, b: Foreign) -> Foreign:
        return own.uniform(a, b)

    def choices(
        _: Foreign, population: Foreign, weights: Foreign = None, *, k: int = 1, **__: Foreign
    ) -> Foreign:
        if weights is None:
            return [population[i] for i in own.integers(len(population), size=k)]
        total = math.fsum(map(without_noise, weights))
        return [own.choice(population, p=[each / total for each in weights]) for _ in range(k)]

    def seed(_: Foreign, a: Foreign = None, *__: Foreign, **___: Foreign) -> None:
        seeded(tape, a)

    made = (random, gauss, uniform, expovariate, getrandbits, choices, seed)
    return {"normalvariate": gauss, **{each.__name__: each for each in made}}


def _array(drawn: Sequence[Noisy]) -> Foreign:
    return draws(list(drawn), (len(drawn),))


class TapedCoins(Coins):
    """A ``Coins`` object that draws from the tape."""

    __slots__ = ("_tape",)
    stacked = staticmethod(_array)

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def draw(self, kind: str, parameter: Foreign) -> Foreign:
        self.draws += 1
        tape = self._tape
        if kind in ("laplace", "gaussian", "discrete_laplace", "discrete_gaussian"):
            return additive(
                tape, kind, None, _NOWHERE, float(parameter), self._sample(kind, parameter)
            )
        if kind in ("discrete_laplaces", "discrete_gaussians"):
            return tuple(self._many(kind[:-1], *parameter))
        if kind == "categorical":
            total = sum(parameter)
            weights = [float(each / total) for each in parameter]
            return tape.choose(weights, lambda: self._own(kind, parameter))
        if kind in ("bernoulli", "bernoulli_exp"):
            p = float(parameter) if kind == "bernoulli" else math.exp(-float(parameter))
            heads = tape.choose([1 - p, p], lambda: int(self._own(kind, parameter)))
            tape.coin(place())
            return bool(heads)
        return any_draw(tape, kind, parameter, lambda: self._own(kind, parameter))

    def _many(self, kind: str, scale: Foreign, count: int) -> Sequence[Noisy]:
        sample = self._sample(kind, scale)

        def several(own: Foreign, shape: Foreign) -> Foreign:
            return [sample(own, None) for _ in range(count)]

        array: Foreign = additive(self._tape, kind, count, _NOWHERE, float(scale), several)
        noisy: list[Noisy] = array.tolist()
        return noisy

    def _sample(self, kind: str, parameter: Foreign) -> Callable[[Foreign, Foreign], Foreign]:
        return lambda scale, shape: self._own(kind, parameter)

    def _own(self, kind: str, parameter: Foreign) -> Foreign:
        word = int(self._tape.source.integers(2**62))
        return SampledCoins(np.random.SeedSequence(word)).draw(kind, parameter)
