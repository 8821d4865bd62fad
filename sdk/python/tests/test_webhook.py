"""Signatures fit those of the Standard Webhooks libraries."""

import base64
import hashlib
import hmac
import unittest

from reverie_memory import WebhookError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"type":"webhook.ping","timestamp":"2026-11-23T12:00:00Z","data":{}}'
AT = 1614265330


def headers(**change: str) -> dict[str, str]:
    key = base64.b64decode(SECRET[6:])
    mac = hmac.new(key, f"evt_1.{AT}.".encode() + BODY, hashlib.sha256).digest()
    right = {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(AT),
        "Webhook-Signature": "v1,AAAA v1," + base64.b64encode(mac).decode(),
    }
    return right | {name.replace("_", "-"): value for name, value in change.items()}


class Verify(unittest.TestCase):
    def test_right(self) -> None:
        event = verify_webhook(SECRET, headers(), BODY, now=AT + 200)
        self.assertEqual((event.id, event.type, event.data), ("evt_1", "webhook.ping", {}))

    def test_refused(self) -> None:
        for what, change, body, now in [
            ("too late", {}, BODY, AT + 400),
            ("too early", {}, BODY, AT - 400),
            ("another body", {}, BODY + b" ", AT),
            ("another id", {"Webhook_Id": "evt_2"}, BODY, AT),
            ("another time", {"Webhook_Timestamp": str(AT + 1)}, BODY, AT),
            ("no time", {"Webhook_Timestamp": "soon"}, BODY, AT),
            ("no signature", {"Webhook_Signature": ""}, BODY, AT),
            ("no base64", {"Webhook_Signature": "v1,\u00e9"}, BODY, AT),
        ]:
            with self.subTest(what), self.assertRaises(WebhookError):
                verify_webhook(SECRET, headers(**change), body, now=now)
        with self.assertRaises(WebhookError):
            verify_webhook("whsec_AAAA", headers(), BODY, now=AT)
        with self.assertRaisesRegex(ValueError, "base64"):
            verify_webhook("", headers(), BODY, now=AT)


if __name__ == "__main__":
    unittest.main()
