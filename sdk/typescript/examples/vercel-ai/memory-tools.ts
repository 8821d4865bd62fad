import { randomUUID } from "node:crypto";
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import type { Client } from "@reverie-memory/client";

/** Returns the memory tools of an agent as a tool set of the Vercel AI SDK. The client decides whose memory they use. */
export async function memoryTools(memory: Client): Promise<ToolSet> {
  const turn = randomUUID(); // providers number their calls anew in each request
  const tools: ToolSet = {};
  for (const { name, description, parameters } of await memory.tools()) {
    tools[name] = dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: async (input, { toolCallId, abortSignal }) => {
        const idempotencyKey = `${turn}-${toolCallId}`; // a call that is repeated writes once
        const called = await memory.callTool(name, input as Record<string, unknown>, { idempotencyKey, signal: abortSignal });
        return called.result; // also of a failure: it says what the model can do
      },
    });
  }
  return tools;
}
