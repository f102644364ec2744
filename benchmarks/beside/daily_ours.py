"""Daily counts by carrier: a row is added or removed, ε = 1."""

import antiphon as ap


def told(rows, carriers, best):
    """Window by window, the counts of each carrier."""
    board = ap.boards.counts(
        by="carrier", keys=carriers, start="2013-01-01", horizon=365,
        unit="row", user=None, per_user=None, epsilon=1, best=best,
    )  # fmt: skip
    live = board.start()
    live.feed(rows, name="flights", until="2014-01-01")
    return live.ask("window").values, live.ask("total").values
