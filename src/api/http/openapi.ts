import { OpenAPIHono, z } from "@hono/zod-openapi";
import { type ProblemCode, problemCodes, problemStatus } from "../../base/problem.ts";
import { type ChangeableObjects, changeableObjects, type Endpoint } from "./endpoint.ts";
import {
  headerParameters,
  headers,
  isIdempotent,
  notModifiedHeaders,
  problemHeaders,
  responseHeaders,
} from "./openapi-headers.ts";
import { ProblemBody, problemDescriptions } from "./problems.ts";

const version = "1";

const workspaceIdSchema = z
  .string()
  .optional()
  .openapi({ type: "integer", minimum: 1, description: "A workspace of yours other than the key's.", example: 1 });

/** Problems that every operation can return. */
const commonProblems: readonly ProblemCode[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  // Also for the workspace in workspaceId.
  "not_found",
  "unprocessable_entity",
  "rate_limit_exceeded",
  "request_headers_too_large",
  "internal_server_error",
  "unavailable",
];
/** Problems about the key. */
const keyProblems: readonly ProblemCode[] = ["unauthorized", "forbidden"];
const bodyProblems: readonly ProblemCode[] = ["payload_too_large", "unsupported_media_type"];

/** Returns the OpenAPI 3.1 document of the endpoints, from the schemas that validate their calls. */
export function openApiDocument(endpoints: readonly Endpoint[], appUrl: URL): object {
  const { openAPIRegistry: registry, ...generator } = withRegistry();
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description:
      "An API key such as wp_…, in the header Authorization: Bearer <API_KEY>; or an access token of the dashboard, wps_….",
  });
  for (const [name, header] of Object.entries(headers)) registry.registerComponent("headers", name, header);
  registry.register("Problem", ProblemBody);
  for (const code of problemCodes) registry.registerComponent("responses", code, problemResponse(code));
  const objects = changeableObjects(endpoints);
  for (const endpoint of endpoints) registry.registerPath(describe(endpoint, objects));
  const document = generator.document({
    openapi: "3.1.0",
    info: {
      title: "Waypost",
      version,
      description: "Short links on your own domains, and click analytics you can trust.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: new URL("/v1", appUrl).href }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
  });
  for (const { path, method } of endpoints) closeObjects(document.paths?.[path]?.[method]?.requestBody, document);
  return document;
}

/** Closes each object in a request's body to other fields, as the server does (check-names.ts). */
function closeObjects(node: unknown, document: object): void {
  if (typeof node !== "object" || node === null) return;
  const reference: unknown = "$ref" in node ? node.$ref : undefined;
  if (typeof reference === "string") {
    const target = reference.slice("#/".length).split("/").reduce<unknown>(childOf, document);
    closeObjects(target, document);
  }
  if ("properties" in node && !("additionalProperties" in node)) Object.assign(node, { additionalProperties: false });
  for (const [name, child] of Object.entries(node)) if (name !== "example") closeObjects(child, document);
}

function childOf(node: unknown, name: string): unknown {
  return typeof node === "object" && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
}

function withRegistry() {
  const hono = new OpenAPIHono();
  return {
    openAPIRegistry: hono.openAPIRegistry,
    document: (head: Parameters<typeof hono.getOpenAPI31Document>[0]) => hono.getOpenAPI31Document(head),
  };
}

type RouteConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];

function describe(endpoint: Endpoint, objects: ChangeableObjects): RouteConfig {
  const { method, path, operationId, summary, tag, pathSchema, querySchema, bodySchema, bodyExample } = endpoint;
  return {
    method,
    path,
    operationId,
    summary,
    description: [endpoint.description, endpoint.isForOwners && "For owners.", accessNote(endpoint)]
      .filter(Boolean)
      .join("\n\n"),
    tags: [tag],
    ...(isOpen(endpoint) ? { security: [] } : {}),
    request: {
      ...(Object.keys(pathSchema.shape).length > 0 ? { params: pathSchema } : {}),
      query:
        isOpen(endpoint) || namesWorkspace(path) ? querySchema : querySchema.extend({ workspaceId: workspaceIdSchema }),
      headers: headerParameters(endpoint, objects.readers.has(path)),
      ...(bodySchema === undefined
        ? {}
        : {
            body: {
              required: true,
              content: { "application/json": { schema: bodySchema, example: bodyExample } },
            },
          }),
    },
    responses: {
      [endpoint.status]: {
        description: "Done.",
        headers: responseHeaders(endpoint, objects.responseSchemas.has(endpoint.responseSchema)),
        content: responseContent(endpoint),
      },
      ...notModifiedResponse(endpoint),
      ...problemResponses(endpoint, objects.readers.has(path)),
    },
  };
}

/** True if the path itself names the workspace of a call. */
export function namesWorkspace(path: string): boolean {
  return path.includes("{workspaceId}");
}

function isOpen({ scope }: Endpoint): boolean {
  return scope === "none";
}

function accessNote(endpoint: Endpoint): string {
  const { scope } = endpoint;
  if (scope === "none") return "Needs no key.";
  if (scope === "user") return "For API keys without scopes, and for signed-in users.";
  if (scope === "session") return "Needs the access token of a signed-in user; API keys cannot call it.";
  return `Scope: \`${scope}\`.`;
}

function responseContent({ responseSchema, responseExample, contentTypes }: Endpoint) {
  if (contentTypes === undefined) return { "application/json": { schema: responseSchema, example: responseExample } };
  const example = responseExample === undefined ? {} : { example: responseExample };
  return Object.fromEntries(
    contentTypes.map((type) => [type, { schema: isText(type) ? text : responseSchema, ...example }]),
  );
}

/** The response for a client that has the content. */
function notModifiedResponse(endpoint: Endpoint): RouteConfig["responses"] {
  if (endpoint.method !== "get" || endpoint.isStreamed === true) return {};
  return { 304: { description: "If-None-Match contains the entity tag.", headers: notModifiedHeaders } };
}

const text = z.string();

/** Clients decode texts and keep the bytes of other types. */
function isText(type: string): boolean {
  return ["text/csv", "application/jsonl"].includes(type);
}

function problemResponses(endpoint: Endpoint, hasReader: boolean): RouteConfig["responses"] {
  const { method, bodySchema, problems = [] } = endpoint;
  const codes: ProblemCode[] = [
    ...commonProblems.filter((code) => !isOpen(endpoint) || !keyProblems.includes(code)),
    ...(bodySchema === undefined ? [] : bodyProblems),
    // From the Idempotency-Key and from If-Match.
    ...(isIdempotent(endpoint) ? (["conflict"] as const) : []),
    ...(method !== "get" && method !== "post" && hasReader ? (["precondition_failed"] as const) : []),
    ...problems,
  ];
  return Object.fromEntries(
    [...new Set(codes)].map((code) => [problemStatus[code], { $ref: `#/components/responses/${code}` }]),
  );
}

/** Described once and referenced, since nearly every operation can return most of them. */
function problemResponse(code: ProblemCode) {
  return {
    description: problemDescriptions[code],
    headers: problemHeaders(problemStatus[code]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Problem" },
        example: { error: { code, message: problemDescriptions[code] } },
      },
    },
  };
}
