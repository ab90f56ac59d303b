import { z } from "@hono/zod-openapi";
import type { Actor, Scope } from "../access/actor.ts";
import type { App } from "../app.ts";
import { hourMs, minuteMs, secondMs } from "../base/time.ts";
import type { ChangeStream } from "../changes/change-stream.ts";
import { changeBounds } from "../changes/live-changes.ts";
import { type ChangedNoun, changedNouns } from "../database/outbox.ts";
import { queryInteger } from "./field-schemas.ts";
import { reauthorize } from "./http/authorize.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { eventStreamHead, eventStreamReply, eventStreamType } from "./http/event-stream.ts";
import { toProblem } from "./http/problems.ts";

const endpoint = endpointUsing({ tag: "Workspaces", uses: ["db", "liveChanges", "log", "now", "redirects"] });

const scope = "workspaces.read";

/** TABLE of the scopes that changes of a noun need; the scope of the stream is enough for the others. */
const scopesByNoun: Partial<Record<ChangedNoun, Scope>> = {
  link: "links.read",
  clicks: "analytics.read",
  tag: "tags.read",
  folder: "folders.read",
  domain: "domains.read",
  utmTemplate: "links.read",
  savedView: "links.read",
  share: "analytics.read",
};

const lastSecondsMax = hourMs / secondMs;

const changesQuery = z.object({
  lastSeconds: queryInteger(0, lastSecondsMax).optional().openapi({
    description: "Also delivers the kinds that changed in the last seconds, and possibly a few seconds earlier.",
    example: 15,
  }),
});

/** The operation that streams changes. */
export const liveChangeEndpoints = [
  endpoint({
    method: "get",
    path: "/changes/live",
    operationId: "streamChanges",
    summary: "Stream changes live",
    description:
      "Server-sent events. The data of each event lists the kinds of objects that changed in the workspace since the " +
      `last one, among ${changedNouns.join(", ")}: read them again. A change is sent within a second. A key with scopes ` +
      `only receives kinds that it may read. After ${changeBounds.heartbeatMs / secondMs} seconds without a change, an ` +
      `empty list is sent. The stream ends after ${changeBounds.lifetimeMs / minuteMs} minutes, when the service stops, and ` +
      `within ${changeBounds.recheckMs / secondMs} seconds after the key is revoked. After a gap, \`lastSeconds\` also ` +
      "delivers what changed in it. A workspace can have " +
      `${changeBounds.workspaceStreamsMax} open streams, and a user ${changeBounds.userStreamsMax} in all workspaces.`,
    scope,
    querySchema: changesQuery,
    responseSchema: z.string(),
    contentTypes: [eventStreamType],
    isStreamed: true,
    isLive: true,
    responseExample: eventText(["link", "tag"]),
    async handle({ deps, actor, query, request }) {
      const authorization = request.headers.get("authorization");
      const authorize = async () => visibleTo(await reauthorize(deps, { scope }, authorization, actor));
      if (request.method === "HEAD") return eventStreamHead();
      const { workspaceId, userId } = actor;
      const since = query.lastSeconds === undefined ? deps.now() : deps.now() - query.lastSeconds * secondMs;
      const stream = await deps.liveChanges.open({ workspaceId, userId, authorize, since });
      return eventStreamReply(chunksOf(stream, deps), () => stream.end());
    },
  }),
];

function visibleTo({ scopes }: Actor): ReadonlySet<ChangedNoun> {
  return new Set(changedNouns.filter((noun) => scopes === null || scopes.has(scopesByNoun[noun] ?? scope)));
}

async function* chunksOf(stream: ChangeStream, { log }: Pick<App, "log">): AsyncGenerator<string, undefined> {
  for (let nouns = await nextOf(stream, log); nouns !== undefined; nouns = await nextOf(stream, log)) {
    yield eventText(nouns);
  }
}

/** A failure only ends the stream: a client that reconnects gets the reason as a problem. */
async function nextOf(stream: ChangeStream, log: App["log"]): Promise<ChangedNoun[] | undefined> {
  try {
    return await stream.next();
  } catch (error) {
    const { status, message, cause } = toProblem(error);
    if (status >= 500) log.error(message, { operation: "streamChanges", cause });
    return undefined;
  }
}

function eventText(changed: readonly ChangedNoun[]): string {
  return `data: ${JSON.stringify({ changed })}\n\n`;
}
