"""Arms that share, against slow and obvious solutions."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import examples
import kernelbandits as kb
import oracles
from kernelbandits.beliefs.joint_arms import PairKernel, pairs
from kernelbandits.linalg import Segments

K, DIM, RIDGE = 3, 4, 0.05
MODEL = kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=RIDGE)
PROBLEM = kb.Problem(n_arms=K, dim=DIM)
SIMILARITY = ((1.0, 0.7, 0.0), (0.7, 2.0, -0.3), (0.0, -0.3, 0.5))
FEATURES = ((0.0, 1.0), (1.0, 0.5), (2.0, 2.0))
COVARIANCES = [
    kb.CommonFunction(),
    kb.Exchangeable(0.0),
    kb.Exchangeable(0.4),
    kb.GivenSimilarity(SIMILARITY),
    kb.ArmFeatures(FEATURES, kb.Matern(nu=1.5)),
]
every_covariance = pytest.mark.parametrize("covariance", COVARIANCES, ids=repr)
observations = st.lists(st.tuples(st.integers(0, K - 1), st.integers(0, 5)), max_size=25)


def as_given(covariance):
    return kb.JointArms(MODEL, covariance, rewards=kb.AsGiven())


def draw(seed, n, n_arms=K, dim=DIM):
    """Contexts, arms and rewards of n observations."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, dim)), rng.integers(n_arms, size=n), rng.standard_normal(n)


def told(belief, X, arms, y, problem=PROBLEM):
    tracker = belief.start(problem)
    for x, arm, reward in zip(X, arms, y, strict=True):
        tracker.observe(x, int(arm), float(reward))
    return tracker


def direct(B, X, arms, y, contexts):
    """Posterior of every arm at its context: one solve for all rewards, every covariance written out."""

    def covariance(x, i, z, j):
        return B[i, j] * np.exp(-4.0 * np.sum((x - z) ** 2) / len(x))

    data = list(zip(X, arms, strict=True))
    A = np.array([[covariance(x, i, z, j) for z, j in data] for x, i in data])
    answers = []
    for arm, context in enumerate(contexts):
        k = np.array([covariance(context, arm, z, j) for z, j in data])
        mean, std, _ = oracles.gp_posterior(A, k, B[arm, arm], y, RIDGE)
        answers.append((mean, std))
    return np.array(answers).T


@every_covariance
def test_it_is_one_solve_over_all_pairs(covariance):
    X, arms, y = draw(0, 30)
    tracker = told(as_given(covariance), X, arms, y)
    contexts = np.random.default_rng(1).standard_normal((K, DIM))
    B = covariance.matrix(K)
    assert np.allclose(tracker.mean_and_std(contexts), direct(B, X, arms, y, contexts), atol=1e-10)


@settings(max_examples=40)
@given(observations)
def test_without_sharing_arms_are_independent(seen):
    """After any sequence of observations, repeated contexts among them."""
    places, _, rewards = draw(2, 6)
    joint, apart = kb.JointArms(MODEL, kb.Exchangeable(0.0)).start(PROBLEM), kb.IndependentArms(MODEL).start(PROBLEM)
    contexts = np.random.default_rng(3).standard_normal((K, DIM))
    for arm, place in seen:
        for tracker in (joint, apart):
            tracker.observe(places[place], arm, float(rewards[place]))
        assert np.allclose(joint.mean_and_std(contexts), apart.mean_and_std(contexts), rtol=0, atol=1e-8)


def test_a_common_function_is_one_process_for_all_pairs():
    X, arms, y = draw(4, 40)
    tracker = told(as_given(kb.CommonFunction()), X, arms, y)
    contexts = np.random.default_rng(5).standard_normal((K, DIM))
    everything = MODEL.fit(X, y)
    mean, std = tracker.mean_and_std(contexts)
    assert np.allclose(mean, everything.mean(contexts), atol=1e-10)
    assert np.allclose(std, everything.std(contexts), atol=1e-10)


def test_a_common_function_is_the_process_of_scikit_learn():
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    X, arms, y = draw(6, 40)
    tracker = told(as_given(kb.CommonFunction()), X, arms, y)
    peer = GaussianProcessRegressor(RBF(length_scale=np.sqrt(DIM / 8.0)), alpha=RIDGE, optimizer=None).fit(X, y)
    contexts = np.random.default_rng(7).standard_normal((K, DIM))
    expected = peer.predict(contexts, return_std=True)
    assert np.allclose(tracker.mean_and_std(contexts), expected, atol=1e-8)


@every_covariance
def test_the_order_of_rewards_does_not_matter(covariance):
    X, arms, y = draw(8, 25)
    contexts = np.random.default_rng(9).standard_normal((K, DIM))
    shuffled = np.random.default_rng(10).permutation(25)
    one = told(as_given(covariance), X, arms, y)
    other = told(as_given(covariance), X[shuffled], arms[shuffled], y[shuffled])
    assert np.allclose(one.mean_and_std(contexts), other.mean_and_std(contexts), atol=1e-10)


@every_covariance
def test_prefetching_changes_nothing(covariance):
    """Rewards come at once, late, twice, and from contexts that are not of the block."""
    rng = np.random.default_rng(11)
    block = kb.Prefetched(rng.standard_normal((12, K, DIM)))
    plain, ahead = (told(as_given(covariance), *draw(12, 9)) for _ in range(2))
    ahead.prefetch(block)
    for row, contexts in enumerate(block):
        assert np.allclose(plain.mean_and_std(contexts), ahead.mean_and_std(contexts), atol=1e-9)
        arm, reward = int(rng.integers(K)), float(rng.standard_normal())
        for _ in range(1 + row % 2):
            plain.observe(contexts[arm], arm, reward)
            ahead.observe(contexts[arm], arm, reward)
        elsewhere = rng.standard_normal(DIM)
        for tracker in (plain, ahead):
            tracker.observe(elsewhere, (arm + 1) % K, 0.5)
    ahead.prefetch(None)
    contexts = rng.standard_normal((K, DIM))
    assert np.allclose(plain.mean_and_std(contexts), ahead.mean_and_std(contexts), atol=1e-9)


@every_covariance
@pytest.mark.parametrize("policy", [kb.CalibratedUCB, kb.ThompsonSampling])
def test_policies_act_on_it_and_keep_the_mask(policy, covariance):
    agent = policy(as_given(covariance), n_initial=1).start(PROBLEM, 0)
    for t, shown in enumerate(np.random.default_rng(13).standard_normal((30, K, DIM))):
        allowed = np.arange(K) != t % K
        decision = agent.choose(shown, eligible=allowed)
        assert allowed[decision.arm]
        assert 0 < decision.propensity <= 1
        agent.observe(shown[decision.arm], decision.arm, float(shown[decision.arm, 0]))


def test_a_reward_of_one_arm_moves_those_that_resemble_it():
    belief = as_given(kb.ArmFeatures(((0.0,), (0.1,), (9.0,)), kb.Gaussian()))
    tracker = told(belief, np.zeros((1, DIM)), [0], [1.0])
    mean, std = tracker.mean_and_std(np.zeros((K, DIM)))
    assert mean[0] > mean[1] > 0.9
    assert abs(mean[2]) < 1e-10
    assert std[0] < std[1] < 0.3
    assert std[2] == pytest.approx(1.0)


@pytest.mark.parametrize("covariance", COVARIANCES[:3], ids=repr)
def test_an_arm_that_comes_later_is_believed_as_if_it_had_been_there(covariance):
    X, arms, y = draw(15, 20)
    grown = told(as_given(covariance), X, arms, y)
    whole = told(as_given(covariance), X, arms, y, kb.Problem(K + 1, DIM))
    grown.add_arm(kb.Problem(K + 1, DIM))
    contexts = np.random.default_rng(16).standard_normal((K + 1, DIM))
    for _ in range(2):
        assert np.allclose(grown.mean_and_std(contexts), whole.mean_and_std(contexts), atol=1e-12)
        for tracker in (grown, whole):
            tracker.observe(contexts[0], K, 0.7)


@pytest.mark.parametrize("belief", [kb.JointArms, lambda model, B: kb.HierarchicalBayes(covariances=(B,))])
@pytest.mark.parametrize("covariance", COVARIANCES[3:], ids=repr)
def test_an_arm_of_unknown_likeness_is_refused_and_nothing_changes(belief, covariance):
    tracker = told(belief(MODEL, covariance), *draw(17, 20))
    contexts = np.random.default_rng(18).standard_normal((K, DIM))
    before = tracker.mean_and_std(contexts)
    with pytest.raises(kb.errors.InvalidArgument, match="3 rows for a problem with 4 arms"):
        tracker.add_arm(kb.Problem(K + 1, DIM))
    assert np.array_equal(tracker.mean_and_std(contexts), before)


@pytest.mark.parametrize("kernel", examples.KERNELS, ids=repr)
def test_kernel_over_pairs(kernel):
    """Every way to ask gives B_ij K(x, z)."""
    rng = np.random.default_rng(14)
    B, block = np.array(SIMILARITY), pairs(rng.standard_normal((5, K, 7)))
    X, Z = block.reshape(-1, 8), pairs(rng.standard_normal((K, 7)))
    over_pairs = PairKernel(kernel, B)
    expected = B[X[:, -1].astype(int)][:, Z[:, -1].astype(int)] * kernel(X[:, :-1].copy(), Z[:, :-1].copy())
    assert np.allclose(over_pairs.block(X, Z), expected, rtol=1e-12, atol=1e-14)
    assert np.allclose(over_pairs.gram(X).diagonal(), over_pairs.diagonal(X))
    lefts = [*zip(*(over_pairs.left(block[:, arm].copy()) for arm in range(K)), strict=True)]
    stacked = [[np.stack(parts)] for parts in lefts]
    for sets in (lefts, stacked):
        each = Segments([5] * K)
        over_pairs.evaluate_each(sets, over_pairs.right(Z), each)
        assert np.allclose(each.values, [row[arm] for arm in range(K) for row in over_pairs.block(block[:, arm], Z)])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: kb.GivenSimilarity([[1.0, 0.5], [0.4, 1.0]]), "symmetric"),
        (lambda: kb.GivenSimilarity([[1.0, 0.5]]), r"symmetric matrix; got shape \(1, 2\)"),
        (lambda: kb.GivenSimilarity([[1.0, 2.0], [2.0, 1.0]]), "positive semi-definite.*eigenvalue -1"),
        (lambda: kb.GivenSimilarity([[1.0], [1.0, 2.0]]), "different lengths"),
        (lambda: kb.ArmFeatures([[1.0], [1.0, 2.0]]), "different lengths"),
        (lambda: kb.Exchangeable(1.5), "weight must be a number from 0 to 1; got 1.5"),
        (lambda: kb.HierarchicalBayes(covariances=()), "at least one entry"),
        (lambda: kb.JointArms(MODEL, kb.GivenSimilarity(SIMILARITY)).start(kb.Problem(4, 2)), "3 rows .* 4 arms"),
        (lambda: kb.JointArms(MODEL, kb.ArmFeatures(FEATURES)).start(kb.Problem(2, 2)), "3 rows .* 2 arms"),
    ],
)
def test_what_makes_no_sense_is_refused(build, words):
    with pytest.raises(kb.errors.InvalidArgument, match=words):
        build()
