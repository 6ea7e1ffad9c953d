"""Saving and loading without code: one file of arrays and a description, from which nothing is run."""

from kernelbandits.saving.agreement import Saveable
from kernelbandits.saving.saving import load, restore, save
