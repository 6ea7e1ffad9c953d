"""Contract checks for kernels, estimators, policies and beliefs, also your own, which raise `AssertionError`.

In a test: `def test_my_policy(): check_policy(MyPolicy())`.
"""

from kernelbandits.testing.beliefs import check_belief, check_belief_in_any_order, check_belief_in_any_unit
from kernelbandits.testing.policies import check_decisions, check_policy, check_saving
from kernelbandits.testing.specs import check_estimator, check_kernel, check_spec, hostile_points
