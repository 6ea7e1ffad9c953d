"""Arrays that cannot be used are refused by name, with what was expected, whichever way they come in."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument

NAN, INF = float("nan"), float("inf")
GOOD, Y = np.ones((3, 2)), np.arange(3.0)
FIT = kb.MinNormInterpolator(kb.Gaussian()).fit(np.eye(2), [1.0, 2.0])
POSTERIOR = kb.GaussianProcess(kb.Gaussian()).fit(np.eye(2), [1.0, 2.0])
ESTIMATORS = [kb.MinNormInterpolator(kb.Linear()), kb.KernelRidge(kb.Linear()), kb.GaussianProcess(kb.Linear())]

BAD_POINTS = [
    ([[1.0, NAN]], "must be finite; row 0, column 1 is nan"),
    ([[1.0, 2.0], [-INF, 2.0]], "must be finite; row 1, column 0 is -inf"),
    ([[INF, -INF]], "must be finite; row 0, column 0 is inf"),
    ([1.0, 2.0], r"must have shape .*\(points, features\); got shape \(2,\)"),
    (3.0, r"must have shape .*\(points, features\); got shape \(\)"),
    (np.ones((2, 2, 2)), r"must have shape .*got shape \(2, 2, 2\)"),
    (np.ones((0, 2)), r"must not be empty; got shape \(0, 2\)"),
    ([], r"must have shape .*got shape \(0,\)"),
    ([["a", "b"]], "must hold real numbers; got an array of type <U1. Encode categories"),
    ([[1.0, None]], "must hold real numbers; got an array of type object"),
    ([[1.0, 2.0], [3.0]], "must be a rectangular array of numbers"),
    ([[1j, 2.0]], "must hold real numbers; got an array of type complex128"),
]
bad_points = pytest.mark.parametrize(("points", "words"), BAD_POINTS, ids=range(len(BAD_POINTS)))


@bad_points
def test_kernel_refuses_its_first_argument(points, words):
    with pytest.raises(InvalidArgument, match=f"^X {words}"):
        kb.Gaussian()(points)


@bad_points
def test_kernel_refuses_its_second_argument(points, words):
    with pytest.raises(InvalidArgument, match=f"^Z {words}"):
        kb.Gaussian()(GOOD, points)


@bad_points
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_fit_refuses_points(estimator, points, words):
    with pytest.raises(InvalidArgument, match=f"^X {words}"):
        estimator.fit(points, [1.0])


@bad_points
@pytest.mark.parametrize("predict", [FIT.mean, POSTERIOR.mean, POSTERIOR.std], ids=["fit", "mean", "std"])
def test_prediction_refuses_points(predict, points, words):
    with pytest.raises(InvalidArgument, match=f"^Z {words}"):
        predict(points)


@pytest.mark.parametrize("predict", [FIT.mean, POSTERIOR.mean, POSTERIOR.std], ids=["fit", "mean", "std"])
def test_prediction_refuses_another_number_of_features(predict):
    with pytest.raises(InvalidArgument, match=r"^Z must have shape \(any, 2\).*got shape \(1, 3\)"):
        predict(np.ones((1, 3)))


def test_kernel_refuses_points_of_two_dimensions():
    with pytest.raises(InvalidArgument, match=r"^Z must have shape \(any, 2\).*got shape \(1, 3\)"):
        kb.Linear()(GOOD, np.ones((1, 3)))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ([1.0, NAN, 2.0], "must be finite; entry 1 is nan"),
        ([1.0, INF, 2.0], "must be finite; entry 1 is inf"),
        ([1.0, 2.0], r"must have shape \(3,\), that is one number per row of X; got shape \(2,\)"),
        ([[1.0], [2.0], [3.0]], r"must have shape \(3,\).*got shape \(3, 1\)"),
        (["1", "2", "3"], "must hold real numbers"),
        ([], r"must have shape \(3,\).*got shape \(0,\)"),
    ],
)
def test_fit_refuses_targets(estimator, targets, words):
    with pytest.raises(InvalidArgument, match=f"^y {words}"):
        estimator.fit(GOOD, targets)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1.0, NAN], 0.0, "x must be finite; entry 1 is nan"),
        ([1.0], 0.0, r"x must have shape \(2,\), that is one point; got shape \(1,\)"),
        ([[1.0, 2.0]], 0.0, r"x must have shape \(2,\)"),
        ([1.0, 2.0], NAN, "reward must be finite; got nan"),
        ([1.0, 2.0], "1", "reward must be a number; got '1'"),
        ([1.0, 2.0], None, "reward must be a number; got None"),
    ],
)
def test_extend_refuses_and_leaves_the_posterior(x, y, words):
    before = POSTERIOR.mean(GOOD)
    with pytest.raises(InvalidArgument, match=words):
        POSTERIOR.extend(x, y)
    assert POSTERIOR.n == 2
    assert np.array_equal(POSTERIOR.mean(GOOD), before)
    assert np.array_equal(POSTERIOR.extend([3.0, 1.0], 1.0).X, [[1.0, 0.0], [0.0, 1.0], [3.0, 1.0]])


def test_large_numbers_are_not_mistaken_for_infinity():
    """Their sum overflows, they do not; and nothing is printed."""
    assert kb.Problem(2, 1, reward_norms=[1e308, 1e308]).reward_norms[1] == 1e308


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.Laplace(), kb.Linear()], ids=repr)
def test_points_whose_squares_overflow_are_refused(kernel):
    """They are finite, but their distances and inner products are not."""
    points = [[1e200, 1.0], [2e200, 1.0]]
    with pytest.raises(InvalidArgument, match=r"^X "):
        kernel(points)
    with pytest.raises(InvalidArgument, match=r"^X "):
        kb.MinNormInterpolator(kernel).fit(points, [1.0, 2.0])


def test_schoenberg_says_where_it_is_defined():
    kernel = kb.Schoenberg(coefficients=(1.0, 1.0), dim=4)
    with pytest.raises(InvalidArgument, match="row 1 is the zero vector"):
        kernel([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(InvalidArgument, match="up to dim=4; got points with 5 features"):
        kernel(np.ones((1, 5)))


AGENT = kb.Uniform().start(kb.Problem(3, 2), 0)
HIDDEN = np.ma.masked_array(GOOD, mask=[[False, False], [False, True], [False, False]])
MASKED_USES = {
    "contexts": [
        lambda: AGENT.choose(HIDDEN),
        lambda: AGENT.choose_batch(np.ma.masked_array([GOOD], mask=[HIDDEN.mask])),
        lambda: AGENT.prefetch(np.ma.masked_array([GOOD], mask=[HIDDEN.mask])),
        lambda: AGENT.choose(list(HIDDEN)),
        lambda: kb.Log(HIDDEN, np.array([0, 0, 0]), Y, np.ones(3), 1),
    ],
    "context": [lambda: AGENT.observe(HIDDEN[1], 0, 1.0)],
    "eligible": [
        lambda: AGENT.choose(GOOD, eligible=np.ma.masked_array([True, True, True], mask=[True, False, False])),
        lambda: AGENT.choose_batch([GOOD], np.ma.masked_array([[True, True, True]], mask=[[True, False, False]])),
    ],
    "X": [lambda: kb.Gaussian()(HIDDEN), lambda: ESTIMATORS[0].fit(HIDDEN, Y)],
    "Z": [lambda: FIT.mean(HIDDEN)],
    "y": [lambda: ESTIMATORS[0].fit(GOOD, np.ma.masked_array(Y, mask=[False, True, False]))],
    "arms": [lambda: kb.Log(GOOD, np.ma.masked_array([0, 0, 0], mask=[True, False, False]), Y, np.ones(3), 1)],
    "rewards": [lambda: kb.Log(GOOD, np.array([0, 0, 0]), np.ma.masked_less(Y, 1.0), np.ones(3), 1)],
    "reward_norms": [lambda: kb.Problem(3, 2, reward_norms=np.ma.masked_less(Y, 1.0))],
}
MASKED = [(name, use) for name, uses in MASKED_USES.items() for use in uses]


@pytest.mark.parametrize(("name", "use"), MASKED, ids=range(len(MASKED)))
def test_masked_entries_have_no_value(name, use):
    with pytest.raises(InvalidArgument, match=rf"^{name} must be .* got a masked array with [12] masked entr.*filled"):
        use()


def test_a_masked_array_without_masked_entries_is_an_array():
    assert AGENT.choose(np.ma.masked_array(GOOD), eligible=np.ma.masked_array([True, False, False])).arm == 0


def test_a_masked_reward_is_refused():
    with pytest.raises(InvalidArgument, match="reward must be a number; got masked"):
        AGENT.observe(GOOD[0], 0, np.ma.masked)


@pytest.mark.parametrize("size", [1e200, -2e100, 1e-160, -9e-101, np.float64(1e150), 10**120])
def test_rewards_beyond_arithmetic_are_refused_by_name(size):
    words = r"must be 0 or of size 1e-100 to 1e\+100; got .*in another unit"
    with pytest.raises(InvalidArgument, match=f"^reward {words}"):
        AGENT.observe(GOOD[0], 0, size)
    with pytest.raises(InvalidArgument, match=f"^reward {words}"):
        POSTERIOR.extend([1.0, 2.0], size)
    targets = [0.0, 1.0, float(size)]
    for estimator in ESTIMATORS:
        with pytest.raises(InvalidArgument, match=f"^y: entry 2 {words}"):
            estimator.fit(GOOD, targets)
    with pytest.raises(InvalidArgument, match=f"^rewards: entry 2 {words}"):
        kb.Log(GOOD, np.array([0, 0, 0]), np.array(targets), np.ones(3), 1)


@pytest.mark.parametrize("reward", [0.0, -0.0, 1e-100, -1e100, 0, True, np.float32(1e30)])
def test_rewards_that_can_be_used(reward):
    AGENT.observe(GOOD[0], 0, reward)
