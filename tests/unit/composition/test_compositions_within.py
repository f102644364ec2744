"""A composition as a child of another: the HALT of a grandchild ends neither."""

import antiphon as ap
from antiphon.mechanisms import LeakyBit, RandomizedResponse

RR = RandomizedResponse(epsilon=1)


def test_a_grandchild_halts_alone():
    session = ap.ExtConComp().start(seed=1)
    session.send(ap.Create(ap.ConComp([RR, RR])))
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is not ap.HALT
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is ap.HALT
    assert session.send(ap.Ask(ap.Ask(1, 1), 0)) is not ap.HALT
    assert session.send(ap.Ask(ap.Ask(1, 1), 0)) is ap.HALT


def test_an_index_that_does_not_exist_ends_the_inner_composition_and_no_other():
    session = ap.ExtConComp().start(seed=1)
    session.send(ap.Create(ap.ConComp([LeakyBit(delta=0)])))
    session.send(ap.Create(LeakyBit(delta=0)))
    assert session.send(ap.Ask(ap.Ask(0, 5), 0)) is ap.HALT
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is ap.HALT
    assert session.send(ap.Ask(0, 1)) is ap.TOP
