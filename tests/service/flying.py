"""The service of examples/service/flights.toml, with a budget and a folder of a test's own."""

from pathlib import Path

import attrs

from antiphon.composition import BasicFilter
from antiphon.service.definition import read_definition
from antiphon.service.event_counters import EventCounters

FILE = Path(__file__).parents[2] / "examples" / "service" / "flights.toml"
KNOWN = read_definition(FILE)


def machine(budget=None, *, kind=EventCounters, **other):
    """P, of the flights' fields."""
    known = KNOWN.machine
    given = {"horizon": known.horizon, "budget": budget or BasicFilter(epsilon=2), **other}
    return kind(fields=known.fields, charges=known.charges, **given)


def board(budget=None, **other):
    """The system that runs."""
    return machine(budget, **other).system()


def file(folder, budget=None, **other):
    """What ``opened`` takes."""
    return attrs.evolve(KNOWN, folder=Path(folder), machine=machine(budget, **other))
