"""Requests of webhooks, signed as Standard Webhooks describes it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

TOLERANCE = 5 * 60
"""Seconds by which the time of a request may differ."""


class WebhookError(ValueError):
    """The request is not one of the webhook with the secret, or is too old."""


class WebhookEvent(NamedTuple):
    """What a webhook sends."""

    id: str
    """The same in every attempt: handle it once."""
    type: str
    """Kind of the event, or webhook.ping."""
    timestamp: str
    data: dict[str, Any]
    """The event as lists of events have it."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None
) -> WebhookEvent:
    """Check the signature and the time of a request, and return its event.

    secret is what the webhook was made with ("whsec_…"), body the whole body as it was received.
    Raises WebhookError for a request that must not be believed.
    """
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret of a webhook is whsec_ and base64")
    named = {name.lower(): value for name, value in headers.items()}
    event_id, sent = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not event_id or not (sent.isascii() and sent.isdigit()):
        raise WebhookError("the request has no id or no time")
    if abs((time.time() if now is None else now) - int(sent)) > TOLERANCE:
        raise WebhookError("the request is too old, or a clock is wrong")
    want = hmac.new(key, f"{event_id}.{sent}.".encode() + body, hashlib.sha256).digest()
    signed = False
    for signature in named.get("webhook-signature", "").split():
        version, _, text = signature.partition(",")
        try:
            given = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            continue
        signed = signed or (version == "v1" and hmac.compare_digest(given, want))
    if not signed:
        raise WebhookError("no signature of the request is right")
    try:
        event = json.loads(body)
        return WebhookEvent(event_id, event["type"], event["timestamp"], event["data"])
    except (ValueError, KeyError, TypeError) as error:
        raise WebhookError("the body of the request is no event") from error
