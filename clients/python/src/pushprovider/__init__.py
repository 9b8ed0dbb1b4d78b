"""Clients of the push service `pushserve` and of the mock `pushsend mock`."""

from . import types
from .core import PushError
from .mock import AsyncMock, Mock
from .service import AsyncPushService, AsyncResults, PushService, Results
from .types import *  # noqa: F403
from .webhook import WebhookError, verify_webhook

__version__ = "0.10.0"
__all__ = ["AsyncMock", "AsyncPushService", "AsyncResults", "Mock", "PushError", "PushService", "Results", "WebhookError", "verify_webhook"]
__all__ += types.__all__
