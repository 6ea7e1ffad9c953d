"""The HTTP side of the service: routes, security, the page."""

from kernelbandits.service.web.application import Application
