/**
 * A client of the Waypost API, typed by its own OpenAPI description. Runs in browsers, Bun and Node.
 *
 *   const waypost = createWaypost({ url: "https://links.example.com", apiKey });
 *   const link = await answerOf(waypost.POST("/links", { body: { url: "https://example.com/sale" } }));
 */
import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

/** The API's operations by method and path. */
export type Waypost = Client<paths>;
/** The API's objects by name, such as `Schemas["Link"]`. */
export type Schemas = components["schemas"];

/** How to reach an instance, and as whom. */
export type WaypostOptions = {
  /** The instance's address, such as `https://links.example.com`. */
  url: string;
  /** An API key, or a function that gives one for each request, as for tokens that are renewed. */
  apiKey: string | (() => string | Promise<string>);
  /** Replaces the global fetch. */
  fetch?: ClientOptions["fetch"];
};

/** A client that acts as the key's user. */
export function createWaypost({ url, apiKey, fetch }: WaypostOptions): Waypost {
  const client = createClient<paths>({
    baseUrl: new URL("/v1", url).href,
    // Lists as one parameter with commas.
    querySerializer: { array: { style: "form", explode: false } },
    ...(fetch === undefined ? {} : { fetch }),
  });
  client.use({
    async onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${typeof apiKey === "string" ? apiKey : await apiKey()}`);
      return request;
    },
  });
  return client;
}

/** The code of a problem, on which callers branch. */
export type ProblemCode = Schemas["Problem"]["error"]["code"];

/** An answer of the API that is a problem. */
export class WaypostError extends Error {
  override readonly name = "WaypostError";
  /** The HTTP status. */
  readonly status: number;
  /** "unknown" for an answer that is none of the API's, as from a proxy. A newer service may have codes not listed here. */
  readonly code: ProblemCode | "unknown";
  /** By which the server's log knows the request; null when the answer did not say. */
  readonly requestId: string | null;

  constructor(response: Response, problem: Schemas["Problem"] | undefined) {
    super(problem?.error.message ?? `The server answered ${response.status}.`);
    this.status = response.status;
    this.code = problem?.error.code ?? "unknown";
    this.requestId = response.headers.get("X-Request-Id");
  }

  /** The error that an answer's body tells of, whatever the body is. */
  static from(response: Response, body: unknown): WaypostError {
    return new WaypostError(response, isProblem(body) ? body : undefined);
  }
}

/** What openapi-fetch resolves with. */
type Answered<Data> = { data?: Data; error?: unknown; response: Response };

/** The body of a successful answer. Throws WaypostError for a problem. */
export async function answerOf<Data>(answered: Promise<Answered<Data>>): Promise<Data> {
  const { data, error, response } = await answered;
  if (data !== undefined) return data;
  throw WaypostError.from(response, error);
}

function isProblem(body: unknown): body is Schemas["Problem"] {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  if (typeof error !== "object" || error === null || !("code" in error && "message" in error)) return false;
  // Gateways answer in the same shape, with the status as a number instead of the code.
  return typeof error.code === "string" && typeof error.message === "string";
}
