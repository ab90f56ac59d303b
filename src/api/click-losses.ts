import { z } from "@hono/zod-openapi";
import { requireOwner } from "../access/actor.ts";
import type { App } from "../app.ts";
import { isoTime } from "../base/time.ts";
import { lostClicks } from "../spools/spool-folders.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { workspacePath } from "./workspaces.ts";

const endpoint = endpointUsing({ tag: "Workspaces", uses: ["config", "storeLosses"] });

/** Lost clicks of one kind, as the API shows them. */
const ClickLoss = z
  .object({
    kind: z.enum(["stored", "dropped", "damaged"]).openapi({
      description:
        "`stored`: the click store's file is missing or too old. `dropped`: the disk was full or failed. `damaged`: bytes on the disk were damaged.",
    }),
    clicks: z.int().nullable().openapi({
      example: 149,
      description: "The maximum number of lost clicks; null if unknown.",
    }),
    since: timestamp.openapi({ description: "When the loss began or was discovered." }),
  })
  .openapi("ClickLoss");

/** The operations on lost clicks. */
export const clickLossEndpoints = [
  endpoint({
    method: "get",
    path: "/workspaces/{workspaceId}/click-losses",
    operationId: "listClickLosses",
    summary: "List the lost clicks of this service",
    description:
      "Counts all workspaces together, until the operator accepts the loss (`waypost clicks accept-loss`). Reports cannot show these clicks.",
    scope: "workspaces.read",
    isForOwners: true,
    pathSchema: workspacePath,
    responseSchema: z.array(ClickLoss),
    responseExample: [{ kind: "dropped", clicks: 149, since: "2026-11-20T09:30:00.000Z" }],
    async handle({ deps, actor }) {
      requireOwner(actor);
      return clickLosses(deps);
    },
  }),
];

function clickLosses({ config, storeLosses }: Pick<App, "config" | "storeLosses">): z.input<typeof ClickLoss>[] {
  const stored = storeLosses.current.map(({ foundAt }) => foundAt);
  const { dropped, damaged } = lostClicks(config);
  return [
    ...(stored.length === 0 ? [] : [{ kind: "stored" as const, clicks: null, since: isoTime(Math.min(...stored)) }]),
    ...(dropped === null ? [] : [{ kind: "dropped" as const, clicks: dropped.clicks, since: isoTime(dropped.since) }]),
    ...(damaged === null ? [] : [{ kind: "damaged" as const, clicks: damaged.clicks, since: isoTime(damaged.since) }]),
  ];
}
