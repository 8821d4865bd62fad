/** A refusal by the server. Compare `code`; `message` has the server's advice. */
export class ReverieError extends Error {
  override readonly name = "ReverieError";

  constructor(
    /** HTTP status; 0 of an error within a stream. */
    readonly status: number,
    /** Stable name, such as "not_found"; docs/api.md lists all. Empty if something else than Reverie answered. */
    readonly code: string,
    /** What went wrong and what to do. */
    readonly advice: string,
    /** Details by code, such as the faults of an invalid request. */
    readonly data: unknown = null,
    /** Seconds that the server asks to wait. */
    readonly retryAfter?: number,
    /** Id under which the server's log has details. */
    readonly requestId?: string,
  ) {
    super(code === "" ? advice : `${advice} (${code}, status ${status})`);
  }
}

/** The server could not be reached, or the connection broke. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The time that the caller allowed has passed. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Reads the body of a refusal; undefined if Reverie did not write it. */
export function refusal(status: number, headers: Headers, body: string): ReverieError | undefined {
  let envelope: { code?: number; error?: string; msg?: string; data?: unknown } | null;
  try {
    envelope = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof envelope?.error !== "string") return undefined;
  const pause = Number(headers.get("retry-after") ?? NaN);
  return new ReverieError(
    status || (envelope.code ?? 0),
    envelope.error,
    envelope.msg ?? "",
    envelope.data,
    Number.isFinite(pause) ? pause : undefined,
    headers.get("x-request-id") ?? undefined,
  );
}
