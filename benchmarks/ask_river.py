"""river's side of ``test_learners.py``: run by ``.venv-peers``, asked by ``peers.py``.

A question is a table ``losses`` and a ``rate``. Its exponentially weighted average of d constant
forecasts meets the squared losses of each row. It answers by the average, where Hedge draws.
"""

from __future__ import annotations

import json
import sys

from measures import seconds
from river import base, ensemble


class Told(base.Regressor):
    """An expert that forecasts what stands at its place."""

    def __init__(self, place=0):
        self.place = place

    def learn_one(self, x, y):
        """Nothing."""

    def predict_one(self, x):
        """What stands there."""
        return x[self.place]


def play(losses, rate):
    """The forecasts of all rounds."""
    hedge = ensemble.EWARegressor(
        [Told(place) for place in range(len(losses[0]))], learning_rate=rate
    )
    return [hedge.learn_predict_one(row, 0.0) for row in losses]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    answer, spent = seconds(lambda: play(**asked))
    print(json.dumps({"answer": sum(answer), "seconds": spent}))
