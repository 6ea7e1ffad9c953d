"""Requests and answers, and what is wrong with a request as an answer."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, final
from urllib.parse import parse_qsl

import msgspec

from kernelbandits.errors import KernelBanditsError, visible
from kernelbandits.service.events import Conflict, NotFound
from kernelbandits.service.storage import StorageUnavailable

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode
_AT = re.compile(r" - at `(\$|key in )?\.?(.*)`$")
JSON = b"application/json"


class Request(NamedTuple):
    """A request whose key and size were checked."""

    names: tuple[str, ...]  # the variable parts of the path, such as an event's id
    query: bytes  # what came after `?`
    headers: Mapping[bytes, bytes]
    body: bytes = b""

    def parameters(self) -> dict[str, str]:
        """The parameters after `?`, the last of each name."""
        return dict(parse_qsl(self.query.decode("latin-1"), errors="replace", max_num_fields=50))

    def decoded(self, decoder: msgspec.json.Decoder[T]) -> T:
        """The body as a typed value."""
        kind = self.headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if kind != JSON:
            given = visible(kind.decode("latin-1", "replace")) or "nothing"
            raise Refusal(415, "content_type", "content-type", f"expected application/json; got {given}")
        try:
            return decoder.decode(self.body)
        except msgspec.ValidationError as error:
            raise refusal_of(error) from error
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            raise Refusal(400, "not_json", "body", f"expected JSON in UTF-8; {error}") from error
        except RecursionError as error:
            raise Refusal(400, "not_json", "body", "the JSON is nested too deeply") from error


class Response(NamedTuple):
    """An answer; one with `parts` is sent as they come, in place of the body."""

    body: bytes
    status: int = 200
    kind: bytes = JSON
    headers: Sequence[tuple[bytes, bytes]] = ()
    parts: AsyncIterator[bytes] | None = None


@final
class Refusal(KernelBanditsError, ValueError):  # noqa: N818
    """A request that is answered with an error: its status, a code for programs, the field, and a sentence."""

    def __init__(self, status: int, code: str, field: str, message: str, headers: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.field, self.headers = status, code, field, headers


def answered(value: Any, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(_encode(value), status)


def refused(error: Refusal) -> Response:
    """The answer to a request that is refused."""
    body = {"error": {"code": error.code, "field": error.field, "message": visible(str(error))}}
    return Response(_encode(body), error.status, JSON, error.headers)


def refusal_of(error: Exception) -> Refusal:
    """What an error of the library means for the client."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, msgspec.ValidationError):
        text = str(error)
        found = _AT.search(text)
        name = found.group(2) if found else ""
        message = _AT.sub("", text).replace("`", "")
        return Refusal(422, "invalid", name or "body", f"{name or 'the body'}: {message[:1].lower()}{message[1:]}")
    if isinstance(error, StorageUnavailable):
        message = f"the decision log cannot be written or read now ({error}); send the same request again"
        return Refusal(503, "storage_unavailable", "", message, ((b"retry-after", b"1"),))
    if isinstance(error, Conflict):
        return Refusal(409, "conflict", str(error).split(":")[0], str(error))
    if isinstance(error, NotFound):
        return Refusal(404, "not_found", "", str(error))
    message = str(error)  # of the library, which begins with the field
    field = re.match(r"([\w\[\]]+)(?=:| must )", message) or re.search(r"(?:column|feature) '([^']*)'", message)
    return Refusal(422, "invalid", field.group(1) if field else "context", message)
