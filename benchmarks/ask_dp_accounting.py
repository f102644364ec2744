"""dp-accounting's side of ``test_accounting.py``: run by ``.venv-peers``, asked by ``peers.py``.

A question is ``pairs`` of (ε, δ, how many), the grid's width ``step``, and ``delta`` or
``epsilon``, of which the other is the answer; with ``memory``, a second run tells its ``MB``.
With ``sigma`` it is about ``times`` discrete Gaussians in place of ``pairs``.
"""

from __future__ import annotations

import json
import sys

from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as accounting
from measures import peak, seconds


def composed(pairs, step):
    """The privacy-loss distribution of all mechanisms together."""
    total = None
    for epsilon, delta, times in pairs:
        parameters = common.DifferentialPrivacyParameters(epsilon, delta)
        each = accounting.from_privacy_parameters(
            parameters, value_discretization_interval=step
        ).self_compose(times)
        total = each if total is None else total.compose(each)
    return total


def gaussians(sigma, times, step):
    """That of discrete Gaussians of sensitivity 1."""
    each = accounting.from_discrete_gaussian_mechanism(sigma, value_discretization_interval=step)
    return each.self_compose(times)


def asked(step, pairs=(), sigma=None, times=1, epsilon=None, delta=None):
    """The answer."""
    law = composed(pairs, step) if sigma is None else gaussians(sigma, times, step)
    return law.get_delta_for_epsilon(epsilon) if delta is None else law.get_epsilon_for_delta(delta)


def said(memory=False, **question):
    """The answer, its seconds and megabytes."""
    answer, spent = seconds(lambda: asked(**question))
    megabytes = {"MB": peak(lambda: asked(**question))} if memory else {}
    return {"answer": answer, "seconds": spent} | megabytes


if __name__ == "__main__":
    print(json.dumps(said(**json.load(sys.stdin))))
