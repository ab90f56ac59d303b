import { z } from "@hono/zod-openapi";
import { requireOwner } from "../access/actor.ts";
import { type AuditEntry, auditPageSizeMax, listAuditEntries } from "../access/audit-log.ts";
import { auditExportFormats, exportAuditLog } from "../access/export-audit-log.ts";
import { isoTime } from "../base/time.ts";
import { auditKinds, auditTypes } from "../database/audit-table.ts";
import { oneOf } from "./analytics-schemas.ts";
import { instant, queryInteger, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { endsOf, pagedReply } from "./http/paging.ts";
import { Reply } from "./http/reply.ts";
import { workspacePath } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "Audit log", uses: ["config", "database"] });

const fields = z.record(z.string(), z.unknown()).nullable();

/** An entry of the audit log as the API shows it. */
const Entry = z
  .object({
    id: z.string().openapi({ example: "audit_01KAJ4V3E7QY9ZC2M8XN5T6RWB" }),
    type: z.enum(auditTypes),
    at: timestamp,
    user: z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() }).nullable().openapi({
      description:
        "The user who acted; null for the service and its operator. Name and e-mail are null for a deleted user.",
    }),
    apiKey: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .openapi({ description: "The API key with which the user acted; the name is null for a revoked key." }),
    object: z.object({ id: z.string(), name: z.string().nullable() }).openapi({
      description: "What changed: a domain's slug, the name of a key, workspace or share, the address of an invite.",
    }),
    before: fields.openapi({ description: "The changed fields before; null for a creation. Never a secret." }),
    after: fields.openapi({ description: "The changed fields after; null for a deletion. Never a secret." }),
  })
  .openapi("AuditEntry");

const example: z.input<typeof Entry> = {
  id: "audit_01KAJ4V3E7QY9ZC2M8XN5T6RWB",
  type: "member.updated",
  at: "2026-11-20T09:30:00.000Z",
  user: { id: "user_01KAFXTZ5B8C6D3E2F1G0H9J7K", name: "Ada", email: "ada@example.com" },
  apiKey: null,
  object: { id: "user_01KAFXTZ5B8C6D3E2F1G0H9J7M", name: "Ben" },
  before: { role: "member" },
  after: { role: "owner" },
};

const filter = {
  kind: z.enum(auditKinds, oneOf(auditKinds)).optional(),
  userId: z.string().optional().openapi({ description: "Only what this user did." }),
  start: instant().optional(),
  end: instant("end").optional().openapi({ description: "The first instant that is not included." }),
};

/** The operations on the audit log of a workspace. */
export const auditLogEndpoints = [
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/audit-log",
    operationId: "listAuditLog",
    summary: "List the audit log",
    description:
      "Changes of members, invites, API keys, domains, shares and the workspace, and sign-ins, newest first. Changes of links are in their history.",
    scope: "workspaces.read",
    isForOwners: true,
    pathSchema: workspacePath,
    querySchema: z.object({
      ...filter,
      startingAfter: z.string().optional().openapi({ description: "The id of an entry; the page starts after it." }),
      pageSize: queryInteger(1, auditPageSizeMax).default(auditPageSizeMax).openapi({ default: auditPageSizeMax }),
    }),
    responseSchema: z.array(Entry),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const { deps, actor, query } = call;
      const { startingAfter, pageSize, ...chosen } = query;
      const page = { startingAfter, pageSize };
      const entries = await listAuditEntries({ db: deps.database.reads }, actor, chosen, page);
      return pagedReply(call, entries.map(serialize), { requested: page, pageMax: 1, ends: endsOf(entries) });
    },
  }),
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/audit-log/export",
    operationId: "exportAuditLog",
    summary: "Export the audit log",
    description: "Streams all matching entries, newest first.",
    scope: "workspaces.read",
    isForOwners: true,
    pathSchema: workspacePath,
    querySchema: z.object({
      format: z
        .enum(auditExportFormats, oneOf(auditExportFormats))
        .default("csv")
        .openapi({ description: "`jsonl`: one object per line." }),
      ...filter,
    }),
    isStreamed: true,
    responseSchema: z.string().openapi({ format: "binary" }),
    contentTypes: ["text/csv", "application/jsonl"],
    async handle({ deps, actor, query, request, holdOpen }) {
      const type = query.format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/jsonl";
      const headers = {
        "Content-Disposition": `attachment; filename="audit-log.${query.format}"`,
        "Cache-Control": "private, no-store",
      };
      requireOwner(actor);
      if (request.method === "HEAD") return new Reply({ kind: "stream", stream: null, type }, headers);
      holdOpen();
      const stream = await exportAuditLog({ db: deps.database.reads }, actor, query);
      return new Reply({ kind: "stream", stream, type }, headers);
    },
  }),
];

function serialize({ at, ...entry }: AuditEntry): z.input<typeof Entry> {
  return { ...entry, at: isoTime(at) };
}
