"""Will it work on these data, and how long to explore? The paper's theory and a data-driven budget, for a sample."""

from kernelbandits.theory.diagnosis.diagnosing import diagnose
from kernelbandits.theory.diagnosis.kernel_text import kernel_from_text
from kernelbandits.theory.diagnosis.planning import Numbers, Plan, Step, plan_exploration
from kernelbandits.theory.diagnosis.report import Diagnosis, ErrorCurve, FitError, Linearity, RewardErrors
from kernelbandits.theory.diagnosis.standardising import Standardised, standardise

__all__ = [
    "Diagnosis",
    "ErrorCurve",
    "FitError",
    "Linearity",
    "Numbers",
    "Plan",
    "RewardErrors",
    "Standardised",
    "Step",
    "diagnose",
    "kernel_from_text",
    "plan_exploration",
    "standardise",
]
