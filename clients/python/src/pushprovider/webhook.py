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
    """A message that must not be trusted. Answer `status`.

    It is 400, so that the service gives the message up; or 425, so that it posts it again, if one of the two clocks is wrong.
    """

    def __init__(self, detail: str, status: int = 400) -> None:
        super().__init__(detail)
        self.status = status


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secrets: Union[str, Iterable[str]], *, tolerance: float = 300, now: Optional[float] = None
) -> WebhookEvent:
    """Returns the event of a message with a valid signature of one of the `secrets`, or raises `WebhookError`.

    `body` is the body as it arrived, byte for byte. Messages can be repeated, always with the same `id`. A message whose time is more than
    `tolerance` seconds away is refused, so that nobody can replay an old one. A secret that can't be used is a `ValueError`, which says
    nothing about the message: answer 500, and the service posts it again.
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else list(secrets) or [""])]
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, sent, signatures = (given["webhook-" + name] for name in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(sent))
    except (KeyError, ValueError):
        raise WebhookError("The message lacks webhook-id, webhook-timestamp or webhook-signature.") from None
    if age > tolerance:
        raise WebhookError(f"The message is {int(age)} s away from the clock of this machine.", 425)
    signed = f"{id}.{sent}.".encode() + body
    offered = [each.encode() for each in signatures.split(" ")]
    for key in keys:
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, each) for each in offered):
            event: WebhookEvent = read(WebhookEvent, json.loads(body))
            return replace(event, id=id)
    raise WebhookError("No signature fits. Compare the secret with the secrets file of the service, and pass the body unchanged.")


def _key(secret: str) -> bytes:
    secret = secret.strip()
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    # Everybody can sign with an empty key.
    if len(key) < 24:
        raise ValueError("A webhook secret is missing or mistyped. It is whsec_ and 24 to 64 bytes in base64.")
    return key
