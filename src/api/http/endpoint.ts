import assert from "node:assert/strict";
import { z } from "@hono/zod-openapi";
import type { Actor, Scope } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { Problem, type ProblemCode } from "../../base/problem.ts";
import { yieldIfSliceSpent } from "../../base/time-slices.ts";
import type { Warn } from "../../base/warning.ts";
import { type BodyLimit, bodyLimits } from "./json-body.ts";
import { Reply } from "./reply.ts";
import { joinMessages, validationMessage } from "./validation-message.ts";

/**
 * What whoever calls must reach: a scope; "user", which keys without scopes and people who have signed in do; or
 * "session", which people who have signed in do alone.
 */
export type Access = Scope | "user" | "session";

/** What a handler is given: the parsed parts of the request, the request itself, and who is calling. */
export type Call<Path, Query, Body> = {
  app: App;
  actor: Actor;
  path: Path;
  query: Query;
  body: Body;
  request: Request;
  /** At the other end, or what a trusted proxy says of it. */
  address: string;
  /** Counts further calls against the caller's rate limits. Throws "rate_limit_exceeded". */
  spend(calls: number): void;
  /** Has the server wait for this answer, and for a client that takes it slowly, as long as either is there. */
  holdOpen(): void;
  /** Adds a warning to the response's `Waypost-Warning` header; undefined for a call without a response. */
  warn: Warn | undefined;
};

/** What the handler of an open operation is given; `address` is who calls, for limits. */
export type PublicCall<Path, Query, Body> = {
  app: App;
  path: Path;
  query: Query;
  body: Body;
  request: Request;
  address: string;
};

/** The facts of an operation that no request changes. */
type EndpointFields = {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Below /v1, as OpenAPI writes it: "/links/{linkId}". */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** True where the call concerns the user rather than the workspace, so that the role there does not matter. */
  isAboutUser?: true;
  /** True where a person may call it who has signed in and belongs to no workspace. */
  allowsNoWorkspace?: true;
  /** True where members may call it in a workspace that the operator has blocked. */
  allowsBlockedWorkspace?: true;
  /** True where the operation makes the object that its path names when there is none. */
  createsMissing?: true;
  /** True where the answer shows what is shown once, so that no copy of it may be kept. */
  returnsSecret?: true;
  /** True where the answer is a page of a list, with a Link header to its neighbours; see paged(). */
  isPaged?: true;
  /** True where the answer may hold fewer rows than there are, which Waypost-Truncated says then. */
  mayTruncate?: true;
  /** True where the answer is sent while it is being made, and so has no tag, and no length that is known. */
  isStreamed?: true;
  /** True where a streamed answer goes on for as long as the client listens, and Last-Event-ID resumes it. */
  isLive?: true;
  /** True where the verb refuses all but owners of the workspace; said here for the document and the tests. */
  isForOwners?: true;
  /** 200 or 201; the Dub contract fixes which. */
  status: 200 | 201;
  responseSchema: z.ZodType;
  /** Of an answer that is JSON. */
  responseExample?: unknown;
  /** The objects that a body changes, where GET on the path does not read them: their read-only fields may be sent back. */
  changedObjects?: ChangedObjects;
  /** Content types of an answer that is bytes, of which the handler chooses; JSON when absent. */
  contentTypes?: readonly string[];
  /** Problems beyond those that every operation can answer. */
  problems?: readonly ProblemCode[];
};

/**
 * One operation of the API: what it accepts, what it answers and who may call it. The dispatcher, the OpenAPI
 * document and the tests read this same value, so that they cannot disagree.
 */
export type Endpoint = EndpointFields & {
  /** Who may call it; "none" is an open operation, which looks at no key and is limited per address. */
  scope: Access | "none";
  pathSchema: z.ZodObject;
  querySchema: z.ZodObject;
  /** undefined when the operation takes no body. */
  bodySchema: z.ZodType | undefined;
  bodyExample: unknown;
  bodyLimit: BodyLimit;
  /**
   * Parses the request's parts and returns what then handles them.
   * Throws Problem "unprocessable_entity" naming the first bad fields.
   */
  prepare(call: UnparsedCall): Promise<() => Promise<Reply>>;
};

/** Reads the objects that a call changes, as the API answers them; `field` of the body holds the changes, or all of it. */
export type ChangedObjects = { field?: string; read(call: AuthorizedCall): Promise<unknown[]> };

/** A call that is not parsed yet, of a known actor. */
export type AuthorizedCall = UnparsedCall & { actor: Actor };

/** A call whose parts are not parsed yet; nobody is known to call an open operation. */
export type UnparsedCall = Omit<Call<unknown, unknown, unknown>, "actor" | "spend" | "warn"> & {
  actor?: Actor;
  spend?: (calls: number) => void;
  warn?: Warn | undefined;
};

type Definition<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = EndpointFields & {
  scope: Access;
  pathSchema?: Path;
  querySchema?: Query;
  bodySchema?: Body;
  bodyExample?: unknown;
  /** That of `usual` when absent. */
  bodyLimit?: BodyLimit;
  /** Answers a value of the answer's schema, or a Reply around one. */
  handle(call: Call<z.output<Path>, z.output<Query>, z.output<Body>>): Promise<unknown>;
};

const issuesShownMax = 5;
const nothing = z.object({});

/** Defines an operation; the handler's arguments take their types from the schemas. */
export function endpoint<
  Path extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<Path, Query, Body>): Endpoint {
  const { pathSchema, querySchema, bodySchema, bodyExample, handle, ...facts } = definition;
  return {
    ...facts,
    pathSchema: pathSchema ?? nothing,
    querySchema: querySchema ?? nothing,
    bodySchema,
    bodyExample,
    bodyLimit: definition.bodyLimit ?? bodyLimits.usual,
    async prepare({ actor, spend, warn, path, query, body, ...same }) {
      assert(actor !== undefined && spend !== undefined, `${facts.operationId} was called by nobody.`);
      const call = {
        ...same,
        actor,
        spend,
        warn,
        path: parse(pathSchema, path),
        query: parse(querySchema, query),
        body: await parseBody(bodySchema, body),
      };
      return async () => toReply(await handle(call));
    },
  };
}

type PublicDefinition<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = EndpointFields & {
  method: "get" | "post";
  pathSchema?: Path;
  querySchema: Query;
  bodySchema?: Body;
  bodyExample?: unknown;
  handle(call: PublicCall<z.output<Path>, z.output<Query>, z.output<Body>>): Promise<unknown>;
};

/** Defines an operation that whoever asks may call, without a key. It changes nothing. */
export function publicEndpoint<
  Path extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: PublicDefinition<Path, Query, Body>): Endpoint {
  const { pathSchema, querySchema, bodySchema, bodyExample, handle, ...facts } = definition;
  return {
    ...facts,
    scope: "none",
    pathSchema: pathSchema ?? nothing,
    querySchema,
    bodySchema,
    bodyExample,
    bodyLimit: bodyLimits.open,
    async prepare({ app, path, query, body, request, address }) {
      const call = {
        ...{ app, request, address },
        path: parse(pathSchema, path),
        query: parse(querySchema, query),
        body: await parseBody(bodySchema, body),
      };
      return async () => toReply(await handle(call));
    },
  };
}

function toReply(result: unknown): Reply {
  return result instanceof Reply ? result : new Reply({ kind: "json", value: result });
}

/**
 * A value as its schema has it.
 * Throws Problem "unprocessable_entity" naming the first bad fields.
 */
export function parse<Schema extends z.ZodType>(schema: Schema | undefined, value: unknown): z.output<Schema> {
  // Without a schema the definition's type is that of nothing, which no handler can look into.
  if (schema === undefined) return undefined as z.output<Schema>;
  const result = schema.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  throw validationProblem(result.error.issues);
}

/** As parse; a list is validated element by element, and the event loop turns in between. */
async function parseBody<Schema extends z.ZodType>(
  schema: Schema | undefined,
  value: unknown,
): Promise<z.output<Schema>> {
  if (!(schema instanceof z.ZodArray)) return parse(schema, value);
  // They look at the length of the list, whatever its elements are.
  const checks = (schema.def.checks ?? []) as z.core.$ZodCheck<unknown[]>[];
  const list = parse(z.array(z.unknown()).check(...checks), value);
  const elements: unknown[] = [];
  const issues: z.core.$ZodIssue[] = [];
  for (const [index, element] of list.entries()) {
    const result = z.safeParse(schema.element, element, { error: validationMessage });
    if (result.success) elements.push(result.data);
    else issues.push(...result.error.issues.map((issue) => ({ ...issue, path: [index, ...issue.path] })));
    if (issues.length >= issuesShownMax) break;
    await yieldIfSliceSpent();
  }
  if (issues.length > 0) throw validationProblem(issues);
  // Each element is one of the schema's, and their number is as its checks ask.
  return elements as z.output<Schema>;
}

function validationProblem(issues: readonly z.core.$ZodIssue[]): Problem {
  return new Problem("unprocessable_entity", joinMessages(issues.slice(0, issuesShownMax).map(describe)));
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? `body: ${message}` : `${path.join(".")}: ${message}`;
}

/** The objects that can be changed by themselves: how each is read, by its path, and the schemas of their answers. */
export type ChangeableObjects = { readers: ReadonlyMap<string, Endpoint>; responseSchemas: ReadonlySet<z.ZodType> };

/** Finds them: an object's path has GET, and PATCH, PUT or DELETE. */
export function changeableObjects(endpoints: readonly Endpoint[]): ChangeableObjects {
  const changed = new Set(
    endpoints.filter(({ method }) => method !== "get" && method !== "post").map(({ path }) => path),
  );
  const readers = endpoints.filter(({ method, path }) => method === "get" && changed.has(path));
  return {
    readers: new Map(readers.map((reader) => [reader.path, reader])),
    responseSchemas: new Set(readers.map(({ responseSchema }) => responseSchema)),
  };
}
