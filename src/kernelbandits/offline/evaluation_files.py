"""What the command `evaluate` needs: candidates by their words, evaluations of files, and the files of evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.candidate import AlwaysArm, Candidate, SavedBandit, UniformArms, own_encoder
from kernelbandits.offline.evaluating import evaluate
from kernelbandits.offline.evaluation import Evaluation
from kernelbandits.offline.evaluation_document import picture
from kernelbandits.offline.learned_policy import LearnedPolicy
from kernelbandits.offline.log_columns import LogColumns
from kernelbandits.offline.log_tables import open_log
from kernelbandits.reporting import save, write_text

if TYPE_CHECKING:
    from kernelbandits.tables import TableEncoding


def evaluate_file(
    path: Path,
    candidates: Mapping[str, Candidate],
    columns: LogColumns,
    encoding: TableEncoding,
    arms: Sequence[str] = (),
    *,
    learned: bool | None = None,
    bounds: tuple[float, float] | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate candidates on a log in a file of any size.

    Candidates with an encoder of their own, as a saved bandit has, need the features that it makes. Then these are the
    contexts, and their arms are those of the log; two bandits with different encoders are evaluated one at a time.
    """
    encoder, named = own_encoder(candidates)
    with open_log(path, columns, encoding, arms or named, encoder=encoder, learned=learned, bounds=bounds) as log:
        return evaluate(log, candidates, **options)


def write_evaluation(evaluation: Evaluation, folder: Path, *, with_page: bool) -> list[Path]:
    """Write the picture, the record, and the page if it is wanted; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    document = evaluation.document()
    files = [*save(picture(evaluation), folder / "evaluation"), folder / "evaluation.json"]
    write_text(folder / "evaluation.json", document.json(indent=2) + "\n")
    if with_page:
        files.append(folder / "report.html")
        write_text(folder / "report.html", document.html())
    return files


def candidates_from(texts: Sequence[str]) -> dict[str, Candidate]:
    """Return the candidates of such texts, by these texts: uniform, always:ARM, FILE.kb, FILE.toml, name of a policy.

    >>> candidates_from(["uniform", "always:10pct"])
    {'uniform': UniformArms(), 'always:10pct': AlwaysArm(arm='10pct')}

    """
    if not texts:
        raise InvalidArgument(
            "name at least one candidate: uniform, always:ARM, FILE.kb, FILE.toml or the name of a policy"
        )
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
