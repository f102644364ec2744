"""The rule for the privacy of a mechanism M behind a preprocessing π that is not private itself.

For neighbouring datasets S and S', the step from M(π_S(S)) to M(π_S'(S')) is made by way of
M(π_S(S')), with one fitted π for both: see ``Preprocessing``. There are three bounds, of which the
least counts. *Direct*: M's claim for neighbours at the total distance (CM Thm 6.1, with π as the
post-processor that maps neighbours to neighbours at that distance). *Weak triangle inequality*: M's
claims for each of the two steps. *Group privacy*: one step for each record that may differ.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.bounds import group_curve, least_curve, of_measure
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaf_claims import BY_DISTANCE
from antiphon.composition.guarantees.rulebook import Inquiry, derive, rule
from antiphon.preprocessing.preprocessed import Preprocessed, Preprocessing, changed, travelled
from antiphon.preprocessing.weak_triangle import steps, triangle
from antiphon.protocol import Verification, message_label, why_untrusted
from antiphon.verifiers import Relation, neighbouring_start
from antiphon.verifiers.preprocessing_distance import at_distance, in_steps, spread

THEOREM: Final = "privacy after preprocessing (docs/preprocessing.md)"
DIRECT: Final = "CM Thm 6.1, by distance"
TRIANGLE: Final = "weak triangle inequality (Mironov 2017, Prop. 11)"
GROUP: Final = "group privacy (Vadhan 2017, Lemma 2.2)"


@rule(THEOREM, Preprocessed)
def behind(system: Preprocessed, f: Verification | None, inquiry: Inquiry) -> Derivation:
    """The guarantee of S ↦ M(π_S(S)), a mechanism M behind a preprocessing π, w.r.t. datasets S and
    S' that are neighbours before the preprocessing.

    Raises: NoGuarantee for a mechanism M without a claim about images of π, or for a premise of π
    that does not hold.
    """
    pi = system.preprocessing
    for each in pi.premises:
        if each.mark is Mark.FAILED:
            raise NoGuarantee(
                THEOREM, each.text, each.evidence or "it does not hold",
                "take another preprocessing, or group privacy of all records",
            )  # fmt: skip
    f = system.verification
    ask = attrs.evolve(inquiry, system=system.mechanism, inner=None)
    routes = [attrs.evolve(each, verification=f) for each in _routes(pi, ask)]
    best = max(each.status.certainty for each in routes)
    routes = [each for each in routes if each.status.certainty == best]
    measures = tuple(measure for each in routes for measure in each.measures)
    statement = f"M behind a preprocessing whose images come at most {pi.distance} further apart"
    curve = least_curve([each.curve for each in routes])
    return Derivation(THEOREM, statement, f, curve, tuple(_rests_on(pi)), tuple(routes), measures)


def _routes(pi: Preprocessing, ask: Inquiry) -> Iterator[Derivation]:
    images = pi.images
    direct = _direct(pi, ask)
    if direct is not None:
        yield direct
        if direct.parts[0].theorem == BY_DISTANCE and in_steps(images, 1) is not None:
            return  # The claim at the total distance is at least as good as the two other bounds.
    near = _derived(ask, images)
    if near is None:
        if direct is not None:
            return
        raise NoGuarantee(
            THEOREM, f"a claim of {message_label(ask.system)} for what one changed record makes of "
            f"the images: {message_label(images)}",
            "it has none", "calibrate it to the range of the preprocessing",
        )  # fmt: skip
    apart = at_distance(images, travelled(pi))
    far = None if apart is None else _derived(ask, apart)
    if far is not None:
        measures = triangle(near.measures, far.measures)
        if measures:
            statement = "one step for the changed record, one for the movement of the others"
            curve = least_curve(list(map(of_measure, measures)))
            yield Derivation(
                TRIANGLE, statement, far.verification, curve, (), (near, far), measures
            )
    count = changed(pi)
    statement = f"{count} steps of one record: those that move, and the one that was changed"
    curves = [group_curve(near.curve, count), *map(of_measure, steps(near.measures, count))]
    measures = steps(near.measures, count)
    yield Derivation(
        GROUP, statement, near.verification, least_curve(curves), (), (near,), measures
    )


def _direct(pi: Preprocessing, ask: Inquiry) -> Derivation | None:
    """The guarantee by M's claim for neighbours as far apart as the images π_S(S) and π_S'(S') may
    be; None if M has no claim for such a distance."""
    whole = _whole(pi)
    apart = None if whole is None else at_distance(pi.images, whole)
    inside = None if apart is None else _derived(ask, apart)
    if inside is None:
        return None
    statement = f"the images are at most {whole} apart"
    return Derivation(
        DIRECT, statement, inside.verification, inside.curve, (), (inside,), inside.measures
    )


def _whole(pi: Preprocessing) -> Fraction | None:
    """A bound on the distance of π_S(S) and π_S'(S'): the least of the bounds by the triangle
    inequality, by steps of one record, and by π's declaration; None if there is none."""
    found, stepwise = spread(pi.images), in_steps(pi.images, changed(pi))
    if found is None:
        return None
    known = (found.distance + travelled(pi), stepwise, pi.apart)
    return min(each for each in known if each is not None)


def _derived(ask: Inquiry, relation: Relation) -> Derivation | None:
    """The guarantee of the mechanism in ``ask`` w.r.t. two datasets in this relation; None if no
    theorem applies."""
    try:
        return derive(attrs.evolve(ask, verification=neighbouring_start(relation)))
    except NoGuarantee:
        return None


def _rests_on(pi: Preprocessing) -> Iterator[Premise]:
    """The premises about a preprocessing π, each marked with how it is known."""
    reason = why_untrusted(pi)
    mark = Mark.PROVED if reason is None else Mark.ASSUMED
    evidence = "its class proves it" if reason is None else f"its class says so; {reason}"
    told = message_label(pi, 60)
    yield Premise(f"{told} is a function of the dataset, without coins", mark, evidence)
    if pi.range is None:
        yield Premise("M takes every image", Mark.ASSUMED, "no range of the images is declared")
    else:
        yield Premise(f"M takes every image: {pi.range}", Mark.CHECKED)
    yield Premise(f"who is replaced: {message_label(pi.neighbours)}", Mark.CHECKED, "f says so")
    text = f"one record anywhere in its range for another: images by {message_label(pi.images)}"
    yield Premise(text, mark, evidence)
    text = f"at most {pi.moved} of {pi.size} records move, by {pi.distance} in all"
    yield Premise(text, mark, evidence)
    if pi.apart is not None:
        yield Premise(f"images of neighbours are at most {pi.apart} apart", mark, evidence)
    yield from pi.premises
