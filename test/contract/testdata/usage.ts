// A program over the generated types. It is compiled and not run; api/openapi_test.go sends the same requests to the server.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8080" });
const conversation = { path: { agent: "ada", conversation: "c1" } };

export async function talk(): Promise<string> {
  const { data, error } = await client.POST("/api/v1/agents/{agent}/conversations/{conversation}/messages", {
    params: conversation,
    body: { endUserId: "42", messages: [{ id: "m1", role: "user", content: "I moved to Bern." }] },
  });
  if (error) {
    return error.error;
  }
  return data.data.extraction.status;
}

export async function talkWithoutAnID(): Promise<void> {
  await client.POST("/api/v1/agents/{agent}/conversations/{conversation}/messages", {
    params: conversation,
    // @ts-expect-error the server refuses a message without an id
    body: { endUserId: "42", messages: [{ role: "user", content: "I moved to Bern." }] },
  });
}

export async function search(): Promise<string[]> {
  const { data } = await client.POST("/api/v1/agents/{agent}/memory/search", {
    params: { path: { agent: "ada" } },
    body: { query: "Where do I live?" },
  });
  return (data?.data.results ?? []).map((found) => found.snippet);
}

export async function pages(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const { data } = await client.GET("/api/v1/agents/{agent}/extractions", {
      params: { path: { agent: "ada" }, query: { cursor, limit: 100 } },
    });
    const page: components["schemas"]["ExtractionPage"] | undefined = data?.data;
    ids.push(...(page?.items ?? []).map((extraction) => extraction.id));
    if (!page?.next) {
      return ids;
    }
    cursor = page.next;
  }
}
