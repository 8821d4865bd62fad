// Speaks to the chat proxy with OpenAI's SDK, and prints what it gets as JSON. The first argument is a JSON object: url and key.
import OpenAI from "openai";

const task = JSON.parse(process.argv[2]);
const client = new OpenAI({ baseURL: task.url + "/v1", apiKey: task.key });
const out = {};
const user = "42";
const system = { role: "system", content: "You are terse. It is " + new Date().toISOString() };

async function failure(make) {
  try {
    await make();
    return { none: true };
  } catch (e) {
    return {
      class: e.constructor.name, status: e.status, code: e.code, type: e.type, message: e.message, wait: e.headers?.get("retry-after"),
    };
  }
}

out.models = [];
for await (const m of client.models.list()) out.models.push(m.id);

// One chat of several turns: the whole history is sent with each.
const first = { role: "user", content: "The boat is called Heron, by the way." };
const plain = await client.chat.completions
  .create({ model: "ada", user, messages: [system, first], temperature: 0.5 }, { headers: { "X-Reverie-Include": "memory" } })
  .withResponse();
out.plain = plain.data.choices[0].message;
out.reverie = plain.data.reverie;
out.conversation = plain.response.headers.get("x-reverie-conversation");
out.memory = plain.response.headers.get("x-reverie-memory");

const second = { role: "user", content: "Where does she lie tonight?" };
const stream = await client.chat.completions.create({
  model: "ada/test-large", user, stream: true, messages: [{ ...system, content: "Another time." }, first, out.plain, second],
});
out.streamed = "";
out.chunks = 0;
for await (const chunk of stream) {
  out.model = chunk.model;
  out.streamed += chunk.choices[0]?.delta?.content ?? "";
  out.chunks++;
}

// Tools: the SDK runs them, and sends their results.
const runner = client.chat.completions.runTools({
  model: "ada",
  user,
  stream: true,
  messages: [{ role: "user", content: "What is the weather in Bern? Use the tool." }],
  tools: [{
    type: "function",
    function: {
      name: "weather", parse: JSON.parse, description: "The weather of a place",
      parameters: { type: "object", properties: { place: { type: "string" } } }, function: ({ place }) => `Rain in ${place}`,
    },
  }],
});
out.tools = await runner.finalContent();

// Errors: of this server, and those of the model's provider.
out.errors = {
  agent: await failure(() => client.chat.completions.create({ model: "gpt-4o", user, messages: [first] })),
  user: await failure(() => client.chat.completions.create({ model: "ada", messages: [first] })),
  key: await failure(() => new OpenAI({ baseURL: task.url + "/v1", apiKey: "rv_wrong" }).models.list()),
};
const once = new OpenAI({ baseURL: task.url + "/v1", apiKey: task.key, maxRetries: 0 });
const say = (content, more) => ({ model: "ada", user, messages: [{ role: "user", content }], ...more });
for (const fault of ["rate", "context", "teapot", "unauthorized", "hangup"]) {
  out.errors[fault] = await failure(() => once.chat.completions.create(say("FAIL " + fault)));
}
for (const fault of ["midstream", "broken"]) {
  out.errors[fault] = await failure(async () => {
    for await (const _ of await once.chat.completions.create(say("FAIL " + fault, { stream: true })));
  });
}
// A fault that passes: the SDK tries again.
out.retried = (await client.chat.completions.create(say("FAIL once"))).choices[0].message.content;

// Abort in the middle.
const aborted = await client.chat.completions.create(say("SLOW story please", { stream: true }));
out.heard = 0;
try {
  for await (const _ of aborted) if (++out.heard === 3) aborted.controller.abort();
} catch (e) {
  out.abort = String(e);
}
console.log(JSON.stringify(out));
process.exit(0);
