from .client import AsyncClient as AsyncClient, Client as Client, ServiceError as ServiceError
from .clock import Clock as Clock
from .settings import Settings as Settings, read_settings as read_settings
from .supervisor import Supervisor as Supervisor
