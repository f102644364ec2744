"""Recipes: random systems as small JSON values, from a seed; and a smaller one that still fails.

Two languages that do not mix: *finite* systems, and systems of Laplace noise that is *read* in
base two. Everything else is composition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from .builder import SYSTEMS
from .ends import near_ends
from .parts import FUNCTIONS, PARTS

Recipe = dict[str, Any]
TWISTS = ("override", "before", "behind", "instance", "thawed", "looks", "bare")


class Grower:
    """Grows recipes from random choices."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def weights(self, count: int, least: int = 1) -> list[int]:
        return [self.random.randint(least, 4) for _ in range(count)]

    def grow(self) -> Recipe:
        """A system."""
        if self.chance(6):
            return near_ends(self.one)
        return self.read() if self.chance(30) else self.finite()

    # --- verification functions -------------------------------------------------------------

    def relation(self) -> str:
        return self.one("any", "any", "within", "within", "up", "add", "half", "two", "empty")

    def level(self) -> Recipe:
        """An f on numbers."""
        if self.chance(25):
            return {"kind": "start", "relation": self.relation()}
        if self.chance(20):
            return {"kind": "every", "relation": self.relation(), "monotone": self.chance(50)}
        return {"kind": "event", "relation": self.relation(), "events": self.one(1, 1, 2)}

    def bits(self, pairs: int) -> Recipe:
        """An f on bits, with at most so many of them."""
        return {"kind": "bounded", "f": self.event(), "pairs": pairs}

    def event(self) -> Recipe:
        return {"kind": "event", "relation": "any", "events": self.one(1, 1, 1, 2)}

    def requests(self, pairs: int) -> Recipe:
        """An f on bits and public queries, of which P may make its destination depend."""
        f = self.event()
        f = f if self.chance(20) else {"kind": "mixed", "f": f}
        return {"kind": "bounded", "f": f, "pairs": pairs}

    def of_counts(self) -> Recipe:
        """An f on updates and queries of a counter."""
        f = self.level()
        return f if self.chance(20) else {"kind": "mixed", "f": f}

    def another(self, part: Recipe) -> Recipe | None:
        """Another f than a part's own, to ask about it; most often none, or one like it."""
        own = part.get("f")
        if self.chance(50):
            return None
        f = dict(own) if own and "events" in own and self.chance(70) else self.level()
        if self.chance(60):
            f["relation"] = self.one("any", "within", "two", "small", "small", "up")
        if "events" in f and self.chance(60):
            f["events"] += self.one(1, 1, 2)
        if "rounds" not in part and self.chance(40):
            return f
        return {"kind": "bounded", "f": f, "pairs": part.get("rounds", self.one(1, 2, 3))}

    # --- finite systems ---------------------------------------------------------------------

    def measure(self) -> Any:
        if self.chance(35):
            return self.one("zcdp", "gdp", "rdp", "br", "br zcdp", "br gdp", "br rdp", "pair")
        return self.one(None, None, [1, 1], [3, 2], [2, 1])

    def table(self, sides: int = 2) -> Recipe:
        rows = [[self.weights(4) for _ in range(sides)] for _ in range(2)]
        f = {"kind": "event", "relation": "any", "events": self.one(1, 1, 1, 2)}
        return {"kind": "table", "rows": rows, "f": self.one(f, f, self.level()),
                "rounds": self.one(1, 2), "measure": self.measure()}  # fmt: skip

    def once(self) -> Recipe:
        sides = self.one(2, 3)
        weights = [self.weights(self.one(2, 3)) for _ in range(sides)]
        weights = [
            each[: len(weights[0])] + [1] * (len(weights[0]) - len(each)) for each in weights
        ]
        return {"kind": "once", "weights": weights, "f": self.level(), "measure": self.measure()}

    def counter(self) -> Recipe:
        noise = self.one([], [], [1, 2, 1], [1])
        horizon = self.one(1, 1, 1, 2)
        return {"kind": "counter", "noise": noise, "horizon": horizon,
                "largest": self.one(1, 2, 3) if horizon == 1 else 1, "f": self.of_counts(),
                "measure": None if not noise else self.one([1, 1], [2, 1])}  # fmt: skip

    def own_sparse(self) -> Recipe:
        f = {"kind": "every", "relation": self.one("within", "within", "half"),
             "monotone": self.chance(60)}  # fmt: skip
        if self.chance(25):
            f = {"kind": "bounded", "f": f, "pairs": 1}
        chances = sorted(self.one([1, 2, 3], [0, 2, 4], [1, 1, 3], [2, 2, 2], [1, 2, 2, 3, 3]))
        return {"kind": "own_sparse", "look": self.one("last", "difference"), "chances": chances,
                "questions": 2, "f": f, "measure": self.one(None, None, [2, 1])}  # fmt: skip

    # --- preprocessing, and claims by distance ------------------------------------------------

    def stepped(self, images: int, behind: bool = True) -> Recipe:
        """Rows of weights that change little from number to number, or as they like.

        Behind a preprocessing the weak triangle inequality is left out, which takes many seconds a
        figure: claims are by distance only, or with a δ that it has no use for.
        """
        row, near = self.weights(self.one(2, 3)), self.chance(70)
        rows = [row]
        for _ in range(images - 1):
            step = [max(1, each + self.one(-1, 0, 0, 1)) for each in rows[-1]]
            rows.append(step if near else self.weights(len(row)))
        distances = [[1, 1], [self.one(1, 2, 3), 1], [self.one(1, 3, 5), 2]][: self.one(1, 2, 3)]
        anywhere = self.chance(60)
        if behind and anywhere:
            distances = []
        measure = self.one(None, None, "zcdp", "gdp", "rdp", [1, 1], [3, 2])
        measure = [1, 1] if behind and not anywhere else measure
        return {"kind": "stepped", "weights": rows, "measure": measure, "distances": distances,
                "anywhere": anywhere}  # fmt: skip

    def at_a_distance(self) -> Recipe:
        relation = self.one("within", "two", "two", "half")
        return {"kind": "alone", "part": self.stepped(self.one(2, 3, 4), False),
                "f": {"kind": "start", "relation": relation}, "rounds": 1}  # fmt: skip

    def preprocessed(self) -> Recipe:
        if self.chance(35):
            size, high = self.one(2, 3), self.one(1, 2)
            before = {"kind": "imputed", "size": size, "missing": self.one(0, 1), "high": high}
            return {"kind": "preprocessed", "before": before, "part": self.stepped(size * high + 1)}
        size, values, most = self.one(1, 2, 3), self.one(2, 3), self.one(1, 2)
        tables = [[self.random.randint(0, most) for _ in range(values)]
                  for _ in range(self.one(1, 2, 3))]  # fmt: skip
        before = {"kind": "mapped", "size": size, "tables": tables,
                  "statistic": self.one("sum", "max", "first"),
                  "slack": self.one([0, 1], [0, 1], [1, 2], [1, 1]),
                  "says_all": self.chance(30)}  # fmt: skip
        part = self.stepped(size * max(map(max, tables)) + 1)
        return {"kind": "preprocessed", "before": before, "part": part}

    def plain(self) -> Recipe:
        """A part of the library that can be enumerated."""
        return self.one(
            {"kind": "response", "q": self.one(1, 2, 3), "delta": self.one([0, 1], [1, 10])},
            {"kind": "response", "q": self.one(1, 2, 3), "delta": [0, 1]},
            {"kind": "kary", "q": self.one(1, 3), "values": self.one(2, 3)},
            {"kind": "leaky", "delta": self.one([1, 5], [1, 2], [0, 1])},
            {"kind": "choice", "q": self.one(2, 3), "flips": self.chance(50)},
        )

    def part(self, depth: int = 1) -> Recipe:
        roll = self.random.randrange(100)
        if roll < 26:
            return self.plain()
        if roll < 50:
            return self.table()
        if roll < 66:
            return self.once()
        if roll < 74:
            return {"kind": "twist", "of": self.plain(), "how": self.one(*TWISTS)}
        if roll < 78:
            return {"kind": "kary", "q": 3, "values": self.one(2, 3), "lies": True}
        if roll < 80:
            return {"kind": "survey", "q": self.one(2, 3)}
        if roll < 87:
            return {
                "kind": "lie",
                "which": self.one("like", "shifty"),
                "look": self.one(1, 2, 3, 4),
            }
        if roll < 90:
            return {"kind": "edge", "numerator": self.one(1, 2, 3, 7)}
        if roll < 94:
            return {"kind": "adapter", "of": self.plain()}
        if roll < 96:
            rows = [self.weights(2) for _ in range(self.one(2, 3))]
            return {"kind": "started", "rows": rows, "relation": self.one("any", "within", "up")}
        return {"kind": "nested", "system": self.inner()} if depth else self.table()

    def inner(self) -> Recipe:
        """A system to be one part of another, of which all is true."""
        parts = [self.one(self.table(), self.once(), self.plain()) for _ in range(self.one(1, 2))]
        if self.chance(40):
            return {"kind": "concomp", "parts": parts, "rounds": 2}
        f = self.one("fixed", "parameters", "sparse", "one", "consistent")
        return {"kind": "ext", "f": f, "parts": parts, "rounds": 2, "bound": None, "most": 2}

    def parts(self, depth: int = 1) -> list[Recipe]:
        return [self.part(depth) for _ in range(self.one(1, 2, 2))]

    def alone(self, depth: int = 1) -> Recipe:
        part = {"kind": "survey", "q": 2} if self.chance(10) else self.part(depth)
        f = self.another(part)
        if part["kind"] == "survey":
            f = self.one(None, {"kind": "user", "relation": "any", "events": self.one(1, 2, 3)})
        return {"kind": "alone", "part": part, "f": f, "rounds": self.one(1, 2, 3)}

    def finite(self, depth: int = 1) -> Recipe:
        rules: list[Callable[[], Recipe]] = [
            lambda: self.alone(depth),
            lambda: self.alone(depth),
            lambda: self.composed(depth),
            lambda: self.extended(depth),
            lambda: self.extended(depth),
            self.filtered,
            self.complex,
            self.preprocessed,
            self.at_a_distance,
            self.live,
            self.live,
            self.wide,
            lambda: {"kind": "histogram", "counter": self.counter(), "rounds": 1,
                     "dimension": self.one(1, 1, 1, 2)},
            lambda: {"kind": "monitor", "mechanism": self.own_sparse(), "rounds": self.one(2, 3, 4),
                     "dimension": self.one(1, 2)},
            lambda: {"kind": "chained", "links": self.links(), "inside": self.alone(depth)},
        ]  # fmt: skip
        return self.random.choice(rules)()

    def composed(self, depth: int = 1) -> Recipe:
        if self.chance(60):
            return {"kind": "concomp", "parts": self.parts(depth), "rounds": self.one(1, 2, 3)}
        parts = [self.brief() for _ in range(self.one(2, 2, 2, 3))]
        return {"kind": "concomp", "parts": parts, "rounds": self.one(2, 3, 3, 4),
                "events": self.one(1, 2, 2, 3)}  # fmt: skip

    def brief(self) -> Recipe:
        """A part that halts, with a claim at event level; its first answer may be of no bit."""
        rows = [[[self.one(1, 1, 2, 6, 30) for _ in range(4)] for _ in range(2)] for _ in range(2)]
        if self.chance(40):
            rows[0] = [[self.one(1, 3, 20), 0, 0, 1]] * 2
        f = {"kind": "event", "relation": "any", "events": self.one(1, 1, 2)}
        measure = self.one(None, [1, 1], [3, 2], [2, 1], [2, 1], "zcdp")
        return {"kind": "brief", "rows": rows, "f": f, "measure": measure}

    def live(self) -> Recipe:
        """A session; of a composition most often, whose f may be none of composition."""
        if self.chance(12):
            leaky = {"kind": "leaky", "delta": self.one([1, 5], [1, 2])}
            inside = {"kind": "ext", "f": self.one("sparse", "one", "consistent"), "rounds": 5,
                      "parts": [leaky], "bound": self.one(None, None, 4, 5), "most": 2}  # fmt: skip
        elif self.chance(15):
            inside = {"kind": "ext", "f": self.one("event", "adaptive"), "parts": self.parts(0),
                      "rounds": self.one(2, 3), "bound": self.one(None, None, 2, 3),
                      "most": self.one(1, 2)}  # fmt: skip
        elif self.chance(20):
            inside = {"kind": "declared", "part": self.asked_once(), "rounds": self.one(1, 2)}
        elif self.chance(10):
            inside = {"kind": "concomp", "parts": self.parts(), "rounds": self.one(1, 2, 3)}
        else:
            inside = self.one(self.extended(), self.extended(), self.filtered())
        said = [self.random.randrange(12) for _ in range(self.one(1, 2, 3, 4))]
        return {"kind": "live", "inside": inside, "said": said}

    def asked_once(self) -> Recipe:
        """A part that takes one pair of bits, whichever they are."""
        start = {"kind": "start", "relation": "any"}
        weights = [self.weights(3) for _ in range(2)]
        return self.one(
            {"kind": "response", "q": self.one(1, 2, 3), "delta": self.one([0, 1], [1, 10])},
            {"kind": "once", "weights": weights, "f": start, "measure": self.one(None, [2, 1])},
        )

    def wide(self) -> Recipe:
        inside = self.one(
            {"kind": "declared", "part": self.asked_once(), "rounds": self.one(2, 3)},
            {"kind": "declared", "part": self.asked_once(), "rounds": self.one(2, 3)},
            {"kind": "alone", "part": self.part(), "f": None, "rounds": self.one(2, 3)},
            {"kind": "histogram", "counter": self.counter(), "rounds": 2, "dimension": 1},
            {"kind": "monitor", "mechanism": self.own_sparse(), "rounds": 3, "dimension": 1},
        )
        return {"kind": "wide", "inside": inside, "times": self.one(2, 2, 3)}

    def links(self) -> list[Any]:
        return [self.one("identity", "own", "tells", ["own"], [["tells"]], [["identity"], "own"])
                for _ in range(self.one(1, 1, 2))]  # fmt: skip

    def extended(self, depth: int = 1) -> Recipe:
        if self.chance(12):  # what is created many times, and whose f is not consistent
            leaky = {"kind": "leaky", "delta": self.one([1, 5], [1, 2])}
            return {"kind": "ext", "f": self.one("sparse", "one", "consistent"), "parts": [leaky],
                    "rounds": 5, "bound": None, "most": self.one(2, 3)}  # fmt: skip
        if self.chance(6):
            exposed = {"kind": "exposed", "p": self.one(2, 5, 20), "q": self.one(3, 4, 9)}
            measure = self.one("rho", "mu", "curve", "pair")
            return {"kind": "measured", "measure": measure, "rounds": 5,
                    "f": self.one("sparse", "one"), "parts": [exposed], "bound": None,
                    "most": self.one(2, 3)}  # fmt: skip
        if self.chance(25):
            measure = self.one("rho", "mu", "range", "curve", "pair", "pair")
            return {"kind": "measured", "measure": measure,
                    "f": self.one("fixed", "parameters", "sparse", "one", "consistent"),
                    "parts": self.parts(depth), "rounds": self.one(2, 3, 4, 5),
                    "bound": self.one(None, None, 3, 4), "most": self.one(1, 2, 3)}  # fmt: skip
        f = self.one("fixed", "parameters", "parameters", "sparse", "one", "consistent", "unit")
        bound = self.one(None, None, 2, 3, 4)
        parts = [{"kind": "lie", "which": "like"}] if f == "unit" else self.parts(depth)
        return {"kind": "ext", "f": f, "parts": parts, "rounds": self.one(2, 3, 4, 5),
                "bound": bound, "most": self.one(1, 2, 3)}  # fmt: skip

    def filtered(self) -> Recipe:
        known = "basic", "concentrated", "whitehouse", "rogers", "renyi", "gaussian"
        sharp = "residue", "residue", "natural", "natural of Gaussians"
        budget, most = self.one(*known, *sharp, *sharp), self.one(2, 3)
        parts = [self.charged() for _ in range(most - 1)] if self.chance(65) else self.parts()
        return {"kind": "filtered", "budget": budget, "q": self.one(2, 3, 3, 4, 6, 9),
                "delta": self.one([0, 1], [1, 10]), "parts": parts, "most": most,
                "rounds": self.one(3, 2 * most, 2 * most)}  # fmt: skip

    def charged(self) -> Recipe:
        """A part whose claim is small enough for most filters."""
        delta, start = self.one([0, 1], [0, 1], [1, 10]), {"kind": "start", "relation": "any"}
        small = {"kind": "response", "q": self.one(2, 3), "delta": delta}
        once = {"kind": "once", "weights": [self.weights(3, least=2) for _ in range(2)],
                "measure": self.one(None, "gdp"), "f": start}  # fmt: skip
        return self.one(small, small, once)

    def complex(self) -> Recipe:
        if self.chance(30):
            return {"kind": "routed", "steady": self.table(), "extra": self.plain(),
                    "leak": self.one(None, None, "DESTINATION", "RESPONSE", "VALIDITY"),
                    "f": self.bits(2), "rounds": 2}  # fmt: skip
        if self.chance(30):
            return {"kind": "each_bit", "part": self.part(0), "f": self.bits(2), "rounds": 2}
        if self.chance(30):
            return {"kind": "on_request", "part": self.part(0), "f": self.event(),
                    "leak": self.one(None, None, "DESTINATION", "RESPONSE", "VALIDITY"),
                    "inner": self.one("parameters", "sparse", "consistent"),
                    "rounds": self.one(2, 3)}  # fmt: skip
        places, asked = self.one(1, 2, 3), self.chance(50)  # by public queries, too
        program = [[self.action(places) for _ in range(4 + asked)] for _ in range(places)]
        for place in program:
            if self.chance(80):  # what it does, and where, does not depend on the bit
                place[1] = place[0]
        return {"kind": "programmed", "program": program, "parts": [self.part(0)],
                "inner": self.one("parameters", "sparse", "consistent"),
                "f": self.requests(self.one(2, 3)) if asked else self.bits(2),
                "rounds": 3 if asked else 2}  # fmt: skip

    def action(self, places: int) -> list[Any]:
        act = self.one(
            ["create", 0], ["ask", 0, "bit"], ["ask", 0, self.one("bit", "flip", 0)],
            ["say", "heard"], [self.one("say", "keep"), self.one("heard", "heard", "bit", 0)],
        )  # fmt: skip
        return [act, self.random.randrange(places)]

    # --- Laplace noise, read in base two ------------------------------------------------------

    def tree(self) -> Recipe:
        if self.chance(25):
            return {"kind": "less_noise", "epsilon": 1, "parts": self.one(1, 2, 3)}
        return {"kind": "tree", "epsilon": self.one(1, 2), "horizon": self.one(1, 1, 2),
                "events": self.one(1, 1, 2), "largest": 1}  # fmt: skip

    def noisy(self) -> Recipe:
        found = self.one(
            self.tree(),
            {"kind": "laplace", "epsilon": self.one(1, 2)},
            {"kind": "sparse", "epsilon": self.one(2, 4), "tops": self.one(0, 1),
             "monotone": self.chance(30)},
            {"kind": "noisy_max", "epsilon": 2, "value": self.chance(40)},
        )  # fmt: skip
        twisted = self.chance(25) and found["kind"] != "less_noise"
        return {"kind": "twist", "of": found, "how": self.one(*TWISTS)} if twisted else found

    def read(self) -> Recipe:
        base = self.one(1, 2, 2, 4)
        if self.chance(2):
            return {"kind": "poisoned", "rounds": 3, "base": base}
        rules: list[Callable[[], Recipe]] = [
            lambda: {"kind": "alone", "part": self.noisy(), "f": None, "rounds": 2},
            lambda: {"kind": "unbounded", "counter": self.tree(), "rounds": self.one(3, 4, 5)},
            lambda: {"kind": "histogram", "counter": self.tree(), "dimension": 1, "rounds": 1},
            lambda: {"kind": "monitor", "mechanism": {"kind": "sparse", "epsilon": 4, "tops": 1,
                     "monotone": False}, "dimension": 1, "rounds": 2},
            lambda: {"kind": "concomp", "parts": [self.noisy()], "rounds": 2},
            lambda: {"kind": "preprocessed", "part": {"kind": "laplace", "epsilon": self.one(1, 2)},
                     "before": {"kind": "imputed", "size": self.one(2, 3), "high": self.one(1, 2),
                                "missing": self.one(0, 1)}},
            lambda: {"kind": "ext", "f": self.one("parameters", "sparse", "unit"),
                     "parts": [self.noisy()], "rounds": 2, "bound": None, "most": 2},
        ]  # fmt: skip
        return {**self.random.choice(rules)(), "base": base}


def grown(seed: int) -> Recipe:
    """The recipe of a seed."""
    return Grower(Random(seed)).grow()


# --- smaller --------------------------------------------------------------------------------------


def shrunk(recipe: Recipe, fails: Callable[[Recipe], bool], tries: int = 300) -> Recipe:
    """A smaller recipe that still fails: greedily, one replacement at a time."""
    again = True
    while again:
        again = False
        for smaller in _smaller(recipe):
            tries -= 1
            if tries < 0:
                return recipe
            if fails(smaller):
                recipe, again = smaller, True
                break
    return recipe


def _sort(value: Any) -> int | None:
    """Which language a recipe belongs to: what may stand in its place."""
    kind = value.get("kind") if isinstance(value, dict) else None
    return next((n for n, known in enumerate((SYSTEMS, PARTS, FUNCTIONS)) if kind in known), None)


def _inside(value: Any) -> Iterator[Any]:
    """All recipes within a recipe."""
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict):
            yield each
        if isinstance(each, dict | list):
            yield from _inside(each)


def _smaller(value: Any) -> Iterator[Any]:
    """The value with one thing simpler, the largest steps first."""
    if isinstance(value, dict):
        yield from (each for each in _inside(value) if _sort(each) == _sort(value) is not None)
        for key, own in value.items():
            yield from ({**value, key: each} for each in _smaller(own))
            if own is not None and key in ("bound", "leak"):
                yield {**value, key: None}
    elif isinstance(value, list):
        for place, own in enumerate(value):
            yield value[:place] + value[place + 1 :]
            yield from ([*value[:place], each, *value[place + 1 :]] for each in _smaller(own))
    elif type(value) is int and value > 0:
        yield from dict.fromkeys((0, 1, value - 1)) if value > 1 else (0,)
