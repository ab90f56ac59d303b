import { z } from "@hono/zod-openapi";
import {
  createShare,
  deleteShare,
  findShare,
  listShares,
  type Share as StoredShare,
  shareNameCharactersMax,
  sharePasswordCharactersMax,
  sharesPerWorkspaceMax,
  updateShare,
} from "../analytics/shares.ts";
import type { App } from "../app.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { instant, name, pageMax, pageQuery, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";

const endpoint = endpointUsing({ tag: "Shares", uses: ["config", "db", "now"] });

const pageSizeMax = 100;

const Share = z
  .object({
    id: z.string(),
    url: z.string().openapi({ description: "The secret URL of the page, which needs no sign-in." }),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The title of the page; null for the name of its link or folder." }),
    linkId: z.string().nullable(),
    folderId: z.string().nullable(),
    hasPassword: z.boolean(),
    expiresAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("Share");

const example: z.input<typeof Share> = {
  id: "share_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  url: "https://links.example.com/app/shares/4fT…",
  name: "Spring campaign",
  linkId: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  folderId: null,
  hasPassword: true,
  expiresAt: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

const fields = {
  name: name(shareNameCharactersMax).nullable().optional(),
  password: z
    .string()
    .min(1, "must not be empty; null means none")
    .max(sharePasswordCharactersMax, `must have at most ${sharePasswordCharactersMax} characters`)
    .nullable()
    .optional()
    .openapi({ description: "Never shown again; null for none." }),
  expiresAt: instant("end")
    .nullable()
    .optional()
    .openapi({ type: ["string", "null"] }),
};
const ShareBody = z
  .object({
    linkId: z
      .string()
      .optional()
      .openapi({ description: "The shared link; exactly one of linkId and folderId is required." }),
    folderId: z.string().optional(),
    ...fields,
  })
  .openapi("ShareFields");
const ShareChange = z.object(fields).openapi("ShareChange");
const sharePath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on shares. */
export const shareEndpoints = [
  endpoint({
    method: "post",
    path: "/shares",
    operationId: "createShare",
    summary: "Share the analytics of a link or a folder",
    description: `Creates a page at a secret URL that needs no sign-in. A workspace has at most ${sharesPerWorkspaceMax}.`,
    scope: "analytics.write",
    bodySchema: ShareBody,
    bodyExample: { linkId: example.linkId, name: "Spring campaign" },
    status: 201,
    responseSchema: Share,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, request, body }) {
      const { linkId, folderId, name: called = null, password = null, expiresAt = null } = body;
      const share = await createShare({ ...deps, signal: request.signal }, actor, {
        linkId,
        folderId,
        name: called,
        password,
        expiresAt,
      });
      return serialize(deps, share);
    },
  }),
  endpoint({
    method: "get",
    path: "/shares",
    operationId: "listShares",
    summary: "List shares",
    description: "Newest first, including expired ones.",
    scope: "analytics.read",
    querySchema: z.object({
      linkId: z.string().optional(),
      folderId: z.string().optional(),
      ...pageQuery(pageSizeMax),
    }),
    responseSchema: z.array(Share),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const { page = 1, pageSize, ...filter } = call.query;
      const shares = await listShares(call.deps, call.actor, filter, { page, pageSize });
      const items = shares.map((share) => serialize(call.deps, share));
      return pagedReply(call, items, { requested: { page, pageSize }, pageMax });
    },
  }),
  endpoint({
    method: "get",
    path: "/shares/{id}",
    operationId: "getShare",
    summary: "Retrieve a share",
    scope: "analytics.read",
    pathSchema: sharePath,
    responseSchema: Share,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(deps, await findShare(deps, actor, path.id)),
  }),
  endpoint({
    method: "patch",
    path: "/shares/{id}",
    operationId: "updateShare",
    summary: "Update a share",
    description:
      "Omitted fields stay unchanged. After a new password, visitors who entered the old one must enter the new one.",
    scope: "analytics.write",
    pathSchema: sharePath,
    bodySchema: ShareChange,
    bodyExample: { name: "Spring campaign" },
    responseSchema: Share,
    responseExample: example,
    handle: async ({ deps, actor, request, path, body }) =>
      serialize(deps, await updateShare({ ...deps, signal: request.signal }, actor, path.id, body)),
  }),
  endpoint({
    method: "delete",
    path: "/shares/{id}",
    operationId: "deleteShare",
    summary: "Revoke a share",
    description: "The URL stops working at once.",
    scope: "analytics.write",
    pathSchema: sharePath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteShare(deps, actor, path.id),
  }),
];

function serialize({ config }: Pick<App, "config">, share: StoredShare): z.input<typeof Share> {
  const { token, expiresAt, createdAt, updatedAt, ...rest } = share;
  const times = { expiresAt: isoTimeOrNull(expiresAt), createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return { ...rest, url: new URL(`/app/shares/${token}`, config.WAYPOST_URL).href, ...times };
}
