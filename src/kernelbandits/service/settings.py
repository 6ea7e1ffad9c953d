"""`shop.toml`: what the service decides between, how it learns, and where it listens."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import msgspec

from kernelbandits import arm_checks
from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.policies import Policy, default_policy
from kernelbandits.service.features import FeatureColumn, column_encoder, hash_encoder, hashed, plain
from kernelbandits.specs import from_table
from kernelbandits.tables import Encoder

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Scope = Literal["rank", "reward", "admin"]
_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
_LONGEST = 366 * 86400.0


def seconds(value: float | str) -> float:
    """Return a length of time in seconds: a number of them, or a text such as "90 minutes".

    >>> seconds("2 hours"), seconds(90)
    (7200.0, 90.0)
    """
    number, _, unit = value.strip().partition(" ") if isinstance(value, str) else (value, "", "second")
    try:
        found = float(number) * _UNITS[unit.strip().removesuffix("s")]
    except (KeyError, ValueError):
        found = 0.0
    if not 0.0 < found <= _LONGEST:
        raise ValueError(f"expected seconds, or a text such as '90 minutes', of at most 366 days; got {value!r}")
    return found


class WarmStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to begin from: a `log` of earlier decisions, or the `bundle` of a saved bandit."""

    log: str | None = None
    bundle: str | None = None
    arm: str = "arm"
    reward: str = "reward"
    propensity: str | None = None

    def __post_init__(self) -> None:
        if (self.log is None) == (self.bundle is None):
            raise ValueError("warm_start needs either log = … or bundle = …")

    def file(self, folder: Path) -> Path:
        """The file to begin from; raises if it is not there."""
        path = folder / (self.log or self.bundle or "")
        if not path.is_file():
            raise InvalidFile(f"warm_start: no such file: {path}")
        return path


class Learning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decisions and learning depend on; kept in the journal, so that both can be repeated.

    `warm` is the digest of the file that a warm start began from.
    """

    arms: tuple[str, ...] = ()
    features: dict[str, FeatureColumn] = {}
    hashed_features: Annotated[int, msgspec.Meta(ge=2, le=4096)] | None = None
    policy: dict[str, Any] | None = None
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    mode: Literal["online", "apprentice", "logging only"] = "online"
    aggregation: Literal["earliest", "sum"] = "earliest"
    late_rewards: Literal["log", "learn"] = "log"
    reward_wait: float | str = "1 hour"
    default_reward: float = 0.0
    reward_range: tuple[float, float] = (0.0, 1.0)
    exploration: Share = 0.1
    control: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = 0.05
    new_arms: bool = False
    warm_start: WarmStart | None = None
    warm: str | None = None

    def __post_init__(self) -> None:
        if self.arms:
            arm_checks.names_of(self.arms)
        seconds(self.reward_wait)
        if not self.reward_range[0] < self.reward_range[1]:
            raise ValueError("reward_range must be [lowest, highest]")
        if not self.reward_range[0] <= self.default_reward <= self.reward_range[1]:
            raise ValueError("default_reward must lie in reward_range")
        if bool(self.features) == (self.hashed_features is not None) and self.warm_start is None:
            raise ValueError("either a table [features] or hashed_features = 64 is needed, not both")
        if not self.arms and not self.new_arms:
            raise ValueError("arms = […] is needed, or new_arms = true, which takes arms from the requests")

    @property
    def wait(self) -> int:
        """The time in which a reward counts, in microseconds."""
        return round(seconds(self.reward_wait) * 1e6)

    @property
    def plays(self) -> bool:
        """Whether the arm that the policy draws is answered; otherwise it is the baseline, the first arm."""
        return self.mode == "online"

    @property
    def learns(self) -> bool:
        return self.mode != "logging only"

    def policy_spec(self) -> Policy:
        """The policy; the library's default if the settings name none."""
        if self.policy is None:
            return default_policy()
        return from_table(self.policy, Policy, "policy")  # type: ignore[type-abstract]

    def encoder(self) -> Encoder | None:
        """The encoder of features, which needs no data; None if it is that of the warm start."""
        if self.hashed_features is not None:
            return hash_encoder(self.hashed_features)
        return column_encoder(self.features) if self.features else None

    def flat(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A row of features as the encoder takes it."""
        return plain(row, self.features) if self.hashed_features is None else hashed(row, self.hashed_features)

    def learns_like(self, other: Self) -> bool:
        """Whether what was learned under the other settings is what would be learned under these."""
        fields = ("features", "hashed_features", "policy", "seed", "warm")
        return all(getattr(self, field) == getattr(other, field) for field in fields)


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An API key: the SHA-256 of its text, and what it may do."""

    name: str
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    scopes: Annotated[tuple[Scope, ...], msgspec.Meta(min_length=1)]


class Server(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the service listens, and what it accepts."""

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8080
    workers: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    body_limit: Annotated[int, msgspec.Meta(ge=1024)] = 1_000_000
    rate_limit: Annotated[float, msgspec.Meta(gt=0.0)] | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0.0)] = 10.0
    hosts: tuple[str, ...] = ()
    publish_every: Annotated[float, msgspec.Meta(ge=0.05)] = 1.0
    retention: float | str | None = None
    archive: str | None = None

    def __post_init__(self) -> None:
        if self.retention is not None:
            seconds(self.retention)


class Settings(NamedTuple):
    """Everything in a settings file."""

    learning: Learning
    server: Server
    keys: tuple[Key, ...]
    database: str
    folder: Path

    @property
    def local(self) -> bool:
        """Whether only programs of this machine can reach the service."""
        return self.server.host in ("127.0.0.1", "localhost", "::1")


def read_settings(path: Path) -> Settings:
    """Read and check a settings file; a database file lies beside it unless it says otherwise."""
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give the settings of the service, such as shop.toml")
    try:
        return parse_settings(tomllib.loads(path.read_text(encoding="utf-8")), path)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path.name}: {error}") from error


def parse_settings(table: dict[str, Any], path: Path) -> Settings:
    """The settings in a table that was read from `path`."""
    rest = dict(table)
    server = _converted(rest.pop("server", {}), Server, "server")
    keys = _converted(rest.pop("keys", []), tuple[Key, ...], "keys")
    folder = path.resolve().parent
    database = rest.pop("database", path.stem + ".db")
    if not isinstance(database, str) or not database:
        raise InvalidFile("database: expected the path of a file or postgresql://…")
    if "://" not in database:
        database = str(folder / database)
    if "warm" in rest:
        raise InvalidFile("unknown key `warm`; did you mean warm_start?")
    learning = _converted(rest, Learning, "")
    learning.policy_spec()
    settings = Settings(learning, server, keys, database, folder)
    if not keys and not settings.local:
        raise InvalidFile(
            f"server.host is {server.host!r}, which other machines can reach, but there are no [[keys]]: add API keys, "
            "or listen on 127.0.0.1"
        )
    return settings


def _converted(value: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, KernelBanditsError) as error:
        text = str(error).replace(" - at `$", f" - at `{where or '$'}").replace("Object contains", "there is an")
        raise InvalidFile(text) from error
