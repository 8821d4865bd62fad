import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";

import { verifyWebhook, WebhookError } from "@reverie-memory/client";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"type":"webhook.ping","timestamp":"2026-11-23T12:00:00Z","data":{}}';
const at = 1614265330;
const mac = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`evt_1.${at}.${body}`).digest("base64");
const headers = { "webhook-id": "evt_1", "Webhook-Timestamp": String(at), "webhook-signature": `v1,AAAA v1,${mac}` };

test("a request of the webhook", async () => {
  assert.deepEqual(await verifyWebhook(secret, headers, body, at + 200), {
    id: "evt_1", type: "webhook.ping", timestamp: "2026-11-23T12:00:00Z", data: {},
  });
  assert.equal((await verifyWebhook(secret, new Headers(headers), Buffer.from(body), at)).id, "evt_1");
});

test("requests that must not be believed", async () => {
  for (const [what, changed, text, now] of [
    ["too late", {}, body, at + 400], ["too early", {}, body, at - 400], ["another body", {}, `${body} `, at],
    ["another id", { "webhook-id": "evt_2" }, body, at], ["another time", { "Webhook-Timestamp": String(at + 1) }, body, at],
    ["no time", { "Webhook-Timestamp": "soon" }, body, at], ["no signature", { "webhook-signature": "" }, body, at],
    ["another version", { "webhook-signature": `v2,${mac}` }, body, at],
  ] as const) {
    await assert.rejects(verifyWebhook(secret, { ...headers, ...changed }, text, now), WebhookError, what);
  }
  await assert.rejects(verifyWebhook("", headers, body, at), TypeError);
});
