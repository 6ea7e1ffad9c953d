"""Specs as TOML text, in the form that a user's file may have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def toml_lines(table: Mapping[str, Any], prefix: str = "") -> str:
    """A table as lines `key.inner = value`, which is valid TOML."""
    return "\n".join(f"{key} = {_value(value)}" for key, value in _flat(table, prefix))


def toml_key(name: str) -> str:
    """A name as a TOML key, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{toml_key(name)}.")
        else:
            yield prefix + toml_key(name), value


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(name)} = {_value(entry)}" for name, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_value(entry) for entry in value)}]"
    return toml_text(value) if isinstance(value, str) else repr(value)


def toml_text(value: str) -> str:
    """A text in quotes. JSON writes texts as TOML does, but for the character 127."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
