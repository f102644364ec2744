"""The accounting of it with dp-accounting, which runs no mechanisms."""

import dp_accounting
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as losses

laplace = dp_accounting.LaplaceDpEvent(2.0)
spent = dp_accounting.pld.PLDAccountant()
spent.compose(laplace).compose(laplace)
print(f"two of ε = 1/2, at δ = 1e-9: ε = {spent.get_epsilon(1e-9):.4f}")
spent.compose(laplace)
print("a third:", f"ε = {spent.get_epsilon(1e-9):.4f}; to refuse it is the caller's part")

each = common.DifferentialPrivacyParameters(0.1, 1e-6)
curve = losses.from_privacy_parameters(each).self_compose(1000)
print(f"1,000 of (0.1, 1e-6), at δ = 0.01: ε = {curve.get_epsilon_for_delta(0.01):.6f}")
