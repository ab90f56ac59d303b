import { z } from "@hono/zod-openapi";
import { type Scope, scopes } from "../access/actor.ts";
import {
  createApiKey,
  type ApiKeyChange as KeyChange,
  type NewApiKey as KeyFields,
  listApiKeys,
  revokeApiKey,
  type ApiKey as StoredApiKey,
  updateApiKey,
} from "../access/api-keys.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { instant, name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing("db", "now");

const tag = "API keys";
const nameMax = 190;

const scopeSchema = z.enum(scopes as [Scope, ...Scope[]]);

/** An API key as the API answers it, without the key itself. */
const ApiKey = z
  .object({
    id: z.string().openapi({ example: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    name: z.string().openapi({ example: "Website" }),
    prefix: z.string().openapi({ description: "How the key begins.", example: "wp_a1B2c" }),
    scopes: z.array(scopeSchema).nullable().openapi({ description: "null means every scope." }),
    userId: z.string().openapi({ example: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    workspaceId: z.int().openapi({
      description: "Where it acts when a call names no workspace; this workspace for other users' keys.",
      example: 1,
    }),
    allWorkspaces: z.boolean().openapi({
      description: "Whether it acts in every workspace of its user that a call names, or only where it was created.",
    }),
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .openapi("ApiKey");

const NewApiKey = ApiKey.extend({
  key: z.string().openapi({ description: "The key itself; it is shown this once.", example: "wp_…" }),
}).openapi("NewApiKey");

const ApiKeyChange = z.object({
  name: name(nameMax).optional(),
  expiresAt: instant("end")
    .nullable()
    .optional()
    .openapi({ type: ["string", "null"] }),
} satisfies Record<keyof KeyChange, z.ZodType>);

const example: z.input<typeof ApiKey> = {
  id: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R",
  name: "Website",
  prefix: "wp_a1B2c",
  scopes: ["links.read", "links.write"],
  userId: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R",
  workspaceId: 1,
  allWorkspaces: false,
  expiresAt: "2027-11-20T00:00:00.000Z",
  lastUsedAt: null,
  createdAt: "2026-11-20T09:30:00.000Z",
};

const keyPath = z.object({ id: z.string().openapi({ example: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }) });

/** The operations on API keys. */
export const apiKeyEndpoints = [
  endpoint({
    method: "post",
    path: "/api-keys",
    operationId: "createApiKey",
    summary: "Create an API key",
    description:
      "For yourself, in this workspace. To rotate a key, make a new one, give the old an expiresAt by when you have moved, and it ends by itself.",
    tag,
    scope: "workspaces.write",
    isAboutUser: true,
    bodySchema: z.object({
      name: name(nameMax),
      scopes: z.array(scopeSchema).min(1).max(scopes.length).nullable().default(null),
      allWorkspaces: z
        .boolean()
        .default(false)
        .openapi({ description: "true for a key that acts in all your workspaces, by `?workspaceId=`." }),
      // Written out, since the type of instant() hides from the document that null is accepted too.
      expiresAt: instant("end")
        .nullable()
        .default(null)
        .openapi({ type: ["string", "null"] }),
    } satisfies Record<keyof KeyFields, z.ZodType>),
    bodyExample: { name: "Website", scopes: ["links.read", "links.write"], expiresAt: "2027-11-20T00:00:00Z" },
    status: 201,
    responseSchema: NewApiKey,
    returnsSecret: true,
    responseExample: { ...example, key: "wp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9" },
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const { key, ...created } = await createApiKey(deps, actor, body);
      return { ...serialise(created), key };
    },
  }),
  endpoint({
    method: "get",
    path: "/api-keys",
    operationId: "listApiKeys",
    summary: "List API keys",
    description:
      "Those that can act in this workspace: yours, and all of them for an owner. The keys themselves are never shown again.",
    tag,
    scope: "workspaces.read",
    isAboutUser: true,
    status: 200,
    responseSchema: z.array(ApiKey),
    responseExample: [example],
    async handle({ deps, actor }) {
      return (await listApiKeys(deps, actor)).map(serialise);
    },
  }),
  endpoint({
    method: "patch",
    path: "/api-keys/{id}",
    operationId: "updateApiKey",
    summary: "Rename an API key, or end it earlier",
    description:
      "An expiresAt is never moved to later: what should last longer is a new key. Members change their own keys, owners any of the workspace.",
    tag,
    scope: "workspaces.write",
    isAboutUser: true,
    pathSchema: keyPath,
    bodySchema: ApiKeyChange,
    bodyExample: { name: "Old website", expiresAt: "2027-11-20T00:00:00Z" },
    status: 200,
    responseSchema: ApiKey,
    responseExample: { ...example, name: "Old website" },
    problems: ["not_found"],
    changedObjects: {
      async read({ deps, actor, path }) {
        const { id } = keyPath.parse(path);
        return (await listApiKeys(deps, actor)).filter((key) => key.id === id).map(serialise);
      },
    },
    async handle({ deps, actor, path, body }) {
      return serialise(await updateApiKey(deps, actor, path.id, body));
    },
  }),
  endpoint({
    method: "delete",
    path: "/api-keys/{id}",
    operationId: "revokeApiKey",
    summary: "Revoke an API key",
    description:
      "It stops working at once, everywhere. Members revoke their own keys, owners any that can act in the workspace.",
    tag,
    scope: "workspaces.write",
    isAboutUser: true,
    pathSchema: keyPath,
    status: 200,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R" },
    problems: ["not_found"],
    async handle({ deps, actor, path }) {
      return await revokeApiKey(deps, actor, path.id);
    },
  }),
];

function serialise(key: StoredApiKey): z.input<typeof ApiKey> {
  return {
    ...key,
    expiresAt: isoTimeOrNull(key.expiresAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    createdAt: isoTime(key.createdAt),
  };
}
