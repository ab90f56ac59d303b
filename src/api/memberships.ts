import { z } from "@hono/zod-openapi";
import { listMemberships, reviewMemberships } from "../access/review-memberships.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";
import { roleSchema } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "User", uses: ["db", "now"] });

/** Workspaces that one call can leave: as many as a user can belong to. */
const leftMax = 1_000;
/** The maximum of the column. */
const workspaceIdMax = 2_147_483_647;

const Membership = z
  .object({
    workspaceId: z.int(),
    name: z.string(),
    role: roleSchema,
    isConfirmed: z.boolean().openapi({
      description: "false from the first verification of your e-mail address until you confirm the membership.",
    }),
  })
  .openapi("Membership");

const example: z.input<typeof Membership> = { workspaceId: 1, name: "Acme", role: "owner", isConfirmed: true };
/** The operations on the user's own memberships. */
export const membershipEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/user/memberships",
    operationId: "listMemberships",
    summary: "List your memberships",
    responseSchema: z.array(Membership),
    responseExample: [example],
    handle: ({ deps, actor }) => listMemberships(deps, actor.userId),
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/memberships",
    operationId: "reviewMemberships",
    summary: "Keep or leave your memberships",
    description:
      "After the first verification of your e-mail address: leaves the named workspaces and keeps all others, or changes nothing at all. You cannot leave a workspace whose only owner you are.",
    bodySchema: z.object({ leave: z.array(z.int().min(1).max(workspaceIdMax)).max(leftMax).default([]) }),
    bodyExample: { leave: [] },
    responseSchema: z.array(Membership),
    responseExample: [example],
    problems: ["conflict"],
    handle: ({ deps, actor, body }) => reviewMemberships(deps, actor.userId, body.leave),
  }),
];
