"""A whole audit by DP-Auditorium beside ours: Laplace noise on a mean, samples a second.

With its source on the path (github.com/google/differential-privacy, python/dp_auditorium) and
``pip install tensorflow tf_keras tensorflow-probability google-vizier etils[array_types] jax``:

    PYTHONPATH=dp_auditorium TF_USE_LEGACY_KERAS=1 python benchmarks/scripts/beside_dp_auditorium.py

Both draw the samples of two neighbouring datasets, learn on half of them how to tell the two
apart, and bound the divergence by the other half: its hockey-stick tester with a neural network,
with the settings of its own example; ours with every score tried ("auto").
"""

from __future__ import annotations

import time

import numpy as np
from dp_auditorium.configs import mechanism_config, privacy_property, property_tester_config
from dp_auditorium.mechanisms import mean
from dp_auditorium.testers import hockey_stick_tester as hockey

import antiphon as ap
from antiphon.mechanisms import Laplace


def theirs(samples: int) -> float:
    settings = mechanism_config.MeanMechanismConfig(
        epsilon=1.0,
        delta=0.0,
        use_noised_counts_for_calculating_mean=False,
        use_noised_counts_for_calculating_noise_scale=False,
        min_value=0.0,
        max_value=1.0,
    )
    tester = hockey.HockeyStickPropertyTester(
        config=property_tester_config.HockeyStickPropertyTesterConfig(
            training_config=hockey.make_default_hs_training_config(),
            approximate_dp=privacy_property.ApproximateDp(epsilon=1.0, delta=0.0),
        ),
        base_model=hockey.make_default_hs_base_model(),
    )
    mechanism = mean.MeanMechanism(settings, np.random.default_rng(1))
    start = time.perf_counter()
    one = np.asarray(mechanism(np.array([0.5, 1.0]), samples)).reshape(-1, 1)
    two = np.asarray(mechanism(np.array([0.5]), samples)).reshape(-1, 1)
    tester.estimate_lower_bound(one, two, 0.05)
    return time.perf_counter() - start


def ours(samples: int) -> float:
    noise = Laplace(epsilon=1)
    game = ap.PrivacyGame(noise, noise.claims[0].verification)
    asker = ap.scripted([ap.Pair(0.0, 1.0)])
    start = time.perf_counter()
    game.audit(asker, epsilon=1, samples=samples, seed=1, progress=False)
    return time.perf_counter() - start


def main() -> None:
    for samples in (100_000, 1_000_000):
        rates = [2 * samples / min(audit(samples) for _ in range(2)) for audit in (theirs, ours)]
        shown = f"theirs {rates[0]:10,.0f}   ours {rates[1]:12,.0f} samples/s"
        print(f"{samples:9,} of each   {shown}   {rates[1] / rates[0]:.0f} times as fast")


if __name__ == "__main__":
    main()
