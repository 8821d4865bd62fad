// Tries the installed package with a server that fails in passing.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { Client, ConnectionError, ReverieError, TimeoutError, type ClientOptions } from "@reverie-memory/client";

type Handler = (request: IncomingMessage & { body: string }, response: ServerResponse) => void;

/** Starts a server whose n-th request is handled by the n-th handler, and later ones by the last. */
async function serve(t: TestContext, handlers: Handler[], options: Partial<ClientOptions> = {}) {
  const seen: { key: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const handler = handlers[Math.min(seen.length, handlers.length - 1)];
    seen.push({ key: request.headers["idempotency-key"] as string | undefined, body });
    handler?.(Object.assign(request, { body }), response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { seen, client: new Client({ url: `http://127.0.0.1:${port}/`, key: "rv_test", agent: "ada", owner: "user:1", ...options }) };
}

const say = (status: number, body: object, headers: Record<string, string> = {}): Handler => (_, response) => {
  response.writeHead(status, headers).end(JSON.stringify(body));
};
const saved = say(200, { code: 200, msg: "success", data: { kind: "saved" } });
const busy = say(503, { code: 503, error: "store_unavailable", msg: "The database is unavailable", data: null }, { "Retry-After": "1" });
const hangUp: Handler = (request) => request.socket.destroy();

test("what passes is repeated with the same key, after the pause that the server asks for", async (t) => {
  const { client, seen } = await serve(t, [busy, hangUp, saved]);
  const began = Date.now();
  assert.equal((await client.remember("The boat is called Heron.")).kind, "saved");
  assert.ok(Date.now() - began >= 1000, "Retry-After was ignored");
  assert.equal(seen.length, 3);
  assert.ok(seen[0]?.key && seen.every((request) => request.key === seen[0]?.key && request.body === seen[0]?.body));
});

test("what cannot pass is not repeated", async (t) => {
  const faults: [Handler, string][] = [
    [say(409, { error: "memory_off", msg: "Memory is disabled" }), "memory_off"],
    [say(502, { error: "model_failed", msg: "The model declined" }), "model_failed"],
    [say(429, { error: "budget_spent", msg: "Spent" }, { "Retry-After": "40000" }), "budget_spent"],
    [say(429, { error: "budget_spent", msg: "Paused" }), "budget_spent"],
  ];
  for (const [handler, code] of faults) {
    const { client, seen } = await serve(t, [handler]);
    await assert.rejects(client.remember("A boat."), (e) => e instanceof ReverieError && e.code === code);
    assert.equal(seen.length, 1);
  }
  const { client, seen } = await serve(t, [hangUp]); // nobody knows whether it was carried out
  await assert.rejects(client.call("POST /api/v1/agents", { body: { id: "bob" } }), ConnectionError);
  assert.equal(seen.length, 1);
});

test("repetitions end", async (t) => {
  const { client, seen } = await serve(t, [say(503, { error: "overloaded", msg: "Too many requests" })], { retries: 1 });
  await assert.rejects(client.search("boat"), (e) => e instanceof ReverieError && e.code === "overloaded");
  assert.equal(seen.length, 2);
});

test("a signal ends a call, also between attempts", async (t) => {
  const { client } = await serve(t, [() => {}]);
  await assert.rejects(client.search("boat", { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  await assert.rejects(client.search("boat", { signal: AbortSignal.abort(new Error("no")) }), /no/);
  const other = await serve(t, [say(503, { error: "overloaded", msg: "" }, { "Retry-After": "50" })]);
  await assert.rejects(other.client.search("boat", { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
});

test("an answer that does not come is given up", async (t) => {
  const { client, seen } = await serve(t, [() => {}], { timeout: 300 });
  await assert.rejects(client.search("boat"), TimeoutError);
  assert.ok(seen.length <= 1);
});

test("an answer of something else is named as such", async (t) => {
  const { client } = await serve(t, [(_, response) => response.end("<html>Welcome</html>")], { retries: 0 });
  await assert.rejects(client.search("boat"), /not as Reverie does/);
});

test("a stream in any pieces is read, and one that breaks off is an error", async (t) => {
  const text = 'event: text\ndata: {"text":"Zürich"}\n\n: still here\n\nevent: later\ndata: {}\n\n';
  const pieces = (end: string): Handler => (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const bytes = Buffer.from(text + end);
    const write = (at: number): void => {
      if (at >= bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 3), () => setImmediate(write, at + 3));
    };
    write(0);
  };
  const { client } = await serve(t, [busy, pieces('event: done\ndata: {"answer":"Zürich"}\n\n')]);
  const events: string[] = [];
  for await (const e of client.chatStream("Where?")) events.push(e.event === "text" ? e.data.text : e.event);
  assert.deepEqual(events, ["Zürich", "done"]);

  const consume = async (end: string) => {
    const broken = await serve(t, [pieces(end)]);
    for await (const _ of broken.client.chatStream("Where?"));
  };
  await assert.rejects(consume(""), ConnectionError);
  await assert.rejects(consume('event: error\ndata: {"code":502,"error":"model_failed","msg":"declined","data":null}\n\n'), (e) =>
    e instanceof ReverieError && e.code === "model_failed" && e.status === 502);
});
