"""The HTTP side of the service: routes, security, the page."""
