"""Systems: a recipe, a small JSON value -> a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ComplexMechanism,
    ConcentratedFilter,
    GaussianFilter,
    NaturalFilter,
    RenyiFilter,
    ResidueFilter,
    RogersFilter,
    WhitehouseFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import dominating_pair
from antiphon.composition.concurrent import Concurrent
from antiphon.mechanisms import (
    ContinualHistogram,
    HistogramMonitor,
    KthLargest,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.preprocessing import ImputedSum, Preprocessed
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    GaussianDP,
    IdentityPostProcessor,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.chain import Links, chain
from antiphon.protocol.measures import converted
from antiphon.selfcheck.theorems.complex_mechanisms import (
    REQUESTS,
    EachBit,
    Leak,
    OnRequest,
    Router,
)
from antiphon.verifiers import bounded, event_level, updates_and_queries
from antiphon.verifiers.models import Bounded, UpdatesAndQueries

from . import users
from .case import Case
from .parts import NESTED, Recipe, function, made, tupled
from .prepared import Mapped

SYSTEMS: dict[str, Callable[..., Case]] = {}
LARGEST, SMALLEST = KthLargest(1), KthLargest(2)
ALPHABET: tuple[Any, ...] = (
    0, 1, 2, -1, "x", "count", ap.Pair(0, 1), ap.same(0), (0,), (1,), (0, 0), (0, 1), (1, 0),
    (1, 1), (LARGEST, 1), (LARGEST, 0), (SMALLEST, 0), (SMALLEST, 1),
)  # fmt: skip
"""What is tried where a query space is infinite, as far as it belongs to it."""
_MOST = 12
_CHILDREN = 2


def system(make: Callable[..., Case]) -> Callable[..., Case]:
    SYSTEMS[make.__name__.rstrip("_")] = make
    return make


def built(recipe: Recipe) -> Case:
    """The case of a recipe."""
    return SYSTEMS[recipe["kind"]](**{k: v for k, v in recipe.items() if k != "kind"})


def messages(mechanism: Any, catalogue: Iterable[Any] = ()) -> tuple[Any, ...]:
    """What an adversary is to try."""
    if isinstance(mechanism, Concurrent):
        plain = to_parts((*catalogue, *getattr(mechanism, "created", ())))
        asks = [ap.Ask(query, index) for query in plain for index in range(_CHILDREN)]
        return (*catalogue, *asks)
    known = [said for whole, said in NESTED if whole is mechanism]
    if known:
        return known[0]
    space = mechanism.signature.queries
    if space.finite:
        return tuple(space.enumerate())[:_MOST]
    return tuple(filter(space.contains, ALPHABET))[:_MOST]


def to_parts(creations: Iterable[Any]) -> tuple[Any, ...]:
    """What is to be tried on each of the mechanisms of a composition that takes it."""
    return tuple(dict.fromkeys(q for each in creations for q in messages(each.mechanism)))


def case(mechanism: Any, f: Any = None, rounds: int = 2, **more: Any) -> Case:
    plain = isinstance(mechanism, Concurrent) and not more.get("base")
    said = to_parts(mechanism.created) if plain else messages(mechanism)
    return Case(mechanism, f, rounds, queries=said, **more)


@system
def alone(part: Recipe, f: Recipe | None, rounds: int, base: int | None = None) -> Case:
    """One mechanism, under its own f or another."""
    return case(made(part), function(f), rounds, base=base)


@system
def preprocessed(part: Recipe, before: Recipe, base: int | None = None) -> Case:
    """A mechanism behind a preprocessing, on every dataset of it."""
    kinds = {"mapped": mapped, "imputed": ImputedSum}
    pi = kinds[before["kind"]](**{k: v for k, v in before.items() if k != "kind"})
    whole = Preprocessed(made(part), pi)
    said = tuple(pi.datasets.enumerate())
    return Case(whole, None, 1, queries=said, base=base, granted=before["kind"] == "mapped")


def mapped(size: int, tables: Any, statistic: str, slack: list[int], says_all: bool) -> Mapped:
    return Mapped(size, tupled(tables), statistic, Fraction(*slack), says_all)


@system
def concomp(
    parts: list[Recipe], rounds: int, base: int | None = None, events: int | None = None
) -> Case:
    """``events``: so many pairs differ over all parts together."""
    f = None if events is None else event_level(events=events)
    return case(ap.ConComp(map(made, parts)), f, rounds, base=base)


_PARAMETERS: dict[str, Any] = {
    "fixed": fixed_mechanisms,
    "parameters": lambda made: fixed_parameters([each.parameters for each in made]),
    "sparse": lambda made: sparse_parallel([each.parameters for each in made]),
    "one": lambda made: sparse_parallel([made[0].parameters]),
    "consistent": lambda made: sparse_parallel(
        [each.parameters for each in made], first_pair_consistent=True
    ),
    "unit": lambda made: fixed_parameters([(1, 0)]),
    "adaptive": lambda made: adaptive_parameters(),
    "event": lambda made: event_level(),
}


@system
def ext(
    f: str, parts: list[Recipe], rounds: int, bound: int | None, most: int, base: int | None = None
) -> Case:
    """ExtConComp with mechanisms or parameters that are fixed in advance."""
    creations = tuple(map(ap.Create, map(made, parts)))
    inside = _PARAMETERS[f](creations)
    asked = inside if bound is None else bounded(inside, bound)
    return _extended(ap.ExtConComp(), asked, creations, rounds, most, base)


_KINDS: dict[str, Any] = {
    "rho": ZeroConcentrated,
    "mu": GaussianDP,
    "range": BoundedRange,
    "curve": Renyi,
    "pair": Dominated,
}


def _asserting(kind: str, mechanism: Any) -> Any:
    """A creation that asserts what a mechanism claims in a measure, or its first claim implies."""
    if not mechanism.claims:
        raise ap.InvalidArgument("it claims nothing")
    stated = [each for each in mechanism.claims if type(each.measure) is _KINDS[kind]]
    if stated:
        return ap.Create(mechanism, stated[0])
    own = mechanism.claims[0]
    pair = dominating_pair(own.measure) if kind == "pair" else None
    measure = Dominated(pair) if pair else converted(own.measure, _KINDS[kind])
    if measure is None:
        raise ap.InvalidArgument(f"nothing of {kind} is implied")
    claim = attrs.evolve(own, measure=measure)
    if kind in ("curve", "pair"):  # another curve follows from none
        mechanism = users.Curved(mechanism, (claim,))
    return ap.Create(mechanism, claim)


@system
def measured(
    measure: str, f: str, parts: list[Recipe], rounds: int, bound: int | None, most: int
) -> Case:
    """ExtConComp with a purse of another measure."""
    creations = tuple(_asserting(measure, made(each)) for each in parts)
    purse = [each.claim.measure for each in creations]
    inside = {
        "fixed": lambda: fixed_mechanisms(creations),
        "parameters": lambda: fixed_parameters(purse),
        "sparse": lambda: sparse_parallel(purse),
        "one": lambda: sparse_parallel(purse[:1]),
        "consistent": lambda: sparse_parallel(purse, first_pair_consistent=True),
    }[f]()
    asked = inside if bound is None else bounded(inside, bound)
    return _extended(ap.ExtConComp(), asked, creations, rounds, most, None)


def _extended(
    composition: Any, f: Any, creations: Any, rounds: int, most: int, base: int | None
) -> Case:
    said = messages(composition, creations)
    if not base:  # else the engine is to list what may be said by itself
        said = to_parts(creations)
    narrowed = {"catalogue": creations, "max_creations": most}
    return Case(composition, f, rounds, narrowed, said, creations, most, base)


_FILTERS: dict[str, Callable[[Any, Any], Any]] = {
    "basic": lambda q, d: BasicFilter(epsilon=Log(q), delta=d),
    "concentrated": lambda q, d: ConcentratedFilter(rho=Fraction(q, 4), delta=d),
    "whitehouse": lambda q, d: WhitehouseFilter(epsilon=Log(q), delta=d or Fraction(1, 9)),
    "renyi": lambda q, d: RenyiFilter(order=q, budget=Fraction(q, 4), delta=d),
    "gaussian": lambda q, d: GaussianFilter(mu=Fraction(q, 4), delta=d),
    "residue": lambda q, d: ResidueFilter(mu=Fraction(q, 3), delta=d),
    "natural": lambda q, d: _natural(Approximate(Log(3), d), q),
    "natural of Gaussians": lambda q, _: _natural(GaussianDP(1), q),
    "rogers": lambda q, d: RogersFilter(epsilon=Log(q), delta=d or Fraction(1, 9)),
}


def _natural(claim: Any, q: int) -> NaturalFilter:
    return NaturalFilter(epsilon=Log(q), delta=Fraction(1, 4), claim=claim)


@system
def filtered(
    budget: str, q: int, delta: list[int], parts: list[Recipe], rounds: int, most: int = 2
) -> Case:
    """ExtConComp whose adversary chooses all parameters, within a filter."""
    made_parts = map(made, parts)
    if budget == "natural of Gaussians":
        creations = tuple(_asserting("mu", each) for each in made_parts)
    else:
        creations = tuple(map(ap.Create, made_parts))
    composition = ap.ExtConComp(budget=_FILTERS[budget](q, Fraction(*delta)))
    return _extended(composition, None, creations, rounds, most, None)


@system
def declared(part: Recipe, rounds: int) -> Case:
    """A complex mechanism whose P says between which f it has the properties; and it has them."""
    whole = ComplexMechanism(users.Declares(ap.Create(made(part))))
    return Case(whole, None, rounds, queries=(0, 1), granted=True)


@system
def wide(inside: Recipe, times: int) -> Case:
    """A system that is asked about as many times as many differing pairs as it promises for."""
    whole = built(inside)
    own = ap.guarantee(whole.system, whole.verification, **whole.narrowed).verification
    return attrs.evolve(whole, verification=widened(own, times))


def widened(f: Any, times: int) -> Any:
    """An f with as many times as many differing pairs."""
    if isinstance(f, Bounded):
        return attrs.evolve(f, verification=widened(f.verification, times))
    if isinstance(f, UpdatesAndQueries):
        return attrs.evolve(f, updates=widened(f.updates, times))
    if getattr(f, "events", None) is None:
        raise ap.InvalidArgument("it counts no events")
    return attrs.evolve(f, events=f.events * times)


@system
def live(inside: Recipe, said: list[int]) -> Case:
    """A session that is played for a while: its totals hold however it goes on."""
    return attrs.evolve(built(inside), live=tuple(said))


@system
def routed(steady: Recipe, extra: Recipe, leak: str | None, f: Recipe, rounds: int) -> Case:
    """Mechanisms that are created as the answers of another have it."""
    first, second = ap.Create(made(steady)), ap.Create(made(extra))
    router = Router(first, second, None if leak is None else Leak[leak])
    inner = sparse_parallel([first.parameters, second.parameters])
    return case(ComplexMechanism(router), function(f), rounds, narrowed={"inner": inner})


@system
def each_bit(part: Recipe, f: Recipe, rounds: int) -> Case:
    kind = ap.Create(made(part))
    inner = sparse_parallel([kind.parameters], first_pair_consistent=True)
    return case(ComplexMechanism(EachBit(kind)), function(f), rounds, narrowed={"inner": inner})


@system
def on_request(part: Recipe, leak: str | None, inner: str, f: Recipe, rounds: int) -> Case:
    """A public query decides whether a mechanism is created and asked: in f-valid runs only."""
    kind = ap.Create(made(part))
    processor = OnRequest(kind, None if leak is None else Leak[leak])
    asked = bounded(updates_and_queries(function(f), REQUESTS), rounds)
    narrowed = {"inner": _PARAMETERS[inner]([kind])}
    return case(ComplexMechanism(processor), asked, rounds, narrowed=narrowed)


@system
def programmed(program: Any, parts: list[Recipe], inner: str, f: Recipe, rounds: int) -> Case:
    """A complex mechanism with a random finite P."""
    creations = tuple(map(ap.Create, map(made, parts)))
    machine = users.Machine(tupled(program), creations)
    narrowed = {"inner": _PARAMETERS[inner](creations)}
    return case(ComplexMechanism(machine), function(f), rounds, narrowed=narrowed)


@system
def histogram(counter: Recipe, dimension: int, rounds: int, base: int | None = None) -> Case:
    return case(
        ContinualHistogram(counter=made(counter), dimension=dimension), None, rounds, base=base
    )


@system
def monitor(mechanism: Recipe, dimension: int, rounds: int, base: int | None = None) -> Case:
    queries = (LARGEST, SMALLEST)[:dimension]
    monitoring = HistogramMonitor(mechanism=made(mechanism), queries=queries, dimension=dimension)
    whole = case(ComplexMechanism(monitoring), None, rounds, base=base)
    return attrs.evolve(whole, queries=tuple(m for m in whole.queries or () if m != (1,) * 2))


@system
def unbounded(counter: Recipe, rounds: int, base: int | None = None) -> Case:
    return case(UnboundedCounter(counter=made(counter)), None, rounds, base=base)


@system
def poisoned(rounds: int, base: int) -> Case:
    """An honest counter, after one that is equal to it was used."""
    users.forget_epochs()
    for number in range(2):
        UnboundedCounter(counter=users.Equal(horizon=1, epsilon=1)).epoch(number)
    honest = UnboundedCounter(counter=TreeCounter(horizon=1, epsilon=1))
    return case(honest, None, rounds, base=base)


_LINKS: dict[str, Any] = {
    "identity": IdentityPostProcessor(),
    "own": users.OwnLink(),
    "tells": users.OwnLink(True),
}


def _link(name: Any) -> Any:
    return Links(tuple(map(_link, name))) if isinstance(name, list) else _LINKS[name]


@system
def chained(links: list[Any], inside: Recipe) -> Case:
    """Links, nested or not, that say they touch answers only."""
    whole = built(inside)
    return attrs.evolve(whole, system=chain(tuple(map(_link, links)), whole.system))
