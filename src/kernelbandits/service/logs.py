"""Structured logs: one JSON object per line on the error stream, without secrets or features."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import final


@final
class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, process, message; a trace where there is one."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def log_to_stderr(process: str) -> None:
    """Write the logs of this process to the error stream."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(process))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for chatty in ("uvicorn", "httpx"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
