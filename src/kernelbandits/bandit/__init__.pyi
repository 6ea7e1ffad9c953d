from .bandit import Bandit as Bandit
from .calibration import Calibration as Calibration
from .decision import BanditDecision as BanditDecision
from .ledger import Awaiting as Awaiting, Ledger as Ledger
from .summary import ArmSummary as ArmSummary, BanditSummary as BanditSummary
