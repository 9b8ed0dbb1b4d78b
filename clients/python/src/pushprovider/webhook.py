"""Checks the messages that the service posts to your webhook (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import replace
from typing import Iterable, Mapping, Optional, Union

from .types import WebhookEvent, read


class WebhookError(Exception):
    """A message that must not be trusted. Answer 400."""


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secrets: Union[str, Iterable[str]], *, tolerance: float = 300, now: Optional[float] = None
) -> WebhookEvent:
    """Returns the event of a message with a valid signature of one of the `secrets`, or raises `WebhookError`.

    `body` is the body as it arrived, byte for byte. Messages can be repeated, always with the same `id`. A message whose time is more than
    `tolerance` seconds away is refused, so that nobody can replay an old one.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, sent, signatures = (given["webhook-" + name] for name in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(sent))
    except (KeyError, ValueError):
        raise WebhookError("The message lacks webhook-id, webhook-timestamp or webhook-signature.") from None
    if age > tolerance:
        raise WebhookError(f"The message is {int(age)} s away from the clock of this machine.")
    signed = f"{id}.{sent}.".encode() + body
    offered = [each.encode() for each in signatures.split(" ")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = b"v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, each) for each in offered):
            event: WebhookEvent = read(WebhookEvent, json.loads(body))
            return replace(event, id=id)
    raise WebhookError("No signature fits. Compare the secret with the secrets file of the service, and pass the body unchanged.")


def _key(secret: str) -> bytes:
    secret = secret.strip()
    try:
        return base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        raise WebhookError("A secret isn't base64. It begins with whsec_.") from None
