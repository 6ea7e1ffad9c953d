"""All routes: methods, paths, scopes, and who answers; their description comes from the same table."""

from collections.abc import Awaitable, Callable
from html import escape
from typing import Any, NamedTuple

import msgspec

from kernelbandits import __version__
from kernelbandits.service.requests import Answer, BatchRequest, RankRequest, RewardRequest
from kernelbandits.service.web import page, personalizer, routes
from kernelbandits.service.web.messages import Request, Response, answered
from kernelbandits.service.worker import Worker

_BODIES = {"/rank": RankRequest, "/rank/batch": BatchRequest, "/events/*/reward": RewardRequest}
_ANSWERS = {"/rank": Answer}
_ERRORS = "4xx and 5xx have a body {error: {code, field, message}}."


class Route(NamedTuple):
    """A method and a path, in which `*` stands for a name; what a key must be allowed, and who answers."""

    method: str
    path: str
    scope: str  # empty if no key is needed
    label: str  # its name in the metrics
    handler: Callable[[Worker, Request], Awaitable[Response]]
    summary: str = ""


def _path(route: Route) -> str:
    name = "{name}" if route.path.startswith("/arms") else "{id}"
    return route.path.replace("*", name)


async def openapi(worker: Worker, request: Request) -> Response:
    """The routes in OpenAPI 3.1."""
    kinds = (*_BODIES.values(), *_ANSWERS.values())
    _, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for route in ROUTES:
        if not route.summary:
            continue
        operation: dict[str, Any] = {"summary": route.summary, "responses": {"200": {"description": "Done."}}}
        if "*" in route.path:
            name = _path(route).partition("{")[2].partition("}")[0]
            operation["parameters"] = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}}]
        if route.path in _BODIES and route.method == "POST":
            operation["requestBody"] = {"required": True, "content": _content(_BODIES[route.path])}
        if route.path in _ANSWERS:
            operation["responses"]["200"]["content"] = _content(_ANSWERS[route.path])
        operation["security"] = [{"key": []}] if route.scope else []
        paths.setdefault(_path(route), {})[route.method.lower()] = operation
    described = {
        "openapi": "3.1.0",
        "info": {"title": "kernelbandits decision service", "version": __version__, "description": _ERRORS},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }
    return answered(described)


def _content(kind: type) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}


async def docs(worker: Worker, request: Request) -> Response:
    """The routes as a page."""
    rows = "".join(
        f"<tr><td>{route.method}</td><td><code>{escape(_path(route))}</code></td>"
        f"<td>{escape(route.scope or 'no key')}</td><td>{escape(route.summary)}</td></tr>"
        for route in ROUTES
        if route.summary
    )
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Routes</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">'
        '<main><h1>Routes</h1><p><a href="/openapi.json">OpenAPI 3.1</a> · <a href="/">page</a>. '
        f"{escape(_ERRORS)}</p><table><tr><th>method</th><th>path</th><th>scope</th><th></th></tr>{rows}</table></main>"
    )
    return Response(page.encode(), kind=b"text/html; charset=utf-8")


ROUTES: tuple[Route, ...] = (
    Route("POST", "/rank", "rank", "rank", routes.rank, "Choose an arm."),
    Route("POST", "/rank/batch", "rank", "rank_batch", routes.rank_batch, "Choose an arm for each of many requests."),
    Route("POST", "/events/*/reward", "reward", "reward", routes.reward, "Report the reward of an event."),
    Route("POST", "/events/*/activate", "reward", "activate", routes.activate, "Activate a deferred event."),
    Route("GET", "/events/*", "admin", "event", routes.event, "Everything that is known of an event."),
    Route("GET", "/events", "admin", "events", routes.event_list, "List events, the newest first."),
    Route("PUT", "/arms/*", "admin", "put_arm", routes.put_arm, "Make an arm known."),
    Route("DELETE", "/arms/*", "admin", "delete_arm", routes.delete_arm, "Take an arm out for good."),
    Route("GET", "/policy", "admin", "policy", routes.policy, "Settings, version, rewards per arm, health."),
    Route("GET", "/healthz", "", "healthz", routes.healthz, "Whether the process answers; needs no key."),
    Route("GET", "/readyz", "any", "readyz", routes.readyz, "Whether decisions can be made and written."),
    Route("GET", "/metrics", "admin", "metrics", routes.metrics, "Counters in the text format of Prometheus."),
    Route("GET", "/", "admin", "page", page.asset("page.html", b"text/html"), "The page."),
    Route("GET", "/page.js", "admin", "page", page.asset("page.js", b"text/javascript")),
    Route("GET", "/page.css", "admin", "page", page.asset("page.css", b"text/css")),
    Route("GET", "/stream", "admin", "stream", page.stream, "What the page shows, as server-sent events."),
    Route("GET", "/docs", "admin", "docs", docs, "This list of routes."),
    Route("GET", "/openapi.json", "admin", "docs", openapi, "The routes in OpenAPI 3.1."),
    Route("POST", f"{personalizer.PREFIX}/rank", "rank", "rank", personalizer.rank),
    Route("POST", f"{personalizer.PREFIX}/events/*/reward", "reward", "reward", personalizer.reward),
    Route("POST", f"{personalizer.PREFIX}/events/*/activate", "reward", "activate", personalizer.activate),
    Route("GET", f"{personalizer.PREFIX}/configurations/service", "admin", "policy", personalizer.configuration),
)
