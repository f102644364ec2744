"""Storm's side of ``storm.py``: run by ``.venv-peers``, asked by ``peers.py``.

A question is the ``models``, each [(observation, [{next state: probability}])], by state: 0 is the
start, 1 is won. The answers are the largest probabilities to win, and their processor time.
"""

from __future__ import annotations

import json
import sys
import time

import stormpy.developer.storage as storage
from stormpy import parse_property
from stormpy.models import SparsePomdp, StateLabeling
from stormpy.pomdp import verify_with_belief_unfolding


def build(model):
    """The model as Storm's POMDP."""
    builder = storage.SparseMatrixBuilder(has_custom_row_grouping=True)
    row = 0
    for _, choices in model:
        builder.new_row_group(row)
        for choice in choices:
            for to, p in sorted((int(to), p) for to, p in choice.items()):
                builder.add_next_value(row, to, p)
            row += 1
    labels = StateLabeling(len(model))
    for place, label in enumerate(("init", "won")):
        labels.add_label(label)
        labels.add_label_to_state(label, place)
    components = storage.SparseModelComponents(builder.build(row, len(model), len(model)), labels)
    components.observability_classes = [observation for observation, _ in model]
    return SparsePomdp(components, True)


def check(pomdp):
    """(Pmax [guess right], beliefs), by unfolding all beliefs."""
    goal = parse_property('Pmax=? [F "won"]')
    return verify_with_belief_unfolding(pomdp, goal, build_choice_labeling=False)


if __name__ == "__main__":
    models = json.load(sys.stdin)["models"]
    start = time.process_time()
    answer = [check(build(model)).value for model in models]
    print(json.dumps({"answer": answer, "seconds": time.process_time() - start}))
