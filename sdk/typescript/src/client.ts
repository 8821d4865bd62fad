import { ConnectionError, ReverieError, TimeoutError, refusal } from "./errors.js";
import { Transport, type CallOptions, type TransportOptions } from "./http.js";
import type * as schema from "./schema.js";

/** Whose memory a call is about: an owner key ("user:7"), channel and sender, or the id of an end user ("42" is the owner "api:42"). */
export interface Person {
  owner?: string | undefined;
  channel?: string | undefined;
  sender?: string | undefined;
  endUserId?: string | undefined;
}

/** Options of a client. A person here is the default of every call. */
export interface ClientOptions extends TransportOptions, Person {
  /** Id of the agent. */
  agent: string;
}

/** Options of a call about a person, in place of the client's. */
export interface PersonOptions extends CallOptions, Person {}

/** The fields of a request body besides those that the method sets. */
type Rest<Body, Set extends keyof Body> = Partial<Omit<Body, Set | keyof Person>>;

export type RememberOptions = PersonOptions & Rest<schema.RememberBody, "text">;
export type SearchOptions = PersonOptions & Rest<schema.SearchBody, "query">;
export type ContextOptions = PersonOptions & Rest<schema.ContextBody, "message"> & { wait?: string };
export type ChatOptions = PersonOptions & Rest<schema.ChatBody, "agentId" | "message">;
export type AddOptions = PersonOptions & Rest<schema.AddMessagesBody, "messages">;
export type ForgetOptions = PersonOptions & Rest<schema.ForgetBody, never>;
export type FactsOptions = PersonOptions & Rest<schema.Operations["GET /api/v1/agents/{agent}/facts"]["query"], "cursor" | "limit">;
export type WaitOptions = PersonOptions & {
  /** Milliseconds. Default: 300,000. */
  timeout?: number | undefined;
};

/** A message to store. Without an id it gets one, so that it is stored once although the request is repeated. */
export type NewMessage = Omit<schema.MessageInput, "id"> & { id?: string };

/** An event of an answer that is streamed. */
export type ChatEvent =
  | { event: "context"; data: schema.MadeContext }
  | { event: "text"; data: { text: string } }
  /** The text so far is void; a new answer follows. */
  | { event: "reset"; data: Record<string, never> }
  | { event: "tool_call"; data: schema.ToolCall }
  | { event: "tool_result"; data: schema.ToolUse }
  /** The last event: the whole answer, also of an agent without a model, which sends no text events. */
  | { event: "done"; data: schema.Turn };

const chatEvents = new Set(["context", "text", "reset", "tool_call", "tool_result", "done"]);

type Operation = keyof schema.Operations;
type Part<O extends Operation, Name extends string> = Name extends keyof schema.Operations[O] ? schema.Operations[O][Name] : never;
type Given<O extends Operation, Name extends string> = [Part<O, Name>] extends [never] ? unknown : { [N in Name]: Part<O, N> };
type Optional<O extends Operation, Name extends string> = [Part<O, Name>] extends [never] ? unknown : { [N in Name]?: Part<O, N> };

/** Arguments of an operation: path and body if it has them, and query. */
export type Arguments<O extends Operation> = CallOptions & Given<O, "path"> & Given<O, "body"> & Optional<O, "query">;

/**
 * Client of one agent's memory. Requests that fail in passing are repeated; writes carry an idempotency key, so that they happen once.
 * Refusals are a ReverieError, broken connections a ConnectionError.
 */
export class Client {
  readonly #transport: Transport;
  readonly #person: Person;
  readonly agent: string;

  constructor(options: ClientOptions, transport = new Transport(options)) {
    this.#transport = transport;
    this.#person = personOf(options);
    segment(options.agent);
    this.agent = options.agent;
  }

  /** Returns a client for another person, or another agent, over the same server and key. */
  as(other: Person & { agent?: string }): Client {
    return new Client({ url: "", key: "", ...this.#whose(other), agent: other.agent ?? this.agent }, this.#transport);
  }

  /** Saves a statement in MEMORY.md: "My flight is on Friday at 8." */
  remember(text: string, options: RememberOptions = {}): Promise<schema.Remembered> {
    return this.#post(this.#path("remember"), options, (rest) => ({ ...rest, text }));
  }

  /** Searches documents and conversations. */
  search(query: string, options: SearchOptions = {}): Promise<schema.Search> {
    return this.#post(this.#path("memory/search"), options, (rest) => ({ ...rest, query }), { key: false });
  }

  /** Returns the messages to send to a model so that it can answer with memory. Stores nothing. */
  context(message: string, options: ContextOptions = {}): Promise<schema.Context> {
    const { wait, ...others } = options;
    return this.#post(this.#path("context"), others, (rest) => ({ ...rest, message }), { key: false, query: { wait }, wait: 300_000 });
  }

  /** Runs a whole turn at the server, with memory and the configured model, and stores it. */
  chat(message: string, options: ChatOptions = {}): Promise<schema.Turn> {
    return this.#post("/api/v1/chat", options, (rest) => this.#turn(message, rest), { key: false, wait: 330_000 });
  }

  /** Runs a turn as chat does, and yields its events as they happen. Ending the iteration stops the model. */
  async *chatStream(message: string, options: ChatOptions = {}): AsyncGenerator<ChatEvent, void, undefined> {
    const { call, rest, person } = this.#split(options);
    const events = this.#transport.events({
      method: "POST", path: "/api/v1/chat/stream", body: this.#turn(message, { ...rest, ...person }), repeatable: true, options: call,
    });
    for await (const { event, data } of events) {
      if (event === "error") throw refusal(0, new Headers(), data) ?? new ReverieError(0, "", "the stream ended with an error that cannot be read");
      if (chatEvents.has(event)) yield { event, data: JSON.parse(data) } as ChatEvent;
      if (event === "done") return;
    }
    throw new ConnectionError("the stream broke off: send the message again with the same messageId and conversationId");
  }

  /** Stores messages of a conversation. With turnComplete, the server extracts what is worth keeping, after a quiet period. */
  async addMessages(conversation: string, messages: NewMessage[], options: AddOptions = {}): Promise<schema.Added> {
    const named = messages.map((message) => ({ ...message, id: message.id ?? crypto.randomUUID() }));
    return this.#post(this.#path("conversations", conversation, "messages"), options, (rest) => ({ ...rest, messages: named }), { key: false });
  }

  /** Iterates over the stored messages of a conversation, oldest first. */
  messages(conversation: string, options: PersonOptions = {}): AsyncGenerator<schema.Message, void, undefined> {
    return this.#list<schema.Message>(this.#path("conversations", conversation, "messages"), options);
  }

  /**
   * Extracts memory from what is stored of a conversation now, and waits until that is done. Throws a TimeoutError when it takes longer; the
   * extraction goes on, and another call waits for it.
   */
  async waitForExtraction(conversation: string, options: WaitOptions = {}): Promise<schema.Run> {
    const { timeout = 300_000, ...others } = options;
    const { call, person } = this.#split(others);
    const deadline = Date.now() + timeout;
    const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
    for (;;) {
      const wait = Math.max(0, Math.min(deadline - Date.now(), 60_000));
      const run = await this.#transport.json<schema.Run>({
        method: "POST",
        path: `/api/v1/memory/${segment(this.agent)}/summarize/${segment(conversation)}`,
        query: { ...person, wait: `${wait}ms` },
        repeatable: true,
        wait,
        options: { ...call, idempotencyKey },
      });
      if (run.status === "completed") return run;
      if (Date.now() >= deadline) throw new TimeoutError(`the extraction of ${conversation} takes longer than ${timeout / 1000} seconds; it goes on`);
    }
  }

  /**
   * Forgets a statement (path and startLine, or entry), or every statement with some words (pattern), which it only shows unless dryRun is
   * false. With erase, the words also go from earlier versions and from messages, for good.
   */
  forget(what: ForgetOptions): Promise<schema.Forgotten> {
    return this.#post(this.#path("forget"), what, (rest) => rest);
  }

  /** Iterates over facts, the most trusted first. */
  facts(options: FactsOptions = {}): AsyncGenerator<schema.Fact, void, undefined> {
    return this.#list<schema.Fact>(this.#path("facts"), options);
  }

  /** Returns the memory tools with their JSON schemas, to be offered to a model. */
  async tools(options: CallOptions = {}): Promise<schema.Tool[]> {
    const tools: schema.Tool[] = [];
    for await (const tool of this.#list<schema.Tool>(this.#path("tools"), options, {})) tools.push(tool);
    return tools;
  }

  /** Runs a memory tool with the arguments that a model wrote. Pass `result` to the model, also when it has `isError`. */
  async callTool(name: string, args: Record<string, unknown>, options: PersonOptions & { speaker?: string } = {}): Promise<schema.Called> {
    const { call, rest, person } = this.#split(options);
    return this.#transport.json({
      method: "POST", path: this.#path("tools", name), query: { ...rest, ...person }, body: args, repeatable: true,
      options: { ...call, idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() },
    });
  }

  /**
   * Calls any operation of the API that returns JSON, by its method and path. Neither the client's agent nor its person is added. Only
   * reads, and writes with an idempotencyKey, are repeated after a broken connection.
   */
  async call<O extends Operation>(operation: O, args: Arguments<O>): Promise<schema.Operations[O]["data"]> {
    const given = args as CallOptions & { path?: Record<string, string>; query?: object; body?: unknown };
    const [method, template] = operation.split(" ", 2) as [string, string];
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(given.path?.[name] ?? "");
      return name === "path" ? value.split("/").map(segment).join("/") : segment(value);
    });
    return this.#transport.json({
      method, path, query: given.query, body: given.body, repeatable: method === "GET" || given.idempotencyKey !== undefined, options: given,
    });
  }

  #path(...parts: [string, ...string[]]): string {
    const [first, ...others] = parts;
    return ["/api/v1/agents", segment(this.agent), first, ...others.map(segment)].join("/");
  }

  /** Returns the person of a call, else the client's. */
  #whose(options: Person): Person {
    const own = personOf(options);
    return Object.keys(own).length > 0 ? own : this.#person;
  }

  #split<O extends PersonOptions>(options: O) {
    const { signal, idempotencyKey, owner, channel, sender, endUserId, ...rest } = options;
    return { call: { signal, idempotencyKey } as CallOptions, rest, person: this.#whose({ owner, channel, sender, endUserId }) };
  }

  /** Names the message and a new conversation, so that a repeated request is the same turn. */
  #turn(message: string, rest: object): object {
    return { conversationId: crypto.randomUUID(), messageId: crypto.randomUUID(), ...rest, agentId: this.agent, message };
  }

  #post<T>(
    path: string, options: PersonOptions, body: (rest: object) => object, more: { key?: boolean; query?: object; wait?: number } = {},
  ): Promise<T> {
    const { call, rest, person } = this.#split(options);
    if (more.key ?? true) call.idempotencyKey ??= crypto.randomUUID();
    return this.#transport.json({
      method: "POST", path, query: more.query, body: { ...body(rest), ...person }, repeatable: true, wait: more.wait, options: call,
    });
  }

  async *#list<T>(path: string, options: PersonOptions, person?: Person): AsyncGenerator<T, void, undefined> {
    const { call, rest, person: own } = this.#split(options);
    for (let cursor: string | number | undefined; ; ) {
      const query = { ...rest, ...(person ?? own), cursor };
      const page: { items: T[]; next?: string | number } = await this.#transport.json({
        method: "GET", path, query, repeatable: true, options: call,
      });
      yield* page.items;
      if (!page.next) return;
      cursor = page.next;
    }
  }
}

function personOf({ owner, channel, sender, endUserId }: Person): Person {
  return Object.fromEntries(Object.entries({ owner, channel, sender, endUserId }).filter(([, value]) => value !== undefined));
}

/** Escapes a part of a path. Addresses cannot have "." and "..": they would lead to another operation. */
function segment(text: string): string {
  if (text === "." || text === "..") throw new TypeError(`${JSON.stringify(text)} cannot be part of an address`);
  return encodeURIComponent(text);
}
