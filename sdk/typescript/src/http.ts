import { ConnectionError, ReverieError, TimeoutError, refusal } from "./errors.js";
import { version } from "./version.js";

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Makes a repeated write one write, 1 to 200 printable ASCII characters. Missing: each call is a new write. */
  idempotencyKey?: string | undefined;
}

export interface Request {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** The request may be sent again although the first one may have been carried out. */
  repeatable: boolean;
  /** Milliseconds that the server may take besides the timeout. */
  wait?: number | undefined;
  options: CallOptions;
}

export interface TransportOptions {
  /** Address of the server, such as https://memory.example.com. */
  url: string;
  /** Secret of an API key ("rv_…"). */
  key: string;
  /** Repetitions of a request that failed in passing. Default: 3. */
  retries?: number | undefined;
  /** Milliseconds of one attempt, besides what the server is asked to wait. Default: 120,000. */
  timeout?: number | undefined;
  /** In place of the global fetch. */
  fetch?: typeof fetch | undefined;
}

const firstPause = 500;
const maxPause = 30_000;
/** A server that asks for a longer pause, such as until midnight, gets no repetition. */
const longestRetryAfter = 60;
/** The server sends something every 15 seconds. */
const silence = 60_000;

/** Sends requests, and repeats those that failed in passing. */
export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #retries: number;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions) {
    if (!options.url || !options.key) throw new TypeError("Reverie needs url and key");
    this.#base = options.url.replace(/\/+$/, "");
    this.#key = options.key;
    this.#retries = options.retries ?? 3;
    this.#timeout = options.timeout ?? 120_000;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Returns the data of a success. */
  async json<T>(request: Request): Promise<T> {
    return this.#patiently(request, async () => {
      const alarm = new Alarm(request.options.signal, this.#timeout + (request.wait ?? 0));
      try {
        const response = await this.#open(request, alarm);
        const body = await alarm.guard(response.text());
        try {
          return (JSON.parse(body) as { data: T }).data;
        } catch {
          throw foreign(this.#base, response);
        }
      } finally {
        alarm.stop();
      }
    });
  }

  /** Yields the server-sent events of an answer. Ending the iteration closes the connection. */
  async *events(request: Request): AsyncGenerator<{ event: string; data: string }, void, undefined> {
    const alarm = new Alarm(request.options.signal, this.#timeout);
    try {
      const response = await this.#patiently(request, () => {
        alarm.reset(this.#timeout);
        return this.#open(request, alarm);
      });
      if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) throw foreign(this.#base, response);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      let event = "";
      let data = "";
      for (;;) {
        alarm.reset(silence);
        const { done, value } = await alarm.guard(reader.read());
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (line.startsWith("event: ")) event = line.slice(7);
          else if (line.startsWith("data: ")) data = line.slice(6);
          else if (line === "" && event !== "") {
            yield { event, data };
            event = data = "";
          }
        }
      }
    } finally {
      alarm.stop();
      alarm.abort();
    }
  }

  async #open(request: Request, alarm: Alarm): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}`, "User-Agent": `reverie-typescript/${version}` };
    if (request.body !== undefined) headers["Content-Type"] = "application/json";
    if (request.options.idempotencyKey !== undefined) headers["Idempotency-Key"] = request.options.idempotencyKey;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const address = this.#base + request.path + (query.size > 0 ? `?${query}` : "");
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const response = await alarm.guard(this.#fetch(address, { method: request.method, headers, body, signal: alarm.signal }));
    if (response.ok) return response;
    throw refusal(response.status, response.headers, await alarm.guard(response.text())) ?? foreign(this.#base, response);
  }

  async #patiently<T>(request: Request, attempt: () => Promise<T>): Promise<T> {
    for (let made = 0; ; made++) {
      try {
        return await attempt();
      } catch (error) {
        const pause = made < this.#retries ? pauseAfter(error, made, request.repeatable) : undefined;
        if (pause === undefined) throw error;
        await sleep(pause, request.options.signal);
      }
    }
  }
}

/** Returns the milliseconds to wait before a repetition; undefined if there is to be none. */
function pauseAfter(error: unknown, made: number, repeatable: boolean): number | undefined {
  const pause = Math.min(firstPause * 2 ** made, maxPause) * (0.5 + Math.random() / 2);
  if (error instanceof ConnectionError) return repeatable ? pause : undefined;
  if (!(error instanceof ReverieError)) return undefined;
  // A budget stays spent until the next day, and a pause until a person ends it.
  const notCarriedOut = (error.status === 429 || error.status === 503) && error.code !== "budget_spent";
  const passing = notCarriedOut || (repeatable && (error.status === 408 || (error.code === "" && error.status >= 500)));
  const asked = error.retryAfter ?? 0;
  return passing && asked <= longestRetryAfter ? Math.max(pause, asked * 1000) : undefined;
}

function foreign(base: string, response: Response): ReverieError {
  return new ReverieError(response.status, "", `${base} answered ${response.status}, and not as Reverie does: check the address, and proxies before it`);
}

/** Waits, or rejects with the reason of the signal. */
export function sleep(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Aborts a request when the caller's signal does, or when time has passed. */
class Alarm {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #forward = () => this.#controller.abort(this.#outer?.reason);
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal | undefined, ms: number) {
    this.#outer = outer;
    if (outer?.aborted) this.#forward();
    outer?.addEventListener("abort", this.#forward, { once: true });
    this.reset(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new TimeoutError(`the server sent nothing for ${ms / 1000} seconds`)), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Rejects with the reason of an abort, else with a ConnectionError. */
  async guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (this.signal.aborted) throw this.signal.reason;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new ConnectionError(`the connection to the server failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause: error });
    }
  }
}
