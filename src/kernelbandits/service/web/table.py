"""All routes: methods, paths, scopes, and who answers."""

from __future__ import annotations

from kernelbandits.service.web import page, personalizer, routes
from kernelbandits.service.web.application import Route

ROUTES: tuple[Route, ...] = (
    Route("POST", "/rank", "rank", "rank", routes.rank, "Choose an arm."),
    Route(
        "POST", "/rank/batch", "rank", "rank_batch", routes.rank_batch, "Choose an arm for each of several requests."
    ),
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
    Route("GET", "/", "admin", "page", page.index, "The page."),
    Route("GET", "/page.js", "admin", "page", page.script),
    Route("GET", "/page.css", "admin", "page", page.style),
    Route("GET", "/stream", "admin", "stream", page.never, "What the page shows, as server-sent events."),
    Route("GET", "/docs", "admin", "docs", page.docs, "This list of routes."),
    Route("GET", "/openapi.json", "admin", "docs", page.openapi, "The routes in OpenAPI 3.1."),
    Route("POST", f"{personalizer.PREFIX}/rank", "rank", "rank", personalizer.rank),
    Route("POST", f"{personalizer.PREFIX}/events/*/reward", "reward", "reward", personalizer.reward),
    Route("POST", f"{personalizer.PREFIX}/events/*/activate", "reward", "activate", personalizer.activate),
    Route(
        "GET",
        f"{personalizer.PREFIX}/configurations/service",
        "admin",
        "policy",
        personalizer.service_configuration,
    ),
)
