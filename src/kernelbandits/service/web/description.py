"""The routes as OpenAPI and as a page, from the same table that serves them."""

from __future__ import annotations

from html import escape
from typing import Any

import msgspec

from kernelbandits import __version__
from kernelbandits.service.requests import Answer, BatchRequest, RankRequest, RewardRequest
from kernelbandits.service.web.application import Route

_BODIES = {"/rank": RankRequest, "/rank/batch": BatchRequest, "/events/*/reward": RewardRequest}
_ANSWERS = {"/rank": Answer}
_ERRORS = "4xx and 5xx have a body {error: {code, field, message}}."


def described() -> list[Route]:
    """The routes that have a description."""
    from kernelbandits.service.web.table import ROUTES

    return [route for route in ROUTES if route.summary]


def _path(route: Route) -> str:
    name = "{name}" if route.path.startswith("/arms") else "{id}"
    return route.path.replace("*", name)


def as_openapi() -> dict[str, Any]:
    """The routes in OpenAPI 3.1."""
    kinds = (*_BODIES.values(), *_ANSWERS.values())
    _, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for route in described():
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
    return {
        "openapi": "3.1.0",
        "info": {"title": "kernelbandits decision service", "version": __version__, "description": _ERRORS},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _content(kind: type) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}


def as_html() -> str:
    """The routes as a page."""
    rows = "".join(
        f"<tr><td>{route.method}</td><td><code>{escape(_path(route))}</code></td>"
        f"<td>{escape(route.scope or 'no key')}</td><td>{escape(route.summary)}</td></tr>"
        for route in described()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Routes</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">'
        '<main><h1>Routes</h1><p><a href="/openapi.json">OpenAPI 3.1</a> · <a href="/">page</a>. '
        f"{escape(_ERRORS)}</p><table><tr><th>method</th><th>path</th><th>scope</th><th></th></tr>{rows}</table></main>"
    )
