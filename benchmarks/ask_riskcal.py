"""riskcal's side of ``test_risk.py``: run by ``.venv-peers``, asked by ``peers.py``.

A question is ``curves``: of each its ``kind`` ("adp", "gdp", "zcdp", or "composed", of pairs of
(ε, δ, how many) and the grid's ``step``), its parameters, and false-positive rates ``alphas``. The
answer is of each curve the advantage, and the true-positive rate at each rate.
"""

from __future__ import annotations

import json
import sys

from ask_dp_accounting import composed
from measures import seconds
from riskcal import analysis


def told(kind, alphas, parameters, step=None):
    """The advantage and the true-positive rates."""
    if kind == "composed":
        law = composed(parameters, step)
        advantage = analysis.get_advantage_from_pld(law)
        betas = [analysis.get_beta_from_pld(law, alpha=each) for each in alphas]
    else:
        advantage = getattr(analysis, f"get_advantage_from_{kind}")(*parameters)
        beta = getattr(analysis, f"get_beta_from_{kind}")
        betas = [beta(*parameters, each) for each in alphas]
    return [float(advantage), *[1 - float(each) for each in betas]]


if __name__ == "__main__":
    curves = json.load(sys.stdin)["curves"]
    answer, spent = seconds(lambda: [told(**each) for each in curves])
    print(json.dumps({"answer": answer, "seconds": spent}))
