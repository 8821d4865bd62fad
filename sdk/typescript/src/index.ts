export * from "./client.js";
export { ConnectionError, ReverieError, TimeoutError } from "./errors.js";
export type { CallOptions, TransportOptions } from "./http.js";
export type * from "./schema.js";
export { version } from "./version.js";
export { verifyWebhook, WebhookError, type WebhookEvent, type WebhookHeaders, webhookTolerance } from "./webhook.js";
