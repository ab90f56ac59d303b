/** TABLE of problem codes: the HTTP status each one is answered with. Clients branch on the code. */
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

/** Where the reference describes a code. */
export function docUrl(code: ProblemCode, appUrl: URL): string {
  return new URL(`/docs#${code}`, appUrl).href;
}

type ProblemDetail = {
  /** What the caller or operator can do next; public. */
  hint?: string;
  /** When another try makes sense; answers say it in Retry-After. */
  retryAfterSeconds?: number;
  /** The underlying failure; private, for the log only. */
  cause?: unknown;
};

/**
 * Something that stops the caller, with a code from the table and a message fit for the public:
 * it never contains SQL, a stack, host names of ours or another tenant's ids.
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

/** A 404 that does not tell a foreign object from an absent one. */
export function notFound(noun: string): Problem {
  return new Problem("not_found", `No ${noun} was found here with that identifier.`);
}

/** A 422 naming the field and what would be right. */
export function invalid(field: string, expected: string): Problem {
  return new Problem("unprocessable_entity", `${field}: ${expected}`);
}
