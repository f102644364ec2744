"""What ``ap.check`` lists as checked was tried on data: for every mechanism and post-processor."""

import pytest
from catalogue import MECHANISMS, PROCESSORS, of_everyday

import antiphon as ap
from antiphon import Mechanism
from antiphon.audit.check.steps import claims, properties
from antiphon.audit.check.subject import Subject
from antiphon.composition import Lifting
from antiphon.protocol import identical
from antiphon.protocol.spaces import NOTHING

EACH = pytest.mark.parametrize("entry", of_everyday(MECHANISMS))
CLAIMING = [entry for entry in MECHANISMS if entry.mechanism.claims]
LIFTED = [e for e in PROCESSORS if isinstance(getattr(e.processor, "lifting", None), Lifting)]
ALIKE_ONLY = {"Echo", "Certified"}
"""Their f allows no pair of the specimens' messages that differs."""


def differs(pair):
    return not identical(pair.zero, pair.one)


@pytest.mark.every(6)
@EACH
def test_a_step_was_taken_on_data(entry):
    messages = entry.messages
    report = ap.check(entry.mechanism, messages=messages, only=["purity"], seed=1)
    secret = entry.mechanism.signature.updates
    taken = Subject(entry.mechanism, entry.mechanism, None, tuple(messages), 1).taken
    heard = [each.inputs[0] for each in taken if each.result is not None]
    data = [each for each in heard if secret == NOTHING or secret.contains(each)]
    assert report.done == (("purity",) if data else ())
    assert data


@pytest.mark.every(6)
@pytest.mark.parametrize("entry", of_everyday(CLAIMING))
def test_a_claim_was_tested_on_a_differing_pair(entry, monkeypatch):
    played = []
    monkeypatch.setattr(claims, "refutation", lambda *asked: played.append(asked))
    messages = entry.messages
    report = ap.check(entry.mechanism, messages=messages, only=["claims"], seed=1)
    for _, claim, _, scripts, _ in played:
        assert all(claim.verification(script) is ap.TOP for script in scripts)
        assert all(any(map(differs, script)) for script in scripts)
    assert report.done == (("claims",) if played else ())
    assert (report.vacuous == ("claims",)) is not bool(played)
    assert played or entry.name in ALIKE_ONLY


@pytest.mark.every(4)
@pytest.mark.parametrize("entry", of_everyday(LIFTED))
def test_a_property_was_tested_on_a_differing_pair(entry, monkeypatch):
    heard, runs = [], properties._runs

    def watched(*asked):
        for each in runs(*asked):
            heard.append(each)
            yield each

    monkeypatch.setattr(properties, "_runs", watched)
    right = entry.right if isinstance(entry.right, Mechanism) else ap.ExtConComp()
    report = ap.check(entry.processor, right=right, only=["properties"], seed=1)
    assert report, str(report)
    assert report.done == (("properties",) if any(map(differs, heard)) else ())
    assert report.done or report.vacuous == ("properties",)
