"""Draw docs/images/rooms.png: the rooms of the library, and the way of a context vector through them.

.venv/bin/python docs/rooms_figure.py
"""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from kernelbandits.reporting import COLOURS

ROWS = [
    # From top to bottom; a room imports only rooms below it.
    [("cli", "one file per command")],
    [("paper", "the eight methods, figures 1 and 2, table 1"), ("service", "decisions over HTTP (an extra)")],
    [("experiments", "grid, engines, store, results")],
    [("theory", "statements as functions; diagnosis of a table"), ("offline", "logs, replay, evaluation of policies")],
    [("environments", "instances and rounds; play")],
    [("bandit", "rows in, decisions by name out, rewards by id")],
    [("tables", "one reader, one encoding")],
    [("policies", "agent, learners, decisions")],
    [("beliefs", "mean and deviation per arm, prefetched rounds")],
    [("regression", "interpolator, ridge, Gaussian process, Nyström, iterative")],
    [("kernels", "geometry, profiles, algebra")],
    [("saving", "one file without code: agents, predictors, encoders")],
    [("reporting", "document → terminal, HTML, JSON; figures"), ("linalg", "growing factor, panels, limits")],
    [("errors · types · specs · checks · problem", "the hallway, used by every room; arm_checks, user_modules")],
]
WAY = [
    # (room, what happens there), in the order of the walk
    ("experiments", "1 a cell of the grid is due"),
    ("environments", "2 contexts (T, K, d) are drawn; play hands them to the agent"),
    ("policies", "3 the agent prefetches a block, shows a round to the learner"),
    ("beliefs", "4 UCB, Thompson: posteriors answer for the block"),
    ("regression", "5 EtC: one fit per arm when exploration is over"),
    ("kernels", "6 the context meets the data: one Gram block"),
    ("linalg", "7 linalg: factor and solve"),
    ("policies", "8 the best score is played, its reward observed"),
    ("experiments", "9 (arm, regret) is stored; results are collected"),
    ("reporting", "10 reporting: table, curves, files"),
]
WIDTH, HEIGHT, GAP = 6.4, 0.62, 0.16


def main() -> None:
    figure = Figure(figsize=(12.5, 9.6), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    middle = {}
    for row, rooms in enumerate(ROWS):
        y, width = -row * (HEIGHT + GAP), (WIDTH - GAP * (len(rooms) - 1)) / len(rooms)
        for place, (name, words) in enumerate(rooms):
            x = place * (width + GAP)
            box = FancyBboxPatch(
                (x, y), width, HEIGHT, boxstyle="round,pad=0,rounding_size=0.08", fc="#eef3f8", ec="#35507a"
            )
            axes.add_patch(box)
            axes.text(x + 0.12, y + HEIGHT * 0.62, name, va="center", fontsize=11, fontweight="bold")
            axes.text(x + 0.12, y + HEIGHT * 0.25, words, va="center", fontsize=8.5, color="0.3")
            middle[name] = (WIDTH, y + HEIGHT / 2)
    steps = {}
    for name, words in WAY:
        steps.setdefault(middle[name], []).append(words)
    for (x, y), lines in steps.items():
        axes.plot([x + 0.05, x + 0.35], [y, y], color=COLOURS[1], linewidth=1.5)
        axes.text(x + 0.42, y, "\n".join(lines), va="center", fontsize=9.5, color="#a04000")
    axes.set_xlim(-0.1, WIDTH + 5.4)
    axes.set_ylim(-len(ROWS) * (HEIGHT + GAP) + GAP, HEIGHT + 0.1)
    figure.savefig(Path(__file__).parent / "images" / "rooms.png", dpi=110, metadata={"Software": None})


main()
