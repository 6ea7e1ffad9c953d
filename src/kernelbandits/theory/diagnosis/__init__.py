"""Diagnosis of a sample: will kernel bandits work on these data, and how long to explore?"""

from kernelbandits.theory.diagnosis.cross_validation import ArmScores, HeldOutScore, HeldOutScores
from kernelbandits.theory.diagnosis.diagnosis import Diagnosis, diagnose
from kernelbandits.theory.diagnosis.document import budget_document, diagnosis_document, report_sample
from kernelbandits.theory.diagnosis.kernel_text import kernel_from_text
from kernelbandits.theory.diagnosis.samples import read_sample
from kernelbandits.theory.diagnosis.verdict import DiagnosisVerdict, Suitability
