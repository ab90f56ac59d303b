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

const endpoint = endpointUsing({ tag: "API keys", uses: ["db", "now"] });

const nameMax = 190;

const scopeSchema = z.enum(scopes as [Scope, ...Scope[]]);

/** An API key as the API shows it, without the key itself. */
const ApiKey = z
  .object({
    id: z.string().openapi({ example: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    name: z.string().openapi({ example: "Website" }),
    prefix: z.string().openapi({ description: "The first characters of the key.", example: "wp_a1B2c" }),
    scopes: z.array(scopeSchema).nullable().openapi({ description: "null means every scope." }),
    userId: z.string().openapi({ example: "user_01JD3V5Y7Z9B1D3F5H7K9M1P3R" }),
    workspaceId: z.int().openapi({
      description: "The workspace of calls that name none; for keys of other users, this workspace.",
      example: 1,
    }),
    allWorkspaces: z.boolean().openapi({
      description:
        "true: the key works in every workspace of its user. false: only in the workspace where it was created.",
    }),
    lacksSecondFactor: z.boolean().openapi({
      description:
        "true: this workspace refuses the key, because it requires a second factor and the key's user has none.",
    }),
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .openapi("ApiKey");

const NewApiKey = ApiKey.extend({
  key: z.string().openapi({ description: "The key itself. It is shown only once.", example: "wp_…" }),
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
  lacksSecondFactor: false,
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
      "Creates a key for yourself in this workspace. To rotate a key, create a new one and give the old one an expiresAt after your move.",
    scope: "workspaces.write",
    isAboutUser: true,
    bodySchema: z.object({
      name: name(nameMax),
      scopes: z.array(scopeSchema).min(1).max(scopes.length).nullable().default(null),
      allWorkspaces: z
        .boolean()
        .default(false)
        .openapi({ description: "true: the key works in all your workspaces, with `?workspaceId=`." }),
      // Explicit, since the type of instant() hides from the document that null is accepted.
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
      return { ...serialize(created), key };
    },
  }),
  endpoint({
    method: "get",
    path: "/api-keys",
    operationId: "listApiKeys",
    summary: "List API keys",
    description:
      "Lists your keys that work in this workspace; for owners, the keys of all members. The keys themselves are never shown again.",
    scope: "workspaces.read",
    isAboutUser: true,
    responseSchema: z.array(ApiKey),
    responseExample: [example],
    handle: async ({ deps, actor }) => (await listApiKeys(deps, actor)).map(serialize),
  }),
  endpoint({
    method: "patch",
    path: "/api-keys/{id}",
    operationId: "updateApiKey",
    summary: "Rename an API key, or expire it earlier",
    description:
      "expiresAt can only become earlier; create a new key for a later one. Members change their own keys, owners any key of the workspace.",
    scope: "workspaces.write",
    isAboutUser: true,
    pathSchema: keyPath,
    bodySchema: ApiKeyChange,
    bodyExample: { name: "Old website", expiresAt: "2027-11-20T00:00:00Z" },
    responseSchema: ApiKey,
    responseExample: { ...example, name: "Old website" },
    changedObjects: {
      async read({ deps, actor, path }) {
        const { id } = keyPath.parse(path);
        return (await listApiKeys(deps, actor)).filter((key) => key.id === id).map(serialize);
      },
    },
    handle: async ({ deps, actor, path, body }) => serialize(await updateApiKey(deps, actor, path.id, body)),
  }),
  endpoint({
    method: "delete",
    path: "/api-keys/{id}",
    operationId: "revokeApiKey",
    summary: "Revoke an API key",
    description:
      "The key stops working at once, everywhere. Members revoke their own keys, owners any key that works in the workspace.",
    scope: "workspaces.write",
    isAboutUser: true,
    pathSchema: keyPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: "key_01JD3V5Y7Z9B1D3F5H7K9M1P3R" },
    handle: ({ deps, actor, path }) => revokeApiKey(deps, actor, path.id),
  }),
];

function serialize(key: StoredApiKey): z.input<typeof ApiKey> {
  return {
    ...key,
    expiresAt: isoTimeOrNull(key.expiresAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    createdAt: isoTime(key.createdAt),
  };
}
