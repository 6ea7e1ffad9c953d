"""Models of arms that cost the same for ever: against exact posteriors, against sums, and under contradictions."""

import copy

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs import empirical_bayes
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.arm_models import ExactArms, ExactConstruction
from kernelbandits.beliefs.arm_sums import ArmSums
from kernelbandits.beliefs.context_units import FeatureScales
from kernelbandits.beliefs.evidence import ArmEvidence, Components, EvidenceSums
from kernelbandits.beliefs.kernel_features import KernelFeatures
from kernelbandits.beliefs.model_estimation import BeliefBudget
from kernelbandits.beliefs.sketched_arms import SketchConstruction, SketchedArms, _inverse

N_ARMS, DIM = 3, 4


def components(common, gamma=0.3, ridge=0.2, offset=1.5, least_noise=0.0):
    units = FeatureScales(np.full(DIM, 0.1), np.linspace(0.5, 1.5, DIM))
    return Components(units, gamma, common, 2.0, offset, ridge, offset, 2.0 + offset, 0.5, 1.0, least_noise)


def rewards(seed, n):
    rng = np.random.default_rng(seed)
    data = ArmData(N_ARMS, DIM)
    for _ in range(n):
        x = rng.standard_normal(DIM)
        data.add(x, int(rng.integers(N_ARMS)), float(np.sin(x[0]) + 0.1 * rng.standard_normal()))
    return data


def built(construction):
    while not construction.done:
        construction.step()
    return construction.model()


@pytest.mark.parametrize("least_noise", [0.0, 0.01], ids=["Gaussian", "rational"])
@pytest.mark.parametrize("common", [0.0, 1.0])
def test_features_on_all_contexts_are_the_kernel(common, least_noise):
    found, X = components(common, least_noise=least_noise), np.random.default_rng(0).standard_normal((20, DIM))
    features = KernelFeatures(found, X, 20 + DIM + 1)
    phi = features.of(X)[:, 1:]
    expected = found.kernel(X) - found.offset
    np.testing.assert_allclose(phi @ phi.T, expected, atol=1e-9)
    np.testing.assert_allclose(features.variances(X), expected.diagonal(), atol=1e-12)


@pytest.mark.parametrize("least_noise", [0.0, 0.01], ids=["Gaussian", "rational"])
@pytest.mark.parametrize("gamma", [1e-3, 0.3])
def test_features_begin_with_linear_functions(gamma, least_noise):
    """With one centre beside them, all of a nearly linear kernel is there."""
    found, X = components(0.0, gamma, least_noise=least_noise), np.random.default_rng(1).standard_normal((40, DIM))
    phi = KernelFeatures(found, X, DIM + 2).of(X)[:, 1:]
    missing = np.abs(phi @ phi.T - (found.kernel(X) - found.offset)).max() / found.kernel(X).max()
    assert (missing < 1e-4) == (gamma < 0.01)


@pytest.mark.parametrize("least_noise", [0.0, 0.01], ids=["Gaussian", "rational"])
@pytest.mark.parametrize("common", [0.0, 1.0])
def test_a_sketch_on_all_contexts_is_the_exact_posterior(common, least_noise):
    found, data, levels = components(common, least_noise=least_noise), rewards(2, 40), np.array([0.3, -0.2, 0.0])
    exact = built(ExactConstruction(found, levels, data, {}))
    features = KernelFeatures(found, np.concatenate([data.of(arm)[0] for arm in range(N_ARMS)]), 60)
    sums = ArmSums(N_ARMS, features.n)
    for arm in range(N_ARMS):
        X, y = data.arrived(arm)
        sums.add(arm, features.of(X), y - levels[arm])
    sketch = SketchedArms(found, features, sums, np.array([_inverse(A, found) for A in sums.features]))
    contexts = np.random.default_rng(3).standard_normal((N_ARMS, DIM))
    np.testing.assert_allclose(sketch.mean_and_std(contexts), exact.mean_and_std(contexts), rtol=1e-5)
    np.testing.assert_allclose(sketch.outlook(contexts[1], 1), exact.outlook(contexts[1], 1), rtol=1e-5)
    np.testing.assert_allclose(sketch.sum_of_squares(), exact.sum_of_squares(), rtol=1e-5)
    assert np.array_equal(sketch.counts, exact.counts)
    known = data.arrived(1)[0][0]
    np.testing.assert_allclose(*(each.observe(known, 1, 0.5) for each in (sketch, exact)), rtol=1e-5)


def test_rewards_one_by_one_are_as_good_as_all_at_once():
    found, data = components(0.0), rewards(4, 60)
    features = KernelFeatures(found, data.of(0)[0], 20)
    sums, none = ArmSums(N_ARMS, features.n), ArmSums(N_ARMS, features.n)
    model = SketchedArms(found, features, none, np.array([_inverse(A, found) for A in none.features]))
    for arm in range(N_ARMS):
        X, y = data.arrived(arm)
        sums.add(arm, features.of(X), y)
        for x, reward in zip(X, y, strict=True):
            model.observe(x, arm, float(reward))
    at_once = SketchedArms(found, features, sums, np.array([_inverse(A, found) for A in sums.features]))
    contexts = np.random.default_rng(5).standard_normal((N_ARMS, DIM))
    np.testing.assert_allclose(model.mean_and_std(contexts), at_once.mean_and_std(contexts), rtol=1e-8)
    np.testing.assert_allclose(model.level_variances(), at_once.level_variances(), rtol=1e-8)


def test_evidence_from_sums_is_that_of_the_rewards():
    found, data = components(1.0), rewards(6, 50)
    features = KernelFeatures(found, data.of(0)[0], 12)
    sums, by_sums, by_gram = ArmSums(N_ARMS, features.n), EvidenceSums(), EvidenceSums()
    for arm in range(N_ARMS):
        X, y = data.arrived(arm)
        phi = features.of(X)
        sums.add(arm, phi, y)
        sums.add_evidence(arm, by_sums)
        by_gram.add(ArmEvidence.of(phi[:, 1:] @ phi[:, 1:].T, np.zeros(len(y)), y)[0])
    first, second = (each.log_posterior(2.0, sums.variance) for each in (by_sums, by_gram))
    # With the smallest noise sums lose digits, but there nothing is likely.
    likely = second > second.max() - 30.0
    np.testing.assert_allclose(first[likely], second[likely], rtol=1e-5, atol=1e-4)


def small_budget(monkeypatch):
    monkeypatch.setattr(BeliefBudget, "of", classmethod(lambda cls, problem: cls(15, 20, 120)))


def followed(n, seed=0, n_arms=2):
    rng = np.random.default_rng(seed)
    tracker = kb.EmpiricalBayes().start(kb.Problem(n_arms, DIM))
    for t in range(n):
        x = rng.standard_normal(DIM)
        tracker.observe(x, t % n_arms, float(x[0] * (1 if t % n_arms else -1) + 0.1 * rng.standard_normal()))
    return tracker


def test_an_arm_with_many_rewards_is_sketched_and_rewards_are_forgotten(monkeypatch):
    small_budget(monkeypatch)
    x, asked = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros((2, DIM))
    assert isinstance(followed(20)._model, ExactArms)
    for n in (100, 400):
        tracker = followed(n)
        assert isinstance(tracker._model, SketchedArms)
        assert tracker.counts.sum() == tracker._model.counts.sum() == n
        mean, _ = tracker.mean_and_std(asked + x)
        np.testing.assert_allclose(mean, [-1.0, 1.0], atol=0.2)
    assert len(tracker._data) == 0


def test_a_sketch_can_be_copied_and_takes_new_arms(monkeypatch):
    small_budget(monkeypatch)
    tracker = followed(300)
    other, asked = copy.deepcopy(tracker), np.random.default_rng(1).standard_normal((2, DIM))
    for each in (tracker, other):
        each.observe(asked[0], 1, 0.5)
    np.testing.assert_array_equal(tracker.mean_and_std(asked), other.mean_and_std(asked))
    tracker.add_arm(kb.Problem(3, DIM))
    for _ in range(40):
        tracker.observe(asked[0], 2, 3.0)
    mean, _ = tracker.mean_and_std(np.array([asked[0]] * 3))
    assert mean[2] == pytest.approx(3.0, abs=0.3)


def test_an_estimate_in_steps_is_the_estimate_at_once(monkeypatch):
    rng, asked = np.random.default_rng(7), np.random.default_rng(8).standard_normal((2, DIM))
    observed = [(rng.standard_normal(DIM), int(rng.integers(2)), float(rng.standard_normal())) for _ in range(200)]
    answers = []
    for work in (1.0, np.inf):
        monkeypatch.setattr(empirical_bayes, "_WORK", work)
        tracker = kb.EmpiricalBayes().start(kb.Problem(2, DIM))
        for each in observed:
            tracker.observe(*each)
        assert tracker._estimation is None
        answers.append(tracker.mean_and_std(asked))
    np.testing.assert_allclose(*answers, rtol=1e-8)


def test_contradictory_rewards_at_repeated_contexts_move_the_amplitude_little():
    rng = np.random.default_rng(9)
    places = rng.standard_normal((5, DIM))
    tracker = kb.EmpiricalBayes().start(kb.Problem(2, DIM))
    far, last = np.full((2, DIM), 50.0), None
    for t in range(300):
        reward = 1.0 if t < 150 else float(rng.integers(2))
        tracker.observe(places[t % 5] + 1e-6 * rng.standard_normal(DIM), t % 2, reward)
        variance = tracker._square * tracker._model.components.variance if tracker._model else 0.0
        if last:
            assert last / 3.0001 <= variance <= 3.0001 * last
        last = variance
    assert np.isfinite(tracker.mean_and_std(far)).all()


def test_features_and_rewards_held_follow_the_problem():
    few, many, wide = (BeliefBudget.of(kb.Problem(k, d)) for k, d in ((4, 115), (5000, 115), (4, 20_000)))
    assert few.n_exact == 512
    assert many.n_exact < few.n_exact
    assert many.n_features < few.n_features
    assert wide.n_kept < few.n_kept
    assert BeliefBudget.of(kb.Problem(4, 115, horizon=2000)).n_exact == 2000


def test_a_construction_of_a_sketch_estimates_its_noise():
    """What the features do not span is noise to a sketch."""
    found, data = components(1.0, gamma=3.0, ridge=1e-4), rewards(10, 400)
    model = built(SketchConstruction(found, np.zeros(N_ARMS), data, 8))
    assert model.components.ridge > 10.0 * found.ridge


def test_a_sketch_of_rewards_with_few_values_does_not_believe_that_there_is_no_noise():
    """Else the amplitude, in units of which noise is counted, would be enormous, and all arms unknown again."""
    rng, data = np.random.default_rng(11), ArmData(N_ARMS, DIM)
    for place in rng.standard_normal((12, DIM)):
        for _ in range(20):
            data.add(place + 1e-6 * rng.standard_normal(DIM), int(rng.integers(N_ARMS)), float(place[0] > 0.0))

    def noise(least_noise):
        model = built(SketchConstruction(components(1.0, 3.0, least_noise=least_noise), np.zeros(N_ARMS), data, 40))
        return model.components.ridge * model.sum_of_squares() / len(data)

    assert noise(0.0) < 1e-5
    assert noise(0.01) > 1e-3


@pytest.mark.parametrize("sketched", [False, True])
@pytest.mark.parametrize("shared", ["no", "copied", "one row"])
def test_answers_for_many_rounds_are_those_round_by_round(sketched, shared):
    found, data, levels = components(0.0), rewards(11, 60), np.array([0.3, -0.2, 0.0])
    made = SketchConstruction(found, levels, data, 12) if sketched else ExactConstruction(found, levels, data, {})
    model, contexts = built(made), np.random.default_rng(12).standard_normal((7, N_ARMS, DIM))
    if shared != "no":
        contexts = np.broadcast_to(contexts[:, :1], contexts.shape)
    if shared == "copied":
        contexts = contexts.copy()
    means, stds = model.means_and_stds(contexts)
    for shown, mean, std in zip(contexts, means, stds, strict=True):
        np.testing.assert_allclose((mean, std), model.mean_and_std(shown), rtol=1e-9)


def test_the_tracker_answers_for_many_rounds_before_and_after_its_first_estimate():
    tracker, rng = kb.EmpiricalBayes().start(kb.Problem(N_ARMS, DIM)), np.random.default_rng(13)
    for n in range(50):
        if n in (0, 2, 40):
            contexts = rng.standard_normal((5, N_ARMS, DIM))
            expected = np.array([tracker.mean_and_std(shown) for shown in contexts]).swapaxes(0, 1)
            np.testing.assert_allclose(tracker.means_and_stds(contexts), expected, rtol=1e-9)
            shared = np.broadcast_to(contexts[:, :1], contexts.shape)
            expected = np.array([tracker.mean_and_std(shown) for shown in shared]).swapaxes(0, 1)
            np.testing.assert_allclose(tracker.means_and_stds(shared), expected, rtol=1e-9)
        tracker.observe(rng.standard_normal(DIM), n % N_ARMS, 100.0 * (n % N_ARMS) + rng.standard_normal())


def test_a_new_arm_of_a_sketch_is_believed_like_one_without_rewards():
    found, data = components(0.0), rewards(14, 30)
    features = KernelFeatures(found, data.of(0)[0], 20)
    none = ArmSums(N_ARMS, features.n)
    model = SketchedArms(found, features, none, np.array([_inverse(A, found) for A in none.features]))
    model.add_arm(kb.Problem(N_ARMS + 1, DIM))
    x = np.random.default_rng(15).standard_normal(DIM)
    mean, std = model.mean_and_std(np.array([x] * (N_ARMS + 1)))
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_allclose(std, np.sqrt(found.kernel.diagonal(x[np.newaxis])[0]), rtol=1e-9)
