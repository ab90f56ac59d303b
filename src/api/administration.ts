import { z } from "@hono/zod-openapi";
import { requireAdministrator } from "../access/require-administrator.ts";
import { emailMax } from "../access/users.ts";
import { workspaceNameMax } from "../access/workspaces.ts";
import { block, listBlocks, unblock } from "../administration/blocks.ts";
import { type DomainSummary, listAllDomains } from "../administration/domains.ts";
import {
  deleteAnyWorkspace,
  listAllWorkspaces,
  transferWorkspace,
  type WorkspaceSummary,
} from "../administration/workspaces.ts";
import { invalid, notFound } from "../base/problem.ts";
import { administrationPage } from "./administration-page.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";

const endpoint = endpointUsing({ tag: "Administration", uses: ["config", "db", "log", "now"] });

const Workspace = z
  .object({
    id: z.int(),
    name: z.string(),
    owners: z.array(z.string()).openapi({ description: "E-mail addresses of up to three owners." }),
    members: z.int(),
    domains: z.int(),
    isBlocked: z.boolean(),
    createdAt: timestamp,
  } satisfies Record<keyof WorkspaceSummary, z.ZodType>)
  .openapi("AdministeredWorkspace");

const Domain = z
  .object({
    id: z.string(),
    slug: z.string(),
    status: z.enum(["pending", "verified", "failing"]),
    workspaceId: z.int(),
    workspace: z.string().openapi({ description: "The workspace's name." }),
    isInstance: z.boolean().openapi({ description: "Whether it is the service's own domain." }),
    isBlocked: z.boolean(),
    createdAt: timestamp,
  } satisfies Record<keyof DomainSummary, z.ZodType>)
  .openapi("AdministeredDomain");

const kind = z.enum(["link", "workspace", "user", "domain", "host"]);
const targetCharactersMax = 2_048;
const reasonCharactersMax = 1_000;
const target = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(targetCharactersMax, `must have at most ${targetCharactersMax} characters`)
  .openapi({
    description: "A short link, a host, a domain, the number of a workspace, or a user's e-mail address; or an id.",
    example: "evil.example",
  });
const Block = z
  .object({
    kind,
    target: z.string(),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The blocked short link or domain, the user's address, or the workspace's name." }),
    reason: z.string().openapi({ description: "Only administrators see it." }),
    createdAt: timestamp,
  })
  .openapi("AdministeredBlock");

const at = "2026-11-20T09:30:00.000Z";
const blockExample: z.input<typeof Block> = {
  ...{ kind: "host", target: "evil.example", name: null, reason: "Malware", createdAt: at },
};
const workspacePath = z.object({ id: z.string().openapi({ type: "integer", minimum: 1, example: 7 }) });

/** The operations of administrators on workspaces, domains and blocks. */
export const administrationEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/workspaces",
    operationId: "administerWorkspaces",
    summary: "List the workspaces of the service",
    description: "Oldest first. Administrators do not see links and analytics of a workspace without joining it.",
    querySchema: administrationPage("A part of the name."),
    responseSchema: z.array(Workspace),
    responseExample: [
      { id: 7, name: "Acme", owners: ["ann@example.com"], members: 3, domains: 1, isBlocked: false, createdAt: at },
    ],
    async handle({ deps, actor, query }) {
      await requireAdministrator(deps, actor);
      const { after, ...page } = query;
      return await listAllWorkspaces(deps.db, { ...page, after: after === undefined ? undefined : numberOf(after) });
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/workspaces/{id}/transfer",
    operationId: "transferWorkspace",
    summary: "Make a user the owner of a workspace",
    description: "The user joins if necessary. Former owners become members.",
    pathSchema: workspacePath,
    bodySchema: z.object({
      to: z
        .string()
        .trim()
        .min(1, "must not be empty")
        .max(emailMax, `must have at most ${emailMax} characters`)
        .openapi({ description: "The user's e-mail address or id." }),
    }),
    bodyExample: { to: "ann@example.com" },
    responseSchema: z.object({ id: z.int(), owner: z.string() }),
    responseExample: { id: 7, owner: "ann@example.com" },
    problems: ["conflict"],
    async handle({ deps, actor, path, body }) {
      const operator = await requireAdministrator(deps, actor);
      return await transferWorkspace(deps, operator, { workspaceId: idOf(path.id), to: body.to });
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "delete",
    path: "/admin/workspaces/{id}",
    operationId: "deleteWorkspaceAsAdministrator",
    summary: "Delete a workspace of the service",
    description: "Deletes it with its links and clicks permanently.",
    pathSchema: workspacePath,
    querySchema: z.object({
      confirm: z
        .string("must be the workspace's name")
        .max(workspaceNameMax, `must have at most ${workspaceNameMax} characters`)
        .openapi({ description: "The workspace's name, as a confirmation.", example: "Acme" }),
    }),
    responseSchema: z.object({ id: z.int() }),
    responseExample: { id: 7 },
    problems: ["conflict"],
    async handle({ deps, actor, path, query }) {
      const operator = await requireAdministrator(deps, actor);
      return await deleteAnyWorkspace(deps, operator, { workspaceId: idOf(path.id), confirm: query.confirm });
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/domains",
    operationId: "administerDomains",
    summary: "List the domains of the service",
    description: "Oldest first.",
    querySchema: administrationPage("A part of the domain."),
    responseSchema: z.array(Domain),
    responseExample: [
      {
        ...{ id: "dom_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", slug: "go.example.com", status: "verified", workspaceId: 7 },
        ...{ workspace: "Acme", isInstance: false, isBlocked: false, createdAt: at },
      },
    ],
    async handle({ deps, actor, query }) {
      await requireAdministrator(deps, actor);
      return await listAllDomains(deps.db, query);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/blocks",
    operationId: "administerBlocks",
    summary: "List all blocks",
    description: "Oldest first.",
    responseSchema: z.array(Block),
    responseExample: [blockExample],
    async handle({ deps, actor }) {
      await requireAdministrator(deps, actor);
      return await listBlocks(deps);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/blocks",
    operationId: "block",
    summary: "Block a link, host, domain, workspace or user",
    description: "Visitors get a page with status 410. Takes effect at the next visit.",
    status: 201,
    bodySchema: z.object({
      kind,
      target,
      reason: name(reasonCharactersMax),
    }),
    bodyExample: { kind: "host", target: "evil.example", reason: "Malware" },
    responseSchema: Block,
    responseExample: blockExample,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      return await block(deps, await requireAdministrator(deps, actor), body);
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "delete",
    path: "/admin/blocks/{kind}/{target}",
    operationId: "unblock",
    summary: "End a block",
    pathSchema: z.object({ kind, target }),
    responseSchema: z.object({ kind, target: z.string() }),
    responseExample: { kind: "host", target: "evil.example" },
    async handle({ deps, actor, path }) {
      const ended = await unblock(deps, await requireAdministrator(deps, actor), path);
      return { kind: ended.kind, target: ended.target };
    },
  }),
];

/** The number of a workspace in a path. */
function idOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw notFound("workspace");
  return Number(text);
}

function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalid("after", "must be the number of a workspace.");
  return Number(text);
}
