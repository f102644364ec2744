"""Hostile files and messages give typed errors only, whatever is done with them."""

import copy
import json
import random
from fractions import Fraction

import numpy as np
import pytest
from strategies import ALIENS, nested_pair, nested_tuple

import antiphon as ap
from antiphon import Recording
from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
from antiphon.audit.running import checkpoint as checkpoints
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.evidence import Counterexample
from antiphon.cli import main
from antiphon.composition import BasicFilter
from antiphon.protocol.registry import _said

HUGE = {"int": "0x" + "f" * 20_000}
DEEP = json.loads("[" * 300 + "]" * 300)
VALUES = (
    None, True, False, 0, 1, -1, 2**70, 10**4000, 0.5, -0.0, 1e308, "", "x", "ln 3", "\ud800",
    [], {}, [[]], [1, 2, 3], HUGE, DEEP, {"float": "nan"}, {"float": "inf"}, {"symbol": "HALT"},
    {"symbol": "EMPTY"}, {"fraction": "1/0"}, {"fraction": "-1/3"}, {"log": "0/1"}, {"log": "3/1"},
    {"bytes": "AAAA"}, {"text": "7aCA"}, {"same": 1}, {"pair": [0, 1]}, {"pair": [0]},
    {"ask": [0, 0]}, {"ask": [0, HUGE]}, {"ask": [0, -1]}, {"ask": [1, "x"]}, {"ask": [0, [[1]]]},
    {"ask": [0, {"array": "AAAAAAAAAAA=", "dtype": "<i8", "shape": [1]}]}, {"ask": [HUGE, 0]},
    {"array": "AAAAAAAAAAA=", "dtype": "<f8", "shape": [1]},
    {"array": "", "dtype": "<f8", "shape": [0]},
    {"array": "AAAAAAAAAAA=", "dtype": "<i8", "shape": [2**60]}, {"unregistered": "Mine"},
    {"unregistered": {}}, {"type": "no.body/1"}, {"type": []}, {"object": "no.body/1"},
    {"chain": []},
    {"chain": [1]}, {"says": 1}, {"end": "adversary"}, "adversary", "mechanism", "rounds", "view",
    "recording", "bernoulli", "discrete_laplaces", "antiphon.Identifier/1", {"map": [[[], []]]},
)  # fmt: skip


def places(data, path=()):
    """Every place in a JSON value."""
    yield path
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        yield from places(value, (*path, key))


def value(dice):
    """A hostile JSON value: of the list, or a registered type with hostile parameters."""
    if dice.random() < 0.8:
        return copy.deepcopy(dice.choice(VALUES))
    name = dice.choice([name for name in _said.things if name.startswith("antiphon.")])
    fields = getattr(_said.things[name], "__attrs_attrs__", ())
    parameters = {
        field.alias: dice.choice(VALUES) for field in fields if field.init and dice.random() < 0.7
    }
    return {dice.choice(("type", "type", "object")): name, "parameters": parameters}


def edited(line, dice):
    """One line with one value put in, taken out, doubled or moved."""
    data = json.loads(line)
    path = dice.choice(list(places(data)))
    if not path:
        return json.dumps(value(dice))
    around = data
    for key in path[:-1]:
        around = around[key]
    act = dice.randrange(5)
    if act == 0:
        del around[path[-1]]
    elif act == 1 and isinstance(around, dict):
        return json.dumps(data)[:-1] + ', "' + str(path[0]) + '": 1}'
    elif act == 2:
        other = data
        for key in dice.choice(list(places(data))):
            other = other[key]
        around[path[-1]] = copy.deepcopy(other)
    elif act == 3:
        marked = json.dumps({**data, "\0": 0}) if isinstance(data, dict) else json.dumps(data)
        around[path[-1]] = "\0here"
        token = dice.choice(("NaN", "-Infinity", "9" * 5000, "1e9999", "[" * 5000, "{}{}", "'"))
        return json.dumps(data).replace('"\\u0000here"', token) if marked else ""
    else:
        around[path[-1]] = value(dice)
    return json.dumps(data)


def mutated(raw, dice):
    """A file cut, flipped, shuffled or edited."""
    act = dice.randrange(8)
    if act == 0:
        return raw[: dice.randrange(len(raw))]
    if act == 1:
        flipped = bytearray(raw)
        for _ in range(dice.randrange(1, 4)):
            flipped[dice.randrange(len(flipped))] ^= 1 << dice.randrange(8)
        return bytes(flipped)
    lines = raw.decode("ascii").splitlines()
    place = dice.randrange(len(lines))
    if act == 2:
        lines.insert(place, lines.pop(dice.randrange(len(lines))))
    elif act == 3:
        lines.insert(place, dice.choice(lines))
    else:
        for _ in range(dice.choice((1, 1, 2))):
            lines[place] = edited(lines[place], dice)
            place = 0 if dice.random() < 0.5 else place
            try:
                json.loads(lines[place])
            except (ValueError, RecursionError):
                break
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One real file of each kind, and what is done with it."""
    directory = tmp_path_factory.mktemp("real")
    third = Fraction(1, 3)
    player, game = CounterexampleAdversary(delta=third, copies=3), counterexample_game(third)
    ap.interact(player, game.mechanism(1), seed=4, sink=directory / "view")
    ap.record(player, game.mechanism(1), seed=4).save(directory / "recording")
    counter = ap.mechanisms.TreeCounter(horizon=4, epsilon=1)
    asked = ap.scripted([ap.Create(counter), ap.Ask(1, 0), ap.Ask("count", 0), ap.Ask("count", 1)])
    ap.record(asked, ap.ExtConComp(), seed=1).save(directory / "counters")
    report = game.audit(player, epsilon=0, delta=third, samples=2000, seed=1)
    report.save(directory / "report")
    (directory / "report").write_text(json.dumps(json.loads((directory / "report").read_text())))
    report.counterexample.save(directory / "counterexample")
    written = checkpoints.Checkpoint(directory / "checkpoint")
    saved = checkpoints.Saved(2, None, checkpoints.encode_result({("a", 1): 3, "b": 0.5}), (4,))
    written.save({"task": "t"}, saved)
    transcripts = ("view", "recording", "counters", "counterexample")
    return {
        name: (directory / name).read_bytes() for name in (*transcripts, "report", "checkpoint")
    }


def resumed(path, dice):
    if dice.random() < 0.7:  # whoever edits a file can count its digest, too
        try:
            data = json.loads(path.read_bytes())
            data.pop("digest", None)
            path.write_text(json.dumps(data | {"digest": checkpoints._digest(data)}))
        except (ValueError, TypeError, AttributeError, RecursionError):
            pass
    return checkpoints.Checkpoint(path).load({"task": "t"}, Chunks(total=10, size=2, seed=1))


def treat(path, dice):
    """All that can be done with a file: each act returns or raises an error of ours."""
    acts = [lambda: AuditReport.load(path).to_dict(), lambda: resumed(path, dice)]
    if path.name not in ("report", "checkpoint"):
        acts = [
            lambda: ap.replay(ap.View.load(path)),
            lambda: ap.replay(Recording.load(path)),
            lambda: ap.View.load(path).mermaid(),
            lambda: ap.View.load(path).svg(3),
            lambda: Counterexample.load(path).replay(),
            lambda: ap.View.load(path).save(path.with_name("again"), overwrite=True),
        ]
    for act in acts:
        try:
            act()
        except ap.AntiphonError as error:
            str(error)


@pytest.mark.parametrize("number", [80, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_hostile_files_give_typed_errors_only(files, tmp_path, number, capsys):
    wrong = []
    for seed in range(number):
        dice = random.Random(seed)
        name = dice.choice(sorted(files))
        path = tmp_path / name
        path.write_bytes(mutated(files[name], dice))
        try:
            treat(path, dice)
        except Exception as error:
            wrong.append((seed, name, type(error).__name__, str(error)[:80]))
        if seed % 20 == 0 and name not in ("report", "checkpoint"):
            for command in (["replay", str(path)], ["show", str(path)]):
                if main(command) not in (0, 1, 2):
                    wrong.append((seed, name, command[0], capsys.readouterr().err))
            capsys.readouterr()
    assert wrong == []


# --- messages -------------------------------------------------------------------------------


class Raises:
    """Whatever is asked of it, it raises: nobody may ask."""

    def __eq__(self, other):
        raise RuntimeError("asked")

    __hash__ = __lt__ = __le__ = __float__ = __index__ = __len__ = __iter__ = __bool__ = __eq__


COUNTER = ap.mechanisms.TreeCounter(horizon=4, epsilon=1)
RR = ap.mechanisms.RandomizedResponse(epsilon=1)
ATOMS = (
    None, True, 0, 1, -1, 2**70, 10**5000, -(10**5000), 0.5, -0.0, float("nan"), float("inf"), "",
    "count", "\ud800", b"x", 1j, (), Fraction(1, 3), Fraction(10**5000, 3), [1], {}, {1},
    bytearray(b"x"),
    np.float64(0.5), np.int64(1), np.bool_(True), np.array([1.0]), np.array([], object),
    np.array(1),
    np.zeros((2, 2)), np.array(["x"]), ap.EMPTY, ap.HALT, ap.TOP, ap.BOTTOM, object(), Raises(),
    Raises,
    len, lambda message: message, Ellipsis, range(3), ap.Create(COUNTER), ap.Create(RR), COUNTER,
    ap.Create(ap.mechanisms.LeakyBit(delta=Fraction(1, 10))), ap.ExtConComp(), ap.Identifier(1),
    nested_pair(70), nested_tuple(70), nested_tuple(30), *ALIENS,
)  # fmt: skip


def message(dice, depth=0):
    """An atom, or a tuple, pair or question of such."""
    act = dice.random()
    if depth > 3 or act < 0.4:
        return dice.choice(ATOMS)
    if act < 0.6:
        return ap.same(message(dice, depth + 1))
    if act < 0.75:
        return ap.Pair(message(dice, depth + 1), message(dice, depth + 1))
    if act < 0.95:
        index = dice.choice((0, 0, 0, 1, 2, dice.choice(ATOMS)))
        return ap.Ask(message(dice, depth + 1), index)
    return tuple(message(dice, depth + 1) for _ in range(dice.randrange(4)))


def test_an_index_longer_than_python_prints_is_a_typed_error():
    session = ap.ExtConComp().start()
    assert session.send(ap.Ask(0, 10**5000)) is ap.HALT
    assert session.failure is None
    assert "no mechanism a 16610-bit int" in session.why_halted


def made(dice):
    """A message that can be made at all."""
    while True:
        try:
            return message(dice)
        except ap.InvalidArgument:
            continue


F = ap.composition.sparse_parallel([(1, Fraction(1, 10)), (1, 0)])
SYSTEMS = (
    ap.PrivacyGame(ap.ExtConComp(), F).mechanism(1),
    ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_parameters([(1, 0), (1, 0)])).mechanism(0),
    ap.PrivacyGame(COUNTER, ap.verifiers.event_level()).mechanism(0),
    ap.ExtConComp(), ap.ExtConComp(budget=BasicFilter(epsilon=2)), ap.ConComp([COUNTER, RR]),
    COUNTER, RR, ap.mechanisms.Laplace(epsilon=1), ap.InteractiveAsContinual(RR),
)  # fmt: skip


@pytest.mark.parametrize("number", [5_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_hostile_messages_give_typed_errors_only(number):
    dice, wrong, refused, answered = random.Random(1), [], 0, 0
    live = [system.start(seed=1) for system in SYSTEMS]
    welcome = [ap.Create(COUNTER), ap.Create(RR)]
    for each in range(number):
        place = dice.randrange(len(SYSTEMS))
        session = live[place]
        if session.over or (session.last is not None and session.last.number > 12):
            session = live[place] = SYSTEMS[place].start(seed=each)
            for creation in welcome if place < 2 or place in (3, 4) else ():
                session.send(ap.same(creation) if place < 2 else creation)
        try:
            said = made(dice)
            session.send(said)
            answered += 1
        except ap.AntiphonError as error:
            refused += 1
            str(error)
        except Exception as error:
            wrong.append((place, type(said).__name__, type(error).__name__, str(error)[:80]))
        failed = [f for f in session.failures if not isinstance(f, ap.AntiphonError)]
        if failed:
            wrong.append((place, repr(failed[0])[:80], str(session.last.number)))
            live[place] = SYSTEMS[place].start(seed=each)
    print(answered, "answered,", refused, "refused")
    assert wrong[:10] == []
    assert min(answered, refused) > number // 20
