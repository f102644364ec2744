"""Parts: a recipe of a mechanism with a claim -> the mechanism. The claims are true, or the

library is to notice: what is computed exactly here is stated as proved by its author.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon import Log, spaces
from antiphon.audit.exact.question import Question
from antiphon.audit.simulator_of_pairs import best_of, joined, pair_simulator
from antiphon.composition import Certified
from antiphon.composition.accounting import FinitePair
from antiphon.mechanisms import (
    AboveThreshold,
    DiscreteLaplace,
    ExponentialMechanism,
    ExposedResponse,
    KaryResponse,
    LeakyBit,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
    TreeCounter,
)
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import (
    BoundedRange,
    Dominated,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.measures import converted
from antiphon.selfcheck.specimens.choices import NoisyMaxValue, TruthfulLies
from antiphon.selfcheck.theorems.finite import FiniteResponse, Table, promised
from antiphon.verifiers import (
    AddOrRemove,
    AnyTwo,
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)
from antiphon.verifiers.models import EventLevel, EveryPair, NeighbouringStart, UserLevel

from . import users
from .prepared import Stepped, SteppedAnywhere
from .users import COUNT, stated

Recipe = dict[str, Any]
PARTS: dict[str, Callable[..., Any]] = {}
FUNCTIONS: dict[str, tuple[Any, Any]] = {
    "start": (neighbouring_start, NeighbouringStart), "event": (event_level, EventLevel),
    "user": (user_level, UserLevel), "every": (every_pair, EveryPair),
    "mixed": (None, None), "bounded": (None, None),
}  # fmt: skip
"""How one writes it, and what class it is."""
RELATIONS: dict[str, Callable[[], Any]] = {
    "any": AnyTwo, "within": Within, "half": lambda: Within(Fraction(1, 2)),
    "two": lambda: Within(2), "add": AddOrRemove, "up": users.Upwards, "empty": users.Nothing,
    "small": lambda: Within(users.Small(2)),
}  # fmt: skip


def part(make: Callable[..., Any]) -> Callable[..., Any]:
    PARTS[make.__name__.rstrip("_")] = make
    return make


def made(recipe: Recipe) -> Any:
    """The mechanism of a recipe."""
    return PARTS[recipe["kind"]](**{k: v for k, v in recipe.items() if k != "kind"})


def function(recipe: Recipe | None, meant: bool = False) -> Any:
    """The f of a recipe; or what is ``meant``: its class, given the relation."""
    if recipe is None:
        return None
    kind, relation = recipe["kind"], RELATIONS[recipe.get("relation", "any")]()
    if kind == "bounded":
        return bounded(function(recipe["f"], meant), recipe["pairs"])
    if kind == "mixed":
        return updates_and_queries(function(recipe["f"], meant), COUNT)
    given = (relation, *(recipe[name] for name in ("events", "monotone") if name in recipe))
    written, plain = FUNCTIONS[kind]
    names = ("relation", "events" if "events" in recipe else "monotone")
    if meant:
        return plain(**dict(zip(names, given, strict=False)))
    return written(relation, **dict(zip(names[1:], given[1:], strict=False)))


def tupled(value: Any) -> Any:
    """Lists of JSON as the tuples that they stand for."""
    return tuple(map(tupled, value)) if isinstance(value, list) else value


def measured(mechanism: Any, f: Recipe, rounds: int, measure: Any, queries: Any = None) -> Any:
    """The mechanism with a true claim: its tight ε, its tight δ at ε = ln q, its tight range.

    Or what one of them implies in another measure: "zcdp" of the tight ε, "br gdp" of the range.
    Or "pair": its own trade-off function.
    """
    meant, found = function(f, meant=True), None
    if measure == "pair":
        best = pair_simulator(mechanism, meant, rounds=rounds).pair
        both = best_of((best, joined([[(q, p) for p, q in best]])))
        found = Dominated(FinitePair(*zip(*both, strict=True)))
    elif isinstance(measure, str):
        asked = Question(mechanism, meant, queries, report=None)
        base, _, kind = measure.rpartition(" ")
        ranged = "br" in (base, kind)
        tight = asked.tight_range(rounds) if ranged else asked.tight_epsilon(0, rounds)
        if isinstance(tight, float):
            raise InvalidArgument(f"no {measure}")
        found = converted((BoundedRange if ranged else Pure)(tight), IMPLIED[kind])
        if found is None:
            raise InvalidArgument(f"no {measure}")
    else:
        at = None if measure is None else Log(Fraction(*measure))
        whole = promised(mechanism, meant, rounds, epsilon=at, queries=queries)
        found = whole.claims[0].measure
        found = found if found.delta else Pure(found.epsilon)
    return attrs.evolve(mechanism, claims=(stated(found, function(f)),))


IMPLIED: dict[str, Any] = {
    "br": BoundedRange, "zcdp": ZeroConcentrated, "gdp": GaussianDP, "rdp": Renyi,
}  # fmt: skip


# --- of the library -------------------------------------------------------------------------------


@part
def response(q: int, delta: list[int]) -> Any:
    return RandomizedResponse(epsilon=Log(q), delta=Fraction(*delta))


@part
def kary(q: int, values: int, lies: bool = False) -> Any:
    return (TruthfulLies if lies else KaryResponse)(epsilon=Log(q), values=values)


@part
def stepped(weights: Any, measure: Any, distances: list[list[int]], anywhere: bool) -> Any:
    """With true claims at these distances, or at every one."""
    kind = SteppedAnywhere if anywhere else Stepped
    return kind(tupled(weights), tupled(measure), tuple(Fraction(*each) for each in distances))


@part
def leaky(delta: list[int]) -> Any:
    return LeakyBit(delta=Fraction(*delta))


@part
def exposed(p: int, q: int) -> Any:
    return ExposedResponse(probability=Fraction(1, p), epsilon=Log(q))


@part
def choice(q: int, flips: bool) -> Any:
    return (PermuteAndFlip if flips else ExponentialMechanism)(epsilon=Log(q * q), candidates=2)


@part
def laplace(epsilon: int) -> Any:
    return DiscreteLaplace(epsilon=epsilon)


@part
def noisy_max(epsilon: int, value: bool = False) -> Any:
    return (NoisyMaxValue if value else ReportNoisyMax)(epsilon=epsilon, candidates=2)


@part
def tree(epsilon: int, horizon: int, events: int, largest: int, users: bool = False) -> Any:
    return TreeCounter(
        epsilon=epsilon, horizon=horizon, events=events, largest=largest, users=users
    )


@part
def less_noise(epsilon: int, parts: int) -> Any:
    return users.LessNoise(epsilon=epsilon, horizon=1, parts=parts)


@part
def sparse(epsilon: int, tops: int, monotone: bool) -> Any:
    if tops == 0:
        return AboveThreshold(epsilon=epsilon, monotone=monotone)
    return SparseVector(epsilon=epsilon, tops=tops, monotone=monotone)


# --- a user's own ---------------------------------------------------------------------------------


@part
def table(rows: Any, f: Recipe, rounds: int, measure: Any) -> Any:
    return measured(
        Table("own", tupled(rows)),
        {"kind": "bounded", "f": f, "pairs": rounds},
        rounds,
        measure,
    )


@part
def brief(rows: Any, f: Recipe, measure: Any) -> Any:
    return measured(users.Brief(tupled(rows)), f, 3, measure)


@part
def once(weights: Any, f: Recipe, measure: Any) -> Any:
    return measured(FiniteResponse(tupled(weights)), f, 2, measure)


@part
def survey(q: int) -> Any:
    """Records (user, bit), each answered by a randomized response."""
    records = spaces.Finite(((1, 0), (1, 1), (2, 0), (2, 1)))
    claims = (stated(Pure(Log(q)), event_level()),)

    @ap.mechanism(queries=records, answers=spaces.BITS, claims=claims)
    def survey(state: Any, record: Any, coins: Any) -> Any:
        return state, record[1] ^ coins.bernoulli(Fraction(1, 1 + q))

    return survey


@part
def counter(noise: Any, horizon: int, largest: int, f: Recipe, measure: Any) -> Any:
    own = users.OwnCounter(epsilon=1, horizon=horizon, largest=largest, noise=tupled(noise))
    return measured(own, f, 2 * horizon, measure)


@part
def own_sparse(look: str, chances: Any, questions: int, f: Recipe, measure: Any) -> Any:
    own = users.OwnSparse(epsilon=1, look=look, chances=tupled(chances), questions=questions)
    return measured(own, f, questions, measure, queries=range(-2, 3))


@part
def lie(which: str, look: int = 1) -> Any:
    """(10^9, 1)-responses, of ε about 21, under a number that lies about that."""
    epsilon = {"like": lambda: Pure(users.Like(50)), "shifty": lambda: users.Shifty(look)}
    claim = stated(epsilon[which](), neighbouring_start())
    return FiniteResponse(((10**9, 1), (1, 10**9)), (claim,))


@part
def edge(numerator: int) -> Any:
    """A response under the float n/10 as the rational that it is, its ratio e^ε, rounded down."""
    from antiphon.numbers.exact import exp_bracket

    epsilon, bits = Fraction(numerator / 10), 80
    weights = (1 << bits, exp_bracket(epsilon, bits)[1])
    return FiniteResponse((weights, weights[::-1]), (stated(Pure(epsilon), neighbouring_start()),))


@part
def adapter(of: Recipe) -> Any:
    """The game of a mechanism, V[f] ∘* I ∘* M, as a continual mechanism."""
    mechanism = made(of)
    game = ap.PrivacyGame(mechanism, mechanism.claims[0].verification)
    return ap.InteractiveAsContinual(game.interactive)


@part
def started(rows: Any, relation: str) -> Any:
    """An interactive mechanism with several initial states, as a continual one."""
    rows = tupled(rows)
    near = RELATIONS[relation]()
    ratios = [
        Fraction(a, sum(rows[i])) / Fraction(b, sum(rows[j]))
        for i in range(len(rows)) for j in range(len(rows)) if near.holds(i, j) or near.holds(j, i)
        for a, b in zip(rows[i], rows[j], strict=True)
    ]  # fmt: skip
    worst = max((max(r, 1 / r) for r in ratios), default=Fraction(1))
    claim = stated(Pure(Log(worst**2)), bounded(neighbouring_start(near), 3))  # asked twice at most
    return ap.InteractiveAsContinual(users.OwnStart(rows, (claim,)))


@part
def nested(system: Recipe) -> Any:
    """A system with what is derived of it as its claim. What is created in it is to be honest."""
    from .builder import built, messages

    case = built(system)
    whole = Certified(case.system, case.verification, truth="this recipe")
    NESTED.append((whole, messages(case.system, case.catalogue or ())))
    return whole


NESTED: list[tuple[Any, tuple[Any, ...]]] = []
"""What may be said to the nested systems that were built last."""


# --- twists ---------------------------------------------------------------------------------------

_METHODS: dict[type, tuple[str, Callable[..., Any]]] = {
    RandomizedResponse: ("respond", lambda self, dataset, coins: (dataset, ap.BOTTOM)),
    KaryResponse: ("respond", lambda self, dataset, coins: dataset),
    DiscreteLaplace: ("respond", lambda self, dataset, coins: dataset),
    ReportNoisyMax: ("respond", lambda self, dataset, coins: int(dataset[1] > dataset[0])),
    LeakyBit: ("step", lambda self, state, message, coins: (state, message)),
    TreeCounter: ("_noise", lambda self, coins: 0),
    SparseVector: (
        "step", lambda self, state, message, coins: (state, ap.TOP if message > 0 else ap.BOTTOM)
    ),
}  # fmt: skip
_BEHIND = {TreeCounter: users.NoNoise, AboveThreshold: users.Doubled}


@part
def twist(of: Recipe, how: str) -> Any:
    """A library's mechanism whose class, or object, was changed while its claim was kept."""
    plain = made(of)
    kind = type(plain)
    base = next((each for each in kind.__mro__ if each in _METHODS), None)
    if base is None:
        raise InvalidArgument("this part is not twisted")
    name, method = _METHODS[base]
    mixin = type("Mixin", (), {name: method})
    behind = _BEHIND.get(kind, users.Tells)
    classes: dict[str, Any] = {
        "override": ((kind,), {name: method}),
        "before": ((mixin, kind), {}),
        "behind": ((kind, behind), {}),
        "instance": ((kind,), {}),
        "thawed": ((kind,), {"__setattr__": object.__setattr__}),
        "looks": ((kind,), {"__getattribute__": _looking(name, method)}),
        "bare": ((kind,), {"__doc__": "nothing is new"}),
    }
    bases, names = classes[how]
    given = {f.alias: getattr(plain, f.name) for f in attrs.fields(kind) if f.init}
    try:
        twisted = type("Twisted", bases, names)(**given)
    except TypeError:
        raise InvalidArgument("there is no such class") from None
    if how == "instance":
        object.__setattr__(twisted, name, method.__get__(twisted))
    if how == "thawed":
        setattr(twisted, name, method.__get__(twisted))
    return twisted


def _looking(name: str, method: Any) -> Any:
    def looked(self: Any, asked: str) -> Any:
        return method.__get__(self) if asked == name else object.__getattribute__(self, asked)

    return looked
