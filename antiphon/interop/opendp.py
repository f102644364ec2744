"""OpenDP's measurements as continual mechanisms (docs/interop.md).

``mechanism(measurement, d_in=…)`` has the measurement's privacy map as its claim, *assumed*, and
answers by one draw that OpenDP makes.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from hashlib import blake2b
from importlib import import_module
from typing import Any, Final

import attrs
import numpy as np

from antiphon.interop.datasets import METRICS, MetricWithin, Vectors, atoms
from antiphon.numbers import CompositionError, InvalidArgument, MissingExtra, named
from antiphon.numbers.errors import ForeignError, of_kind, with_article
from antiphon.protocol import Claim, Coins, Status, Verification, freeze, register, set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.measures.kinds import Approximate, Measure, Pure, Renyi, ZeroConcentrated
from antiphon.protocol.spaces import Anything, Signature, Space
from antiphon.verifiers import AnyTwo, Relation, Within, neighbouring_start


@register("antiphon.OpenDPMeasurement/1")
@attrs.frozen(kw_only=True)
class OpenDPMeasurement(NoninteractiveMechanism):
    """An OpenDP measurement as a noninteractive mechanism; made by
    ``antiphon.interop.opendp.mechanism``.

    The first message is a dataset in ``queries``, and the answer is OpenDP's; later answers are
    HALT. Privacy: ``measure`` w.r.t. ``verification``, by OpenDP's privacy map at ``d_in``;
    *assumed*: this library has not checked that map, the measurement or its noise. The answer is
    one draw of the coins (``Coins.foreign``). A recording holds the answer, so that a replay does
    not need OpenDP; a mechanism read from a file replays, but cannot answer new queries. Two such
    mechanisms are equal only if they are the same object. Source: OpenDP's programming framework
    (Gaboardi, Hay, Vadhan 2020). Raises: ForeignError, which a session answers by HALT, where
    OpenDP fails.
    """

    description: str = attrs.field(repr=False)
    """OpenDP's description of the measurement, constructors and arguments, as JSON if possible."""
    version: str
    d_in: Fraction = attrs.field(converter=named.fraction)
    measure: Measure
    verification: Verification = attrs.field(repr=False)
    queries: Space = attrs.field(repr=False)
    answers: Space = attrs.field(repr=False)
    _asked: Callable[[object], object] | None = attrs.field(default=None, init=False, repr=False)
    """The function that runs the measurement. It is compared by identity, because it determines the
    law of the answers."""
    _source: str = attrs.field(init=False, eq=False, repr=False)
    """The name of the answer on a tape, under which no other measurement can replay it."""

    def __attrs_post_init__(self) -> None:
        digest = blake2b(self.description.encode(), digest_size=6).hexdigest()
        set_derived(self, _source=f"OpenDP {self.version}: {digest}")

    @property
    def signature(self) -> Signature:
        return Signature(self.queries, self.answers, self.queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = f"OpenDP {self.version}, its privacy map at d_in = {self.d_in}: not verified here"
        return (Claim(self.measure, self.verification, Status.ASSUMED, source),)

    def respond(self, dataset: object, coins: Coins) -> object:
        return coins.foreign(self._source, dataset, lambda: self._ask(dataset))

    def _ask(self, dataset: object) -> object:
        if self._asked is None:
            raise ForeignError(
                "this measurement was read from a file, where OpenDP's function is not: make it "
                "again with antiphon.interop.opendp.mechanism"
            )
        answer = self._asked(dataset)
        if not self.answers.contains(answer):
            raise ForeignError(
                f"OpenDP answered with {of_kind(answer)} outside the answer space: pass "
                "answers=…, a space that has it"
            )
        return answer


def mechanism(
    measurement: Any,
    *,
    d_in: object,
    delta: object = None,
    relation: Relation | None = None,
    queries: Space | None = None,
    answers: Space | None = None,
) -> OpenDPMeasurement:
    """An OpenDP measurement as a noninteractive mechanism: the dataset is the first message, the
    answer OpenDP's.

    Args: ``d_in``, the largest distance of neighbouring datasets in the measurement's input metric;
    ``delta``, the δ at which a measurement with a privacy profile is read; ``relation``,
    ``queries`` and ``answers``, in place of those that follow from its metric and domain (OpenDP
    does not state the answers: give ``answers`` if a theorem needs discrete answers). Vectors are
    tuples. Privacy: the value of ``measurement.map(d_in)``, *assumed*: ε of MaxDivergence, (ε, δ)
    of Approximate(MaxDivergence) and SmoothedMaxDivergence, ρ of ZeroConcentratedDivergence, the
    curve of RenyiDivergence. Raises: MissingExtra without OpenDP; InvalidArgument for anything but
    a measurement, a distance that its map refuses, or a domain or metric that is not known here;
    CompositionError for an output measure that has no counterpart.
    """
    mod = _opendp()
    if not isinstance(measurement, mod.Measurement):
        raise InvalidArgument(
            f"an OpenDP Measurement is needed, not {of_kind(measurement)}: odometers and "
            "transformations are none"
        )
    try:
        description = str(mod.serialize(measurement))
    except Exception:  # A measurement with a function of the user's has no JSON form.
        description = str(measurement)
    made = OpenDPMeasurement(
        description=description,
        version=mod.__version__,
        d_in=_distance(d_in),
        measure=_measure(measurement, d_in, delta),
        verification=neighbouring_start(relation or _relation(measurement, d_in)),
        queries=queries or _space(measurement.input_domain),
        answers=answers or Anything(),
    )
    set_derived(made, _asked=_asking(measurement, known=queries is None))
    return made


def _opendp() -> Any:
    try:
        return import_module("opendp.mod")
    except ImportError:
        raise MissingExtra("opendp", "opendp") from None


def _distance(d_in: Any) -> Fraction:
    if type(d_in) not in (int, float) or not 0 <= d_in < math.inf:  # pyright: ignore[reportUnknownArgumentType]
        raise InvalidArgument("d_in is an int or a float >= 0, as the input metric has it")
    return Fraction(d_in)


def _measure(measurement: Any, d_in: object, delta: object) -> Measure:
    kind = str(measurement.output_measure)
    translate = _MEASURES.get(kind)
    if translate is None:
        raise CompositionError(
            f"no measure here corresponds to OpenDP's {kind}; one of {', '.join(_MEASURES)} is "
            "needed: convert it, as by dp.c.make_zCDP_to_approxDP and dp.c.make_fix_delta"
        )
    try:
        d_out = measurement.map(d_in)
        return translate(d_out, delta)
    except InvalidArgument:
        raise
    except Exception as error:
        text = str(getattr(error, "message", None) or error).strip()
        first = text.splitlines()[0] if text else type(error).__name__
        raise InvalidArgument(
            f"OpenDP's privacy map refuses d_in = {d_in} ({first}): give a distance in "
            f"{measurement.input_metric}"
        ) from error


def _loss(value: float) -> Fraction:
    if not math.isfinite(value):
        raise InvalidArgument(
            "OpenDP's privacy map bounds nothing at this d_in: its answer is infinite"
        )
    return Fraction(value)


def _smoothed(d_out: Any, delta: object) -> Measure:
    if type(delta) is not float or not 0 < delta < 1:
        raise InvalidArgument(
            "a measurement with a privacy profile is read at a δ: pass delta=…, a float"
        )
    return Approximate(_loss(d_out.epsilon(delta)), Fraction(delta))


_MEASURES: Final[dict[str, Callable[[Any, object], Measure]]] = {
    "MaxDivergence": lambda d_out, _: Pure(_loss(d_out)),
    "Approximate(MaxDivergence)": lambda d_out, _: Approximate(*map(_loss, d_out)),
    "SmoothedMaxDivergence": _smoothed,
    "ZeroConcentratedDivergence": lambda d_out, _: (
        ZeroConcentrated(rho) if (rho := _loss(d_out)) else Pure(0)
    ),
    "RenyiDivergence": lambda d_out, _: Renyi(lambda order: float(d_out(float(order)))),
}


def _relation(measurement: Any, d_in: Any) -> Relation:
    name = str(measurement.input_metric.type).split("<")[0].split("::")[-1]
    if name == "AbsoluteDistance":
        return Within(d_in)
    if name == "DiscreteDistance" and d_in >= 1:
        return AnyTwo()
    if name not in METRICS or "monotonic" in str(measurement.input_metric):
        raise InvalidArgument(
            f"neighbours in {measurement.input_metric} are not known here: pass relation=…, an "
            "object with holds(zero, one)"
        )
    return MetricWithin(name, d_in)


def _space(domain: Any) -> Space:
    elements = getattr(domain, "element_domain", None)
    if elements is not None:
        return Vectors(_space(elements), domain.size)
    found = None
    with suppress(Exception):  # OpenDP raises an error when asked for the bounds of some domains.
        bounds = domain.bounds if "bounds=" in str(domain) else None
        found = atoms(str(domain.carrier_type), bounds)
    if found is None:
        raise InvalidArgument(
            f"no space here corresponds to {domain}: pass queries=…, a space of the datasets that "
            "are in it"
        )
    return found


def _asking(measurement: Any, *, known: bool) -> Callable[[object], object]:
    """A function that runs the measurement; it checks its queries, unless they are ``known`` to be
    in OpenDP's domain."""
    domain = measurement.input_domain

    def asked(dataset: object) -> object:
        given: Any = dataset
        if type(dataset) is tuple:
            given = list(dataset)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        try:
            if not known and not domain.member(given):
                raise InvalidArgument("the dataset is outside the measurement's input domain")
            return _message(measurement(given))
        except Exception as error:
            raise ForeignError(
                f"OpenDP failed with {of_kind(error)}, which is the cause of this error"
            ) from error

    return asked


_PLAIN: Final = (bool, int, float, str, bytes, type(None), np.ndarray)


def _message(answer: Any) -> object:
    """OpenDP's answer as a message: lists become tuples, and a dict its sorted items."""
    kind: Any = type(answer)  # pyright: ignore[reportUnknownVariableType]
    if kind is list or kind is tuple:
        return tuple(map(_message, answer))
    if kind is dict:
        return tuple((_message(key), _message(answer[key])) for key in sorted(answer, key=repr))
    if kind not in _PLAIN:
        raise InvalidArgument(
            f"{with_article(kind.__name__)} is no message: an answer is data, no queryable"
        )
    return freeze(answer)
