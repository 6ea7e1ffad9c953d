"""Diagnosis of a sample: will kernel bandits work on these data, and how long to explore?"""

from kernelbandits.theory.diagnosis.budgets import PlanningInputs
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis, ErrorCurve, diagnose
from kernelbandits.theory.diagnosis.document import budget_document, diagnosis_document
from kernelbandits.theory.diagnosis.kernel_text import kernel_from_text
from kernelbandits.theory.diagnosis.rewards import FitError, RewardErrors
from kernelbandits.theory.diagnosis.standardising import Standardised, standardise

__all__ = [
    "Diagnosis",
    "ErrorCurve",
    "FitError",
    "PlanningInputs",
    "RewardErrors",
    "Standardised",
    "budget_document",
    "diagnose",
    "diagnosis_document",
    "kernel_from_text",
    "standardise",
]
