import { z } from "@hono/zod-openapi";
import { requireAdministrator } from "../access/require-administrator.ts";
import { signUpMode } from "../access/sign-up.ts";
import { type LimitName, limitsOf } from "../access/workspace-limits.ts";
import {
  type AdministeredLimits,
  getLimits,
  type LimitChanges,
  setLimits,
  usageOf,
  type WorkspaceUsage,
} from "../administration/workspace-limits.ts";
import type { App } from "../app.ts";
import { countLimitMax, retentionDaysMax } from "../base/limit-bounds.ts";
import { notFound } from "../base/problem.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";

const endpoint = endpointUsing({ tag: "Workspaces", uses: ["database", "db", "linkQueries"] });
const administrationEndpoint = endpointUsing({
  tag: "Administration",
  uses: ["config", "database", "db", "log", "now"],
});

const maximum = z.int().nullable().openapi({ description: "null without a limit." });
const counted = z.object({ used: z.int(), max: maximum });
const WorkspaceLimits = z
  .object({
    links: counted,
    domains: counted,
    members: counted,
    apiKeys: counted,
    clickRetentionDays: z.object({ max: maximum }),
  } satisfies Record<LimitName, z.ZodType>)
  .openapi("WorkspaceLimits");

const ownLimit = z.union([z.int(), z.literal("unlimited")]).optional();
const OwnLimits = z.object({
  links: ownLimit,
  domains: ownLimit,
  members: ownLimit,
  apiKeys: ownLimit,
  clickRetentionDays: ownLimit,
} satisfies Record<LimitName, z.ZodType>);
const InstanceLimits = z.object({
  links: maximum,
  domains: maximum,
  members: maximum,
  apiKeys: maximum,
  clickRetentionDays: maximum,
} satisfies Record<LimitName, z.ZodType>);
const Administered = z
  .object({
    id: z.int(),
    own: OwnLimits.openapi({ description: "Limits of this workspace only; absent ones are the service's." }),
    instance: InstanceLimits,
    used: z.object({
      links: z.int(),
      domains: z.int(),
      members: z.int(),
      apiKeys: z.int(),
    } satisfies Record<keyof WorkspaceUsage, z.ZodType>),
  } satisfies Record<keyof AdministeredLimits, z.ZodType>)
  .openapi("AdministeredWorkspaceLimits");

/** A changed limit, which is at most `max`. */
function newLimit(max: number) {
  const expected = `must be a whole number from 1 to ${max}, "unlimited", or null for the limit of the service`;
  const number = z.int(expected).min(1, expected).max(max, expected);
  return z.union([number, z.literal("unlimited")], { error: expected }).nullish();
}

const Instance = z
  .object({
    signUp: z.enum(["closed", "invite", "open"]).openapi({
      description: "Who can create an account at present. Without a mail server, it is never open.",
    }),
    sendsMail: z.boolean(),
    administratorsNeedSecondFactor: z.boolean(),
  })
  .openapi("Instance");

const administeredExample: z.input<typeof Administered> = {
  id: 7,
  own: { links: 500 },
  instance: { links: null, domains: 10, members: null, apiKeys: null, clickRetentionDays: 730 },
  used: { links: 120, domains: 2, members: 3, apiKeys: 1 },
};
const workspacePath = z.object({ id: z.string().openapi({ type: "integer", minimum: 1, example: 7 }) });

/** The operations on the limits of workspaces, and on the options of the instance that administrators see. */
export const workspaceLimitEndpoints = [
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/limits",
    operationId: "getWorkspaceLimits",
    summary: "Retrieve the limits of a workspace, and what it has",
    description: "An administrator of the service can change the limits.",
    scope: "workspaces.read",
    pathSchema: z.object({ workspaceId: z.string().openapi({ type: "integer", minimum: 1, example: 1 }) }),
    responseSchema: WorkspaceLimits,
    responseExample: {
      links: { used: 120, max: 500 },
      domains: { used: 2, max: 10 },
      members: { used: 3, max: null },
      apiKeys: { used: 1, max: null },
      clickRetentionDays: { max: 730 },
    },
    async handle({ deps, actor: { workspaceId } }) {
      const { effective: max } = await limitsOf(deps.db, workspaceId);
      const used = await deps.linkQueries.run(workspaceId, (db) => usageOf(db, workspaceId));
      return {
        links: { used: used.links, max: max.links },
        domains: { used: used.domains, max: max.domains },
        members: { used: used.members, max: max.members },
        apiKeys: { used: used.apiKeys, max: max.apiKeys },
        clickRetentionDays: { max: max.clickRetentionDays },
      };
    },
  }),
  administrationEndpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/instance",
    operationId: "administerInstance",
    summary: "Retrieve the options of the service that concern accounts",
    responseSchema: Instance,
    responseExample: { signUp: "invite", sendsMail: true, administratorsNeedSecondFactor: true },
    async handle({ deps, actor }) {
      await requireAdministrator(deps, actor);
      return {
        signUp: signUpMode(deps.config),
        sendsMail: deps.config.WAYPOST_SMTP_URL !== undefined,
        administratorsNeedSecondFactor: deps.config.WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR,
      };
    },
  }),
  administrationEndpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/workspaces/{id}/limits",
    operationId: "administerWorkspaceLimits",
    summary: "Retrieve the limits of any workspace",
    pathSchema: workspacePath,
    responseSchema: Administered,
    responseExample: administeredExample,
    async handle({ deps, actor, path }) {
      await requireAdministrator(deps, actor);
      return await getLimits(readingOf(deps), idOf(path.id));
    },
  }),
  administrationEndpoint({
    ...sessionAccess,
    method: "post",
    path: "/admin/workspaces/{id}/limits",
    operationId: "setWorkspaceLimits",
    summary: "Change the limits of a workspace",
    description:
      "Omitted limits stay unchanged. A limit below what the workspace has removes nothing; it refuses more. A shorter retention applies when an owner changes the retention.",
    pathSchema: workspacePath,
    bodySchema: z.object({
      links: newLimit(countLimitMax),
      domains: newLimit(countLimitMax),
      members: newLimit(countLimitMax),
      apiKeys: newLimit(countLimitMax),
      clickRetentionDays: newLimit(retentionDaysMax),
    } satisfies Record<keyof LimitChanges, z.ZodType>),
    bodyExample: { links: 500 },
    responseSchema: Administered,
    responseExample: administeredExample,
    async handle({ deps, actor, path, body }) {
      const operator = await requireAdministrator(deps, actor);
      return await setLimits(readingOf(deps), operator, { workspaceId: idOf(path.id), ...body });
    },
  }),
];

function readingOf({ db, now, log, database }: Pick<App, "database" | "db" | "log" | "now">) {
  return { db, now, log, reads: database.reads };
}

/** The number of a workspace in a path. */
function idOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw notFound("workspace");
  return Number(text);
}
