// Speaks to a server with the TypeScript SDK, and prints what it answers as JSON. The first argument is a JSON object: url and key, or
// command and args; calls, a list of {name, arguments}.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const task = JSON.parse(process.argv[2]);
const client = new Client({ name: "test", version: "1" });
const transport = task.url
  ? new StreamableHTTPClientTransport(new URL(task.url), { requestInit: { headers: { Authorization: `Bearer ${task.key}` } } })
  : new StdioClientTransport({ command: task.command, args: task.args, env: { ...process.env, REVERIE_KEY: task.key }, stderr: "inherit" });
const out = { calls: [], updated: [] };
try {
  let told;
  const change = new Promise((resolve) => (told = resolve));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => {
    out.updated.push(n.params.uri);
    told();
  });
  await client.connect(transport);
  out.capabilities = client.getServerCapabilities();
  out.instructions = client.getInstructions();
  out.tools = (await client.listTools()).tools;
  out.templates = (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate);
  out.prompts = (await client.listPrompts()).prompts.map((p) => p.name);
  out.prompt = (await client.getPrompt({ name: "memory_recall", arguments: { topic: "the boat" } })).messages.length;
  if (out.capabilities.resources.subscribe) await client.subscribeResource({ uri: "memory:///MEMORY.md" });
  for (const call of task.calls) {
    // The SDK checks structured content against the output schema.
    const result = await client.callTool(call, undefined, { onprogress: () => {}, timeout: 30000 });
    out.calls.push({ name: call.name, isError: result.isError ?? false, text: result.content[0].text, structured: !!result.structuredContent });
  }
  out.resources = (await client.listResources()).resources.map((r) => r.uri);
  out.memory = (await client.readResource({ uri: "memory:///MEMORY.md" })).contents[0].text;
  if (out.capabilities.resources.subscribe) {
    await Promise.race([change, new Promise((_, fail) => setTimeout(() => fail(new Error("no change was announced")), 20000))]);
  }
} catch (e) {
  out.error = String(e);
}
console.log(JSON.stringify(out));
await client.close();
process.exit(0);
