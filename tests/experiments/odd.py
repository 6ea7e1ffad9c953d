"""Results with names that try to break out of a page, a method that is missing in a panel, and one without regret."""

import kernelbandits as kb
from kernelbandits.experiments import InProcess

SCRIPT = "</script><script>window.broken = 1</script>"
IMAGE = "\"><img src=x onerror='window.broken = 2'> & $title"
UNICODE = "Δ-greedy «ε» 日本 🎰 עברית"
LONG = "unbroken_" * 12
SEEDS, HORIZON, MARK = (0, 1, 5), 700, 90


def experiment():
    etc = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)), n_explore=MARK)
    first = {SCRIPT: etc, IMAGE: kb.Uniform(), UNICODE: kb.Oracle(), "EtC": etc}
    second = {IMAGE: kb.Uniform(), LONG: kb.Uniform(), "EtC": etc}
    world = kb.Synthetic(kb.LowRank(), n_arms=3, dim=12, n_bumps=20)
    panels = (kb.Panel(f"{SCRIPT} & <b>", world, first, mark=MARK), kb.Panel(LONG, world, second))
    return kb.Experiment("odd", panels, HORIZON, SEEDS, title=IMAGE)


def odd_results(folder):
    return kb.run(experiment(), folder, InProcess())
