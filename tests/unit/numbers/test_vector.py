"""The persistent vector against a tuple model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

from antiphon.numbers.persistent_vector import Vector


@given(st.integers(0, 600), st.data())
def test_versions_against_tuples(size, data):
    """Random branching: any old version may be changed, and all stay what they were."""
    versions = [(Vector(range(size)), tuple(range(size)))]
    for _ in range(data.draw(st.integers(1, 12))):
        vector, model = versions[data.draw(st.integers(0, len(versions) - 1))]
        if model and data.draw(st.booleans()):
            index = data.draw(st.integers(0, len(model) - 1))
            versions.append((vector.set(index, "x"), (*model[:index], "x", *model[index + 1 :])))
        else:
            for _ in range(data.draw(st.sampled_from([1, 1, 17, 300]))):
                vector, model = vector.append("y"), (*model, "y")
            versions.append((vector, model))
    for vector, model in versions:
        assert tuple(vector) == model
        assert len(vector) == len(model)
        assert all(vector.get(i) == item for i, item in enumerate(model))
        assert vector.get(-1) is vector.get(len(model)) is None
        assert vector == Vector(model)
        assert hash(vector) == hash(Vector(model))


@over("size", [0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097])
def test_appending_and_building_make_the_same_tree(size):
    grown = Vector()
    for i in range(size):
        grown = grown.append(i)
    assert grown == Vector(range(size))
    assert hash(grown) == hash(Vector(range(size)))
    assert grown != Vector(range(size + 1))
    assert list(grown) == list(range(size))


def test_vectors_are_compared_by_what_is_in_them():
    assert Vector([1, 2]) != Vector([1, 3])
    leaves = [tuple(range(16)), tuple(range(16, 32))]
    assert Vector(leaves) != Vector(range(32))  # the same tuples, for two items or for 32


def test_vectors_of_one_content_but_another_length_differ():
    assert Vector([None]) != Vector([])
    assert Vector([()]) != Vector([])
    assert Vector([1]) != (1,)


@pytest.mark.parametrize("index", [-1, 3, 10**30])
def test_set_outside_is_an_error(index):
    with pytest.raises(IndexError):
        Vector(range(3)).set(index, 0)
    assert Vector(range(3)).get(index) is None
