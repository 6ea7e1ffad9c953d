"""A spec that makes no sense cannot be built, and a problem neither."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, KernelBanditsError

NAN, INF = float("nan"), float("inf")
KERNEL, GP = kb.Gaussian(), kb.GaussianProcess(kb.Gaussian())
ABOVE_ZERO, FROM_ZERO, WHOLE = (
    "must be a number above 0",
    "must be a number of at least 0",
    "must be a whole number of at least 1",
)

SPECS = [
    (lambda: kb.Gaussian(gamma=0.0), f"Gaussian: gamma {ABOVE_ZERO}; got 0.0"),
    (lambda: kb.Gaussian(gamma=NAN), f"Gaussian: gamma {ABOVE_ZERO}, and finite; got nan"),
    (lambda: kb.Gaussian(gamma=INF), f"Gaussian: gamma {ABOVE_ZERO}, and finite; got inf"),
    (lambda: kb.Gaussian(gamma="4"), f"Gaussian: gamma {ABOVE_ZERO}; got '4'"),
    (lambda: kb.Gaussian(gamma=True), f"Gaussian: gamma {ABOVE_ZERO}; got True"),
    (lambda: kb.Laplace(gamma=-1), f"Laplace: gamma {ABOVE_ZERO}; got -1"),
    (lambda: kb.Exponential(gamma=-1), f"Exponential: gamma {ABOVE_ZERO}; got -1"),
    (lambda: kb.Matern(nu=0), f"Matern: nu {ABOVE_ZERO}; got 0"),
    (lambda: kb.Matern(length=-2.0), f"Matern: length {ABOVE_ZERO}; got -2.0"),
    (lambda: kb.RationalQuadratic(alpha=None), f"RationalQuadratic: alpha {ABOVE_ZERO}; got None"),
    (lambda: kb.Polynomial(degree=0), f"Polynomial: degree {WHOLE}; got 0"),
    (lambda: kb.Polynomial(degree=2.0), f"Polynomial: degree {WHOLE}; got 2.0"),
    (lambda: kb.Polynomial(offset=-0.1), f"Polynomial: offset {FROM_ZERO}; got -0.1"),
    (lambda: kb.Schoenberg(coefficients=(1.0, -1.0), dim=4), rf"Schoenberg: coefficients\[1\] {FROM_ZERO}; got -1.0"),
    (lambda: kb.Schoenberg(coefficients=(), dim=4), "Schoenberg: coefficients must have a positive entry"),
    (lambda: kb.Schoenberg(coefficients=1.0, dim=4), "Schoenberg: coefficients must be a list; got 1.0"),
    (lambda: kb.Schoenberg(coefficients=(1.0,), dim=2), "Schoenberg: dim must be at least 3"),
    (lambda: kb.Scaled(KERNEL, 0.0), f"Scaled: factor {ABOVE_ZERO}"),
    (lambda: KERNEL * "2", f"Scaled: factor {ABOVE_ZERO}; got '2'"),
    (lambda: KERNEL + "1", r"Sum: \w+ must be a Kernel; got '1'"),
    (lambda: KERNEL + 0.0, f"Shifted: offset {ABOVE_ZERO}; got 0.0"),
    (lambda: kb.HierarchicalBayes(()), "HierarchicalBayes: bandwidths or kernels must have at least one entry"),
    (lambda: kb.StudentNoise(df=2.0), "StudentNoise: df must be a number above 2, so that the variance is finite"),
    (lambda: kb.Synthetic(kb.LowRank(), density=0.0), "Synthetic: density must be a number above 0 and at most 1"),
    (lambda: kb.MinNormInterpolator("rbf"), "MinNormInterpolator: kernel must be a Kernel; got 'rbf'"),
    (lambda: kb.KernelRidge(KERNEL, ridge=-1e-9), f"KernelRidge: ridge {FROM_ZERO}; got -1e-09"),
    (lambda: kb.KernelRidge(KERNEL, ridge=NAN), f"KernelRidge: ridge {FROM_ZERO}, and finite; got nan"),
    (lambda: kb.GaussianProcess(KERNEL, ridge=0.0), f"GaussianProcess: ridge {ABOVE_ZERO}; got 0.0"),
    (lambda: kb.GaussianProcess(KERNEL, ridge=-1.0), f"GaussianProcess: ridge {ABOVE_ZERO}; got -1.0"),
    (lambda: kb.TheoreticalWidth(delta=1.0), "TheoreticalWidth: delta must be a number between 0 and 1, both excluded"),
    (lambda: kb.SubGaussianWidth(scale=0.0), f"SubGaussianWidth: scale {ABOVE_ZERO}"),
    (lambda: kb.ConstantWidth(-1.0), f"ConstantWidth: value {FROM_ZERO}; got -1.0"),
    (lambda: kb.GPUCB(KERNEL), "GPUCB: model must be a GaussianProcess; got Gaussian"),
    (lambda: kb.GPUCB(GP, width=2.0), "GPUCB: width must be a Width; got 2.0"),
    (lambda: kb.ExploreThenCommit(GP, n_explore=0), f"ExploreThenCommit: n_explore {WHOLE}; got 0"),
    (lambda: kb.ExploreThenCommit(KERNEL, 10), "ExploreThenCommit: estimator must be an Estimator; got Gaussian"),
    (lambda: kb.LowRank(n_active=0), f"LowRank: n_active {WHOLE}; got 0"),
    (lambda: kb.Synthetic("low-rank"), "Synthetic: covariance must be a Covariance; got 'low-rank'"),
    (lambda: kb.Synthetic(kb.LowRank(), n_arms=0), f"Synthetic: n_arms {WHOLE}; got 0"),
    (lambda: kb.Synthetic(kb.LowRank(), noise_std=-0.1), f"Synthetic: noise_std {FROM_ZERO}; got -0.1"),
    (lambda: kb.Synthetic(kb.LowRank(), clip=0.0), f"Synthetic: clip {ABOVE_ZERO}; got 0.0"),
]

PROBLEMS = [
    ({"n_arms": 0}, "n_arms must be a whole number of at least 1; got 0"),
    ({"n_arms": 2.0}, "n_arms must be a whole number of at least 1; got 2.0"),
    ({"n_arms": True}, "n_arms must be a whole number of at least 1; got True"),
    ({"dim": -1}, "dim must be a whole number of at least 1; got -1"),
    ({"dim": "5"}, "dim must be a whole number of at least 1; got '5'"),
    ({"horizon": 0}, "horizon must be a whole number of at least 1; got 0"),
    ({"noise_std": -0.1}, "noise_std must be a number of at least 0; got -0.1"),
    ({"noise_std": NAN}, "noise_std must be a number of at least 0, and finite; got nan"),
    ({"noise_std": "0.1"}, "noise_std must be a number of at least 0; got '0.1'"),
    ({"reward_norms": [1.0]}, r"reward_norms must have shape \(2,\), that is one norm per arm; got shape \(1,\)"),
    ({"reward_norms": [1.0, NAN]}, "reward_norms must be finite; entry 1 is nan"),
    ({"reward_norms": [1.0, -2.0]}, "reward_norms must be at least 0; arm 1 has -2.0"),
]


@pytest.mark.parametrize(("build", "words"), SPECS, ids=[words for _, words in SPECS])
def test_spec_is_refused(build, words):
    with pytest.raises(InvalidArgument, match=f"^{words}"):
        build()


@pytest.mark.parametrize(("given", "words"), PROBLEMS, ids=[words for _, words in PROBLEMS])
def test_problem_is_refused(given, words):
    with pytest.raises(InvalidArgument, match=f"^{words}"):
        kb.Problem(**{"n_arms": 2, "dim": 3} | given)


def test_a_policy_starts_on_a_problem_only():
    with pytest.raises(InvalidArgument, match="problem must be a Problem"):
        kb.Uniform().start("problem", 0)


@pytest.mark.parametrize("horizon", [0, -1, 1.5, "10", None])
def test_a_horizon_is_a_whole_number(horizon):
    instance = kb.Synthetic(kb.LowRank(), n_arms=2, dim=3, n_bumps=2).draw(np.random.default_rng(0))
    with pytest.raises(InvalidArgument, match="horizon must be a whole number of at least 1"):
        kb.play(kb.Uniform(), instance, horizon, rng=0)
    with pytest.raises(InvalidArgument, match="horizon must be a whole number of at least 1"):
        instance.rounds(horizon, np.random.default_rng(0))


@pytest.mark.parametrize("dim", [0, 1.5, None])
def test_the_papers_methods_want_a_dimension(dim):
    with pytest.raises(InvalidArgument, match="dim must be a whole number of at least 1"):
        kb.paper.methods(dim)


def test_errors_can_be_caught_as_one_or_as_value_errors():
    with pytest.raises(KernelBanditsError):
        kb.Gaussian(gamma=-1.0)
    with pytest.raises(ValueError, match="gamma"):
        kb.Gaussian(gamma=-1.0)


def test_an_unknown_name_is_met_with_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'Gaussian'"):
        kb.Gausian  # noqa: B018
