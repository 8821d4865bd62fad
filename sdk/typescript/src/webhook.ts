/** Seconds by which the time of a request may differ. */
export const webhookTolerance = 5 * 60;

/** The request is not one of the webhook with the secret, or is too old. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

/** What a webhook sends. */
export interface WebhookEvent {
  /** The same in every attempt: handle it once. */
  id: string;
  /** Kind of the event, or `webhook.ping`. */
  type: string;
  timestamp: string;
  /** The event as lists of events have it. */
  data: Record<string, unknown>;
}

/** Headers as `fetch` and `node:http` have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

function valueOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? "";
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Checks the signature and the time of a request and returns its event. `secret` is what the webhook was made with (`whsec_…`), and
 * `body` the whole body as it was received. Throws a `WebhookError` for a request that must not be believed. `now` is a time in
 * seconds.
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now: number = Date.now() / 1000,
): Promise<WebhookEvent> {
  const secretBytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!secretBytes?.length) throw new TypeError("the secret of a webhook is whsec_ and base64");
  const id = valueOf(headers, "webhook-id");
  const sent = valueOf(headers, "webhook-timestamp");
  if (id === "" || !/^\d+$/.test(sent)) throw new WebhookError("the request has no id or no time");
  if (Math.abs(now - Number(sent)) > webhookTolerance) throw new WebhookError("the request is too old, or a clock is wrong");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const key = await crypto.subtle.importKey("raw", secretBytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const message = new TextEncoder().encode(`${id}.${sent}.${text}`);
  let signed = false;
  for (const signature of valueOf(headers, "webhook-signature").split(" ")) {
    const given = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : undefined;
    if (given && (await crypto.subtle.verify("HMAC", key, given, message))) signed = true;
  }
  if (!signed) throw new WebhookError("no signature of the request is right");
  try {
    const event = JSON.parse(text) as Omit<WebhookEvent, "id">;
    return { id, type: event.type, timestamp: event.timestamp, data: event.data };
  } catch (error) {
    throw new WebhookError("the body of the request is no event", { cause: error });
  }
}
