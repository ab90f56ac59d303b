/** TABLE of problem codes and their HTTP statuses. Clients branch on the code. */
export const problemStatus = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable_entity: 422,
  rate_limit_exceeded: 429,
  request_headers_too_large: 431,
  internal_server_error: 500,
  unavailable: 503,
} as const;

/** A code of the table. */
export type ProblemCode = keyof typeof problemStatus;

/** Every code of the table. */
export const problemCodes = Object.keys(problemStatus) as ProblemCode[];

/** Returns the URL of a code in the reference. */
export function docUrl(code: ProblemCode, appUrl: URL): string {
  return new URL(`/docs#${code}`, appUrl).href;
}

type ProblemDetail = {
  /** What the caller or operator can do next; public. */
  hint?: string;
  /** When a retry makes sense; sent as Retry-After. */
  retryAfterSeconds?: number;
  /** The underlying failure; private, for the log only. */
  cause?: unknown;
};

/**
 * An error that stops the call, with a code from the table and a public message, which never contains SQL, a stack,
 * internal host names or another tenant's ids.
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, message: string, detail: ProblemDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.hint = detail.hint;
    this.retryAfterSeconds = detail.retryAfterSeconds;
  }

  get status(): (typeof problemStatus)[ProblemCode] {
    return problemStatus[this.code];
  }
}

/** Creates a 404 that does not reveal whether the object is foreign or absent. */
export function notFound(noun: string): Problem {
  return new Problem("not_found", `No ${noun} was found here with that identifier.`);
}

/** Creates a 422 that names the field and its valid values. */
export function invalid(field: string, expected: string): Problem {
  return new Problem("unprocessable_entity", `${field}: ${expected}`);
}
