"""Saving and loading without code: one file of arrays and a description, from which nothing is run."""

from kernelbandits.saving.saving import Saveable, load, restore, save
