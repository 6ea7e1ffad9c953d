import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument

ENVIRONMENT = kb.Synthetic(kb.LowRank(), n_arms=2, dim=4, n_bumps=5)
INSTANCE = ENVIRONMENT.draw(0)


@pytest.mark.parametrize("rng", ["a", -1, 1.5, True, None, np.random])
@pytest.mark.parametrize(
    "use",
    [
        ENVIRONMENT.draw,
        lambda rng: kb.Uniform().start(INSTANCE.problem(), rng),
        lambda rng: kb.play(kb.Uniform(), INSTANCE, 5, rng),
    ],
    ids=["draw", "start", "play"],
)
def test_what_is_no_source_of_randomness_is_refused(use, rng):
    with pytest.raises(InvalidArgument, match=r"^rng must be a numpy.random.Generator or a seed"):
        use(rng)


def test_a_seed_is_its_generator():
    assert np.array_equal(INSTANCE.context_std, ENVIRONMENT.draw(np.random.default_rng(0)).context_std)


@pytest.mark.parametrize("delta", ["a", -0.1, float("nan")])
def test_delta_of_lenient_regret(delta):
    with pytest.raises(InvalidArgument, match=r"^delta must be a number of at least 0"):
        kb.lenient_regret(np.zeros((2, 3)), delta)
