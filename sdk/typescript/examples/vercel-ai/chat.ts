// Answers one message with a model and memory tools: node chat.js "What is my boat called?"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";
import { Client } from "@reverie-memory/client";
import { memoryTools } from "./memory-tools.js";

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}`);
  return value;
}

const memory = new Client({
  url: setting("REVERIE_URL"), key: setting("REVERIE_KEY"), agent: setting("REVERIE_AGENT"), owner: setting("REVERIE_OWNER"),
});
const provider = createOpenAICompatible({ name: "model", baseURL: setting("MODEL_URL"), apiKey: setting("MODEL_KEY") });

const { text } = await generateText({
  model: provider(setting("MODEL")),
  system: "Look into your memory before you answer, and remember what lasts.",
  prompt: process.argv[2] ?? "",
  tools: await memoryTools(memory),
  stopWhen: stepCountIs(8),
});
console.log(text);
