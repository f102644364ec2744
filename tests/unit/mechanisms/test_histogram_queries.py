"""Histogram queries: monotone and as sensitive as they say, and no less; broken twins found."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon.audit import search_query
from antiphon.mechanisms import (
    CountAbove,
    HistogramMonitor,
    HistogramQuery,
    HistogramSVT,
    KthLargest,
    Scaled,
    SparseVector,
    TopSum,
    Total,
    check_query,
    quantile,
)
from antiphon.protocol.provenance import why_untrusted

D = 3
QUERIES = [
    KthLargest(1), KthLargest(2), KthLargest(3), quantile(0.5, D), quantile(0, D), quantile(1, D),
    TopSum(1), TopSum(2), TopSum(7), Total(),
    CountAbove(2), CountAbove(2, width=2), CountAbove(2, width=3), CountAbove(3, width=5),
    Scaled(Total(), 3), Scaled(Total(), 2), Scaled(TopSum(2), 2), Scaled(KthLargest(2), 4),
]  # fmt: skip


@attrs.frozen
class Broken(HistogramQuery):
    """A query that breaks its promise to be monotone and 1-sensitive."""

    name: str

    def __call__(self, counts):
        low, high = min(counts), max(counts)
        return {"range": high - low, "minus": -high, "total": sum(counts), "twice": 2 * low,
                "above": sum(each >= 3 for each in counts),
                "ceiling": -(-sum(counts) // (len(counts) - 1)),
                "parity": high - (high % 2 if high >= 1000 else 0)}[self.name]  # fmt: skip

    def sensitivity(self, dimension):
        return 1


@over("query", QUERIES, at_least=18)
def test_queries_are_monotone_and_as_sensitive_as_they_say_on_a_box(query):
    assert check_query(query, dimension=D, largest=7) is None
    assert search_query(query, dimension=6, examples=60) is None
    assert why_untrusted(query) is None


@over("query", QUERIES, at_least=18)
def test_no_query_is_less_sensitive_than_it_says(query):
    said = query.sensitivity(D)
    if said > 1:
        found = check_query(query, dimension=D, largest=7, sensitivity=said - 1)
        assert found is not None
        assert found.values[1] - found.values[0] == said


@given(
    st.sampled_from(QUERIES),
    st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 1)), min_size=D, max_size=D),
)
def test_sensitivity_in_all_directions_follows_from_that_upwards(query, moves):
    x = tuple(count for count, _ in moves)
    y = tuple(max(0, count + move) for count, move in moves)
    assert abs(query(x) - query(y)) <= query.sensitivity(D)


@over(
    ("name", "reason"),
    [("range", "not monotone"), ("minus", "not monotone"), ("total", "not 1-sensitive"),
     ("twice", "not 1-sensitive"), ("above", "not 1-sensitive"), ("ceiling", "not 1-sensitive")],
)  # fmt: skip
def test_broken_twins_are_found(name, reason):
    query = Broken(name)
    found = check_query(query, dimension=D, largest=4)
    assert reason in found.reason
    x, y = found.histograms
    assert (query(x), query(y)) == found.values
    assert search_query(query, dimension=D).reason == found.reason
    assert why_untrusted(query) is not None
    assert why_untrusted(Scaled(query, 3)) is not None


def test_a_search_goes_where_no_box_does():
    odd = Broken("parity")
    assert check_query(odd, dimension=2, largest=50) is None
    assert search_query(odd, dimension=2, largest=1100, examples=3000) is not None
    with pytest.raises(ap.Intractable):
        check_query(odd, dimension=9, largest=50)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8).map(tuple), st.integers(1, 25),
       st.integers(1, 9))  # fmt: skip
def test_what_queries_are(x, threshold, width):
    k = min(2, len(x))
    assert KthLargest(k)(x) == sorted(x, reverse=True)[k - 1]
    assert TopSum(k)(x) == sum(sorted(x, reverse=True)[:k])
    assert CountAbove(threshold)(x) == sum(each >= threshold for each in x)
    soft = CountAbove(threshold, width=width)(x)
    assert CountAbove(threshold)(x) <= soft <= sum(each > threshold - width for each in x)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8).map(tuple),
       st.fractions(0, 1, max_denominator=20))  # fmt: skip
def test_a_quantile_is_the_least_count_that_a_share_does_not_exceed(x, share):
    found = quantile(share, len(x))(x)
    assert sum(each <= found for each in x) >= share * len(x)
    assert found == min(x) or sum(each < found for each in x) < share * len(x)


@pytest.mark.parametrize("query", [Total(), TopSum(2), CountAbove(2), CountAbove(2, width=2)])
def test_mechanisms_refuse_queries_that_are_not_1_sensitive(query):
    with pytest.raises(ap.InvalidArgument, match=r"3-sensitive|2-sensitive"):
        HistogramSVT(epsilon=1, query=query, histogram=(0, 0, 0))
    sparse = SparseVector(epsilon=1)
    with pytest.raises(ap.InvalidArgument, match="Scaled"):
        HistogramMonitor(mechanism=sparse, queries=(KthLargest(1), query), dimension=3)
    scaled = Scaled(query, query.sensitivity(3))
    assert HistogramMonitor(mechanism=sparse, queries=(scaled,), dimension=3).lifting


@over(
    "make",
    [lambda: KthLargest(0), lambda: TopSum(0.5), lambda: CountAbove(True), lambda: CountAbove(1, 0),
     lambda: Scaled(max, 2), lambda: Scaled(Total(), 0), lambda: quantile(2, 3),
     lambda: quantile(0.5, 0), lambda: check_query(Total(), dimension=0, largest=1)],
)  # fmt: skip
def test_parameters_are_checked(make):
    with pytest.raises(ap.InvalidArgument):
        make()


def test_a_query_of_a_user_stays_one_however_it_is_scaled():
    @attrs.frozen
    class Lying(HistogramQuery):
        def __call__(self, counts):
            return 7 * sum(counts)

        def sensitivity(self, dimension):
            return 1

    assert why_untrusted(Scaled(Scaled(Total(), 2), 3)) is None
    assert why_untrusted(Scaled(Scaled(Lying(), 2), 3)) is not None
    Lying.__module__ = "antiphon.selfcheck.corpus.twins"
    assert why_untrusted(Lying()) is not None
