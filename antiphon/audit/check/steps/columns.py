"""The check that a population (many replicas, stepped at once) answers as plain steps do."""

from collections.abc import Iterator
from typing import Any, Final, cast

import numpy as np

from antiphon.audit.check.report import Finding, Trial, Tried
from antiphon.audit.check.subject import COLUMNS, Subject, play, source_place
from antiphon.numbers.errors import AntiphonError
from antiphon.populations.arithmetic import Lanes
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.each_replica import to_scalar
from antiphon.populations.joining import OneOf
from antiphon.populations.play import Population
from antiphon.protocol import EMPTY, HALT, Draw, Mechanism, ReplayedCoins, identical
from antiphon.protocol.adversary import scripted

_REPLICAS: Final = 8
_SCRIPTS: Final = 12


def check(subject: Subject) -> Trial:
    """Check that populations answer as plain steps do, as audits play populations."""
    scripts, compared = subject.scripts[-_SCRIPTS:], 0
    for initial in subject.starts:
        for place, script in enumerate(scripts):
            seed = np.random.SeedSequence(subject.seed, spawn_key=(COLUMNS, place))
            if accepted := _accepted(subject.system, initial, script, seed):
                compared += 1
                what = disagreement(subject.system, initial, accepted, seed, joins=bool(place % 2))
                if what:
                    yield finding(what, source_place(subject.part, "exchange", "respond", "step"))
                    return Tried(compared, "play")
    return Tried(compared, "play")


def finding(what: str, place: str) -> Finding:
    """The finding that a mechanism or f treats columns (arrays with one number for each replica)
    unlike plain numbers."""
    return Finding(
        "columns",
        what,
        place,
        "take back @ap.column_safe; or use arithmetic, comparisons and if only, and no type(x), "
        "math.… or dictionary keys",
    )


def _accepted(
    mechanism: Mechanism, initial: object, script: tuple[object, ...], seed: np.random.SeedSequence
) -> tuple[object, ...]:
    """The messages of a script that are not refused; none if a step crashes."""
    taken = [each for each in play(mechanism, initial, script, seed) if not each.refused]
    return () if any(each.error for each in taken) else tuple(each.inputs[0] for each in taken)


def disagreement(
    mechanism: Mechanism,
    initial: object,
    script: tuple[object, ...],
    seed: np.random.SeedSequence,
    *,
    joins: bool = False,
) -> str | None:
    """A sentence that says how a population's answers differ from those of plain steps on the same
    draws; None if they agree."""
    coins = ColumnCoins(seed)
    population = Population(scripted(script), mechanism, None, coins, keep=True, joins=joins)
    try:
        for answers, tape in replicas(population, initial):
            if not identical(_plain(mechanism, initial, script, tape), answers):
                return "a population answers differently from plain steps, on the same draws"
    except AntiphonError as error:
        return f"a population's steps, or plain steps on its draws, raise {type(error).__name__}"
    except Exception as error:
        return f"a population's step raises {type(error).__name__}, where plain steps do not"
    return None


def _plain(
    mechanism: Mechanism, initial: object, script: tuple[object, ...], tape: tuple[Draw, ...]
) -> tuple[object, ...]:
    adversary, coins = scripted(script), ReplayedCoins(tape)
    state, own, answers = mechanism.enter(initial), 0, list[object]()
    heard: object = EMPTY
    while True:
        own, message = adversary.step(own, heard, coins)
        if message is HALT:
            break
        state, heard = mechanism.step(state, message, coins)
        answers.append(heard)
        if heard is HALT and mechanism.is_over(state):
            break
    return tuple(answers)


def replicas(
    population: Population, initial: object = None
) -> Iterator[tuple[tuple[object, ...], tuple[Draw, ...]]]:
    """Yields (answers, tape of draws) of each replica of a population, in plain Python values."""
    for lanes, block in population.play(_REPLICAS, initial):
        for place in range(lanes.size):
            own = lanes.only(np.array([place])) if lanes.numbered else lanes
            population.coins.lanes = own
            said = [_one(answer, own) for answer in block.answers]
            tapes: list[tuple[Draw, ...]] = [_one(tape, own) for tape in block.tape]
            yield (
                to_scalar(tuple(said)),
                tuple(_told(to_scalar(draw)) for tape in tapes for draw in tape),
            )
            if not lanes.numbered:
                break  # All replicas of this population are alike, so one is enough.


def _told(draw: Draw) -> Draw:
    """A draw as a plain step's tape has it: the scores of a random choice are bytes there."""
    if draw.kind != "categorical_exp":
        return draw
    rate, scores = cast("tuple[object, Any]", draw.parameter)
    told = scores.tobytes() if type(scores) is np.ndarray else scores
    return draw._replace(parameter=(rate, told))


def _one(item: Any, lanes: Lanes) -> Any:
    """The value of one replica, from an item that may differ between replicas."""
    return item.choices[item.at(lanes)[0]] if type(item) is OneOf else item
