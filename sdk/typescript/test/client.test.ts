// Tries the installed package with a running server: REVERIE_URL, REVERIE_KEY, and an agent ada.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Client, ReverieError, TimeoutError, type ChatEvent, type Fact, type Message } from "@reverie-memory/client";

const server = { url: process.env["REVERIE_URL"] ?? "", key: process.env["REVERIE_KEY"] ?? "" };
const ada = new Client({ ...server, agent: "ada", endUserId: "ts" });

/** A client for a person whom no other test knows. */
const somebody = () => ada.as({ owner: `user:${randomUUID()}` });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("what is remembered is found, by its owner only", async () => {
  const remembered = await ada.remember("My boat is called Heron.");
  assert.equal(remembered.kind, "saved");
  const idempotencyKey = randomUUID();
  const first = await ada.remember("The mast is made of spruce.", { idempotencyKey });
  const again = await ada.remember("The mast is made of spruce.", { idempotencyKey });
  assert.deepEqual([first.kind, again.kind, again.receipt.replayed], ["saved", "saved", true]);

  const { results } = await ada.search("What is the boat called?", { maxResults: 1, corpus: "memory" });
  assert.match(results[0]?.snippet ?? "", /Heron/);
  assert.deepEqual((await somebody().search("What is the boat called?")).results, []);
});

test("messages are stored once, listed over pages, and extracted", async () => {
  const me = somebody();
  const batch = Array.from({ length: 120 }, (_, i) => ({ id: `m${i}`, role: i % 2 ? "assistant" : "user", content: `Line ${i} of the log.` }) as const);
  assert.equal((await me.addMessages("log", batch, { triggerSource: "cron" })).stored, 120);
  assert.equal((await me.addMessages("log", batch, { triggerSource: "cron" })).duplicates, 120);
  const listed: Message[] = await all(me.messages("log"));
  assert.deepEqual(listed.map((m) => m.id), batch.map((m) => m.id));

  const conversation = `a/b ${randomUUID()}`; // is escaped
  await me.addMessages(conversation, [
    { role: "user", content: "Good morning! I have news of the ward for you." },
    { role: "assistant", content: "Good morning. What happened?" },
    { role: "user", content: "We decided to plan the shifts with a spreadsheet." },
    { role: "assistant", content: "Noted." },
  ], { turnComplete: true });
  const run = await me.waitForExtraction(conversation);
  assert.deepEqual([run.status, run.outcome], ["completed", "written"]);
  const { results } = await me.search("How are the shifts planned?", { corpus: "memory" });
  assert.match(results[0]?.snippet ?? "", /spreadsheet/);
});

test("a context has what is remembered", async () => {
  const me = somebody();
  await me.remember("My sister lives in Lisbon.");
  const { messages } = await me.context("Where does my sister live?", { wait: "5s" });
  assert.equal(messages[0]?.role, "system");
  assert.ok(messages.some((m) => m.content.includes("Lisbon")));
});

test("a chat answers at once and as a stream, and an aborted one ends", async () => {
  const me = somebody();
  const conversationId = randomUUID();
  const turn = await me.chat("What rhymes with boat?", { conversationId });
  assert.equal(turn.answer, "You said: What rhymes with boat?");

  const events: ChatEvent[] = await all(me.chatStream("What rhymes with mast?", { conversationId }));
  const text = events.flatMap((e) => (e.event === "text" ? [e.data.text] : [])).join("");
  const last = events.at(-1);
  assert.equal(text, "You said: What rhymes with mast?");
  assert.ok(events.length > 3 && events[0]?.event === "context");
  assert.ok(last?.event === "done" && last.data.answer === text && last.data.conversationId === conversationId);
  assert.equal((await all(me.messages(conversationId))).length, 4);

  const stop = new AbortController();
  let heard = 0;
  await assert.rejects(async () => {
    for await (const e of me.chatStream("SLOW story please", { signal: stop.signal })) {
      if (e.event === "text" && ++heard === 3) stop.abort(new Error("enough"));
    }
  }, /enough/);
  assert.equal(heard, 3);
  for await (const e of me.chatStream("SLOW story please")) if (e.event === "text") break; // closes the connection
});

test("facts are listed and forgotten", async () => {
  const me = somebody();
  await me.remember("My bicycle is green.");
  let facts: Fact[] = [];
  for (let tries = 0; facts.length === 0 && tries < 300; tries++) {
    facts = await all(me.facts({ keyword: "bicycle" })); // derived by the worker, soon
    if (facts.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.match(facts[0]?.text ?? "", /green/);

  const shown = await me.forget({ pattern: "bicycle" });
  assert.ok(shown.dryRun && shown.statements.length === 1);
  const done = await me.forget({ pattern: "bicycle", dryRun: false });
  assert.ok(!done.dryRun);
  assert.deepEqual((await me.search("What colour is the bicycle?", { corpus: "memory" })).results, []);
});

test("tools are listed and called", async () => {
  const me = somebody();
  const tools = await me.tools();
  assert.ok(tools.some((t) => t.name === "memory_search" && !t.writes));
  const called = await me.callTool("remember", { text: "The harbour closes at ten." });
  assert.ok(!called.isError && called.written?.token);
  assert.ok((await me.callTool("edit_workspace_memory_file", { filename: "none.md", oldText: "a", newText: "b" })).isError);
});

test("any operation can be called, with its types", async () => {
  const file = await ada.call("GET /api/v1/agents/{agent}/workspace/files/{path}", {
    path: { agent: "ada", path: "MEMORY.md" }, query: { endUserId: "ts" },
  });
  assert.match(file.content, /Heron/);
  const outside = { path: { agent: "ada", path: "../../../../keys" } };
  await assert.rejects(ada.call("GET /api/v1/agents/{agent}/workspace/files/{path}", outside), TypeError);
  await assert.rejects(ada.addMessages("..", []), TypeError);
  // @ts-expect-error the operation needs its path
  await assert.rejects(ada.call("GET /api/v1/agents/{agent}/facts/{fact}", {}), ReverieError);
});

test("refusals have a code and the server's advice", async () => {
  const refused = async (work: Promise<unknown>) =>
    work.then(() => assert.fail("was not refused"), (e: unknown) => (assert.ok(e instanceof ReverieError), e));
  const unknown = await refused(ada.as({ agent: "nobody", endUserId: "ts" }).search("boat"));
  assert.deepEqual([unknown.status, unknown.code], [404, "not_found"]);
  assert.ok(unknown.requestId && unknown.message.includes(unknown.advice));
  const unauthorized = await refused(new Client({ ...server, key: "rv_wrong", agent: "ada", owner: "user:1" }).remember("A boat."));
  assert.equal(unauthorized.code, "unauthorized");
  const invalid = await refused(ada.search("boat", { maxResults: 1000 }));
  assert.equal(invalid.code, "invalid_search");
});

test("a wait that is too short says that the work goes on", async () => {
  const me = somebody();
  await me.addMessages("slow", [{ role: "user", content: "We decided to paint the boat blue." }], { turnComplete: true });
  await assert.rejects(me.waitForExtraction("slow", { timeout: 1 }), TimeoutError);
  assert.equal((await me.waitForExtraction("slow")).status, "completed");
});
