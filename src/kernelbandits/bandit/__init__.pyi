from .bandit import Bandit as Bandit
from .calibration import Calibration as Calibration
from .decision import BanditDecision as BanditDecision
from .files import load_bandit as load_bandit, policy_from as policy_from
from .ledger import Awaiting as Awaiting, Ledger as Ledger
from .logged_rows import arms_in as arms_in
from .outside_ledger import (
    learn as learn,
    reward_counts as reward_counts,
    weigh as weigh,
    weigh_many as weigh_many,
)
from .scoring import score_file as score_file
from .summary import ArmSummary as ArmSummary, BanditSummary as BanditSummary
