"""
Figure 1 from Python
====================

The paper's Figure 1 is an experiment like any other: load it, run it, plot it. Here it is made small, with four of
its eight methods, two seeds and 300 rounds; without these limits it is the figure of the paper.
"""

# %%
# Finished runs are kept in a folder: run it again, and nothing is computed twice.

import tempfile
from dataclasses import replace

import kernelbandits as kb
from kernelbandits.experiments import InProcess

whole = kb.load_experiment("figure-1")
names = ("EtC", "EtC-Linear", "CGP-UCB", "CGP-UCB-Scaled", "low-rank, d = 100", "spectral decay, d = 100")
small = replace(whole.only(names), seeds=(0, 1), horizon=300)
results = kb.run(small, tempfile.mkdtemp(), InProcess())
print(results.summary())

# %%
# The curve of explore-then-commit with kernel interpolation bends at the end of exploration. With 2,000 rounds it
# ends far below all others.

axes = results.plot()
