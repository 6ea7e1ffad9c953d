"""Candidates by their words on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.candidate import AlwaysArm, Candidate, SavedBandit, UniformArms
from kernelbandits.offline.learned_policy import LearnedPolicy

WORDS = "uniform, always:ARM, FILE.kb, FILE.toml or the name of a policy"


def candidates_from(texts: Sequence[str]) -> dict[str, Candidate]:
    """Return the candidates of such texts, by these texts: uniform, always:ARM, FILE.kb, FILE.toml, name of a policy.

    >>> candidates_from(["uniform", "always:10pct"])
    {'uniform': UniformArms(), 'always:10pct': AlwaysArm(arm='10pct')}

    """
    if not texts:
        raise InvalidArgument(f"name at least one candidate: {WORDS}")
    twice = next((text for i, text in enumerate(texts) if text in texts[:i]), None)
    if twice is not None:
        raise InvalidArgument(f"candidate {twice!r} is named twice; name it once")
    return {text: _candidate(text) for text in texts}


def _candidate(text: str) -> Candidate:
    from kernelbandits.bandit import load_bandit, policy_from

    if text == "uniform":
        return UniformArms()
    if text.startswith("always:"):
        return AlwaysArm(text.removeprefix("always:"))
    if text.endswith(".kb"):
        return SavedBandit(load_bandit(Path(text)))
    return LearnedPolicy(policy_from(text))
