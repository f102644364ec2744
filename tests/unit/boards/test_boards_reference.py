"""Boards beside a slow reference, on random rows in random files, in any order, fed again."""

from collections import defaultdict
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from making import summing
from trying import examples

START = datetime(2026, 1, 1)
KEYS = ("a", "b", "rest")

rows = st.lists(
    st.tuples(
        st.integers(0, 5 * 24 - 1), st.sampled_from("uvw"), st.sampled_from("abc"),
        st.integers(-5, 15),
    ),
    max_size=25,
)  # fmt: skip


def reference(given_rows, per_user, per, low, high):
    """Window by window, by (time, arrival): the first rows of a user, clipped, by key."""
    kept, sums = defaultdict(int), [dict.fromkeys(KEYS, 0) for _ in range(5)]
    for hour, user, key, amount in sorted(given_rows, key=lambda row: row[0]):
        day = hour // 24
        of = user if per == "total" else (user, day)
        if kept[of] < per_user:
            kept[of] += 1
            sums[day][key if key in KEYS else "rest"] += min(max(amount, low), high)
    return [tuple(each.values()) for each in sums]


@given(rows, st.integers(1, 3), st.sampled_from(["window", "total"]), st.integers(1, 4), st.data())
@examples(5)
def test_it_counts_as_one_would_by_hand(given_rows, per_user, per, parts, data):
    board = summing(
        by="key", keys=KEYS[:2], others="rest", row="id", low=-2, high=9, per_user=per_user,
        per=per, unit="user" if per == "total" else "user-window",
    )  # fmt: skip
    cells = [
        (START + timedelta(hours=hour), user, key, amount, f"r{number}")
        for number, (hour, user, key, amount) in enumerate(given_rows)
    ]
    live = board.start(seed=1)
    size = max(1, len(cells) // parts)
    for first in range(0, len(cells), size):
        live.feed(cells[first : first + size], until="2026-01-01")
        again = data.draw(st.integers(0, len(cells)))
        live.feed(cells[: min(again, first + size)], until="2026-01-01")  # which are known
    fed = live.feed(cells, until="2026-01-06")
    assert (fed.new, fed.again) == (0, len(cells))
    assert [*live.ask("window").values] == reference(given_rows, per_user, per, -2, 9)
