from . import confidence_sequence as confidence_sequence, value_estimators as value_estimators
from .candidate import (
    AlwaysArm as AlwaysArm,
    ByFunction as ByFunction,
    Candidate as Candidate,
    GivenChances as GivenChances,
    SavedBandit as SavedBandit,
    UniformArms as UniformArms,
)
from .candidate_overlap import ArmOverlap as ArmOverlap, Overlap as Overlap
from .confidence_sequence import (
    ConfidenceSequence as ConfidenceSequence,
    RunningInterval as RunningInterval,
)
from .evaluating import evaluate as evaluate
from .evaluation import (
    CandidateValue as CandidateValue,
    Estimate as Estimate,
    Evaluation as Evaluation,
    PairDifference as PairDifference,
    ReplayedValue as ReplayedValue,
)
from .evaluation_files import (
    candidates_from as candidates_from,
    evaluate_file as evaluate_file,
    write_evaluation as write_evaluation,
)
from .interval import Interval as Interval, Verdict as Verdict
from .intervals import (
    EmpiricalLikelihood as EmpiricalLikelihood,
    GammaInterval as GammaInterval,
    IntervalMethod as IntervalMethod,
    NormalInterval as NormalInterval,
    StudentizedBootstrap as StudentizedBootstrap,
)
from .judging import Judging as Judging
from .learned_policy import LearnedPolicy as LearnedPolicy
from .log import Log as Log
from .log_columns import LogColumns as LogColumns
from .log_tables import LogFile as LogFile, open_log as open_log, read_log as read_log
from .marks import default_interval as default_interval, marks_of as marks_of
from .replay import ReplayedLog as ReplayedLog, replay_log as replay_log
from .reward_models import (
    LinearRewards as LinearRewards,
    RewardModel as RewardModel,
    RewardsByEstimator as RewardsByEstimator,
    RewardsByRegressor as RewardsByRegressor,
)
from .split import Split as Split, folds as folds, past as past
from .value_estimators import (
    ClippedWeights as ClippedWeights,
    DirectMethod as DirectMethod,
    DoublyRobust as DoublyRobust,
    InversePropensity as InversePropensity,
    Replay as Replay,
    SelfNormalized as SelfNormalized,
    SelfNormalizedDoublyRobust as SelfNormalizedDoublyRobust,
    ShrunkDoublyRobust as ShrunkDoublyRobust,
    SubGaussianDoublyRobust as SubGaussianDoublyRobust,
    SubGaussianWeights as SubGaussianWeights,
    SwitchDoublyRobust as SwitchDoublyRobust,
    ValueEstimator as ValueEstimator,
)
from .weighing import weigh as weigh
from .weighted_rows import WeightedRows as WeightedRows
