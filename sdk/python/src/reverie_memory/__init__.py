"""Client of Reverie, the long-term memory of AI agents.

Client and AsyncClient have the same methods. Values have the types of the module schema.
"""

from ._aio import AsyncClient
from ._calls import NewMessage
from ._client import Client
from ._errors import ReverieConnectionError, ReverieError, ReverieTimeout
from ._events import ChatEvent
from ._version import VERSION as __version__
from ._webhook import WebhookError, WebhookEvent, verify_webhook

__all__ = [
    "AsyncClient",
    "ChatEvent",
    "Client",
    "NewMessage",
    "ReverieConnectionError",
    "ReverieError",
    "ReverieTimeout",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]
