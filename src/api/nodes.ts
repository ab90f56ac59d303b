import { z } from "@hono/zod-openapi";
import { requireAdministrator } from "../access/require-administrator.ts";
import { type ListedNode, listNodes } from "../nodes/list-nodes.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";

const endpoint = endpointUsing({ tag: "Administration", uses: ["config", "db", "log", "now"] });

const Node = z
  .object({
    id: z.string(),
    host: z.string().openapi({ description: "The name of its machine." }),
    version: z.string(),
    state: z.enum(["running", "stopped", "silent"]).openapi({
      description: "`silent`: it runs, but has not reported for 15 seconds, such as after a crash.",
    }),
    leads: z.boolean().openapi({ description: "Whether it runs the background work of all nodes." }),
    seenAt: timestamp,
    copyAt: timestamp.nullable().openapi({ description: "When its copy of the links last had every change." }),
    spools: z
      .array(z.object({ spoolId: z.string(), waitingBytes: z.int() }))
      .openapi({ description: "Its spools, with the bytes of clicks that are not stored and counted yet." }),
  } satisfies Record<keyof ListedNode, z.ZodType>)
  .openapi("Node");

const at = "2026-11-20T09:30:00.000Z";
const example: z.input<typeof Node> = {
  ...{ id: "node_1KBF3K1ZW3GX40AYDYJ2QE0XRC", host: "links-1", version: "0.1.0", state: "running", leads: true },
  ...{ seenAt: at, copyAt: at, spools: [{ spoolId: "0f8fad5bd9cb469fa16570867728950e", waitingBytes: 0 }] },
};

/** The operations of administrators on nodes. */
export const nodeEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/admin/nodes",
    operationId: "administerNodes",
    summary: "List the nodes of the service",
    description:
      "Those that were seen last come first. Empty for a service with clicks in its data folder, which is one node.",
    responseSchema: z.array(Node),
    responseExample: [example],
    async handle({ deps, actor }) {
      await requireAdministrator(deps, actor);
      return await listNodes(deps.db, deps.now());
    },
  }),
];
