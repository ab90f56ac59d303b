import { z } from "@hono/zod-openapi";
import type { Actor, Scope } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { ProblemCode } from "../../base/problem.ts";
import type { Warn } from "../../base/warning.ts";
import { type BodyLimit, bodyLimits } from "./json-body.ts";

/**
 * What a caller needs: a scope; "user", which API keys without scopes and signed-in users have; or "session", which
 * only signed-in users have.
 */
export type Access = Scope | "user" | "session";

/** What a handler receives: the few resources it uses, the caller, the parsed parts of the request, and the request. */
type Call<Path, Query, Body, Deps> = {
  deps: Deps;
  actor: Actor;
  path: Path;
  query: Query;
  body: Body;
  request: Request;
  /** The client's address: the peer's, or the one that a trusted proxy reports. */
  address: string;
  /** Counts further calls against the caller's rate limits. Throws "rate_limit_exceeded". */
  spend(calls: number): void;
  /** Makes the server wait for this response, and for a client that reads it slowly. */
  holdOpen(): void;
  /** Adds a warning to the response's `Waypost-Warning` header; undefined for a call without a response. */
  warn: Warn | undefined;
};

/** What the handler of a public operation receives. */
type PublicCall<Path, Query, Body, Deps> = Omit<Call<Path, Query, Body, Deps>, "actor" | "spend" | "warn">;

/** What an endpoint says about its operation; no request changes it. */
type EndpointFields = {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Below /v1, in OpenAPI's form: "/links/{linkId}". */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /**
   * True if the call concerns the user rather than the workspace, so that the role in the workspace does not matter.
   */
  isAboutUser?: true;
  /** True if a signed-in user without a workspace may call it. */
  allowsNoWorkspace?: true;
  /** True if members may call it in a workspace that the operator has blocked. */
  allowsBlockedWorkspace?: true;
  /** True if the operation creates the object that its path names when none exists. */
  createsMissing?: true;
  /** True if the response contains a secret, so that no copy of it may be stored. */
  returnsSecret?: true;
  /** True if the response is a page of a list, with a Link header to the pages around it; see pagedReply(). */
  isPaged?: true;
  /** True if the response may hold fewer rows than exist; Waypost-Truncated then says so. */
  mayTruncate?: true;
  /** True if the response is sent while it is produced, so that it has no entity tag and often no known length. */
  isStreamed?: true;
  /** True if the header X-Clicks has the number of exported clicks. */
  countsClicks?: true;
  /** True if a streamed response lasts as long as the client listens. */
  isLive?: true;
  /** True if Last-Event-ID resumes a live response. */
  isResumable?: true;
  /** True if the use case refuses everyone except owners; stated here for the OpenAPI document and the tests. */
  isForOwners?: true;
  /** 200 or 201, as Dub's contract fixes it. */
  status: 200 | 201;
  responseSchema: z.ZodType;
  /** An example of a JSON response. */
  responseExample?: unknown;
  /**
   * The objects that a body changes, if GET on the path does not return them: clients may send their read-only fields.
   */
  changedObjects?: ChangedObjects;
  /** Content types of a response that is not JSON; the handler chooses one. */
  contentTypes?: readonly string[];
  /** Problems beyond those that every operation can return. */
  problems?: readonly ProblemCode[];
};

/**
 * One operation of the API: what it accepts, what it returns and who may call it. The dispatcher, the OpenAPI document
 * and the tests read this same value, so that they cannot disagree.
 */
export type Endpoint = EndpointFields & {
  /** Who may call it; "none" is a public operation: it reads no key and is limited per address. */
  scope: Access | "none";
  /** The resources of App that the handler receives. */
  uses: readonly (keyof App)[];
  pathSchema: z.ZodObject;
  querySchema: z.ZodObject;
  /** undefined if the operation takes no body. */
  bodySchema: z.ZodType | undefined;
  bodyExample?: unknown;
  bodyLimit: BodyLimit;
  /** Takes a call whose parts this endpoint's schemas have parsed. Returns a value of responseSchema, or a Reply. */
  handle(call: ParsedCall): Promise<unknown>;
};

/**
 * Reads the objects that a call changes, as the API returns them; the changes are in `field` of the body, or all of it.
 */
type ChangedObjects<Deps = object> = { field?: string; read(call: UnparsedCall<Deps>): Promise<unknown[]> };

/** A call of a known actor before its parts are parsed. */
export type UnparsedCall<Deps = object> = Call<unknown, unknown, unknown, Deps>;

/** A call for a handler of an endpoint that is known only at run time; public operations have no actor. */
export type ParsedCall = PublicCall<unknown, unknown, unknown, object> &
  Partial<Pick<UnparsedCall, "actor" | "spend" | "warn">>;

/** What the definitions of keyed and of public operations share. */
type DefinitionFields<Path, Query, Body> = Omit<EndpointFields, "tag" | "status" | "changedObjects"> & {
  /** 200 if absent. */
  status?: 201;
  pathSchema?: Path;
  querySchema?: Query;
  bodySchema?: Body;
  bodyExample?: unknown;
};

type Definition<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Deps> = DefinitionFields<
  Path,
  Query,
  Body
> & {
  scope: Access;
  changedObjects?: ChangedObjects<Deps>;
  /** The standard limit if absent. */
  bodyLimit?: BodyLimit;
  handle(call: Call<z.output<Path>, z.output<Query>, z.output<Body>, Deps>): Promise<unknown>;
};

type PublicDefinition<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Deps,
> = DefinitionFields<Path, Query, Body> & {
  method: "get" | "post";
  handle(call: PublicCall<z.output<Path>, z.output<Query>, z.output<Body>, Deps>): Promise<unknown>;
};

const nothing = z.object({});

/** What the operations of one file share: their group in the documentation, and the resources that handlers receive. */
type Group<Uses> = { tag: string; uses: readonly Uses[] };

/**
 * Returns a function that defines operations whose handlers receive the named resources of App. The arguments of a
 * handler take their types from the schemas.
 */
export function endpointUsing<Uses extends keyof App = never>(group: Group<Uses>) {
  return <
    Path extends z.ZodObject = typeof nothing,
    Query extends z.ZodObject = typeof nothing,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    definition: Definition<Path, Query, Body, Pick<App, Uses>>,
  ): Endpoint => ({ ...defaults, bodyLimit: bodyLimits.standard, ...group, ...definition });
}

/** As endpointUsing, for operations that everyone may call without a key. They change nothing. */
export function publicEndpointUsing<Uses extends keyof App = never>(group: Group<Uses>) {
  return <
    Path extends z.ZodObject = typeof nothing,
    Query extends z.ZodObject = typeof nothing,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    definition: PublicDefinition<Path, Query, Body, Pick<App, Uses>>,
  ): Endpoint => ({ ...defaults, ...group, ...definition, bodyLimit: bodyLimits.public, scope: "none" });
}

const defaults = { status: 200, pathSchema: nothing, querySchema: nothing, bodySchema: undefined } as const;

/** The objects that a call can change: the endpoint that reads each one, by path, and their response schemas. */
export type ChangeableObjects = { readers: ReadonlyMap<string, Endpoint>; responseSchemas: ReadonlySet<z.ZodType> };

/** Returns the objects whose path has GET and also PATCH, PUT or DELETE. */
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
