import { z } from "@hono/zod-openapi";
import type { Actor } from "../access/actor.ts";
import { selectClicks } from "../analytics/click-selection.ts";
import { liveBounds } from "../analytics/live-events.ts";
import type { Listener, LiveBatch, LiveStream } from "../analytics/live-stream.ts";
import { parseResumeToken } from "../analytics/resume-token.ts";
import type { App } from "../app.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Filter } from "../clicks/query.ts";
import { futureClickQuery, reportDeps, reportUses } from "./analytics-schemas.ts";
import { type ClickEventSchema, eventExample, eventKind, serializeEvent } from "./events.ts";
import { reauthorize } from "./http/authorize.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { eventStreamHead, eventStreamReply, eventStreamType } from "./http/event-stream.ts";
import { lastEventIdExample } from "./http/openapi-headers.ts";
import { toProblem } from "./http/problems.ts";

const endpoint = endpointUsing({
  tag: "Analytics",
  uses: ["config", "db", "liveEvents", "log", "redirects", ...reportUses],
});

/** Size of a chunk; the next chunk is produced when the client has read this one. */
const chunkCharactersMax = 64 * 1024;
/** How long a client waits before it reconnects. */
const retryMs = secondMs;
/** No click has a later time. */
const endOfTime = Date.UTC(10_000, 0);

const scope = "analytics.read";

const liveQuery = z.object({
  event: eventKind,
  ...futureClickQuery,
  lastEventId: z.string().optional().openapi({
    description: "Like the header Last-Event-ID, which takes precedence, for clients that cannot set headers.",
    example: lastEventIdExample,
  }),
});

/** The operation that streams clicks. */
export const liveEventEndpoints = [
  endpoint({
    method: "get",
    path: "/events/live",
    operationId: "streamEvents",
    summary: "Stream clicks live",
    description:
      `Server-sent events. The data of each event is an item of \`GET /v1/events\` in JSON. A click is sent when it is stored, ` +
      `usually within half a second. After ${liveBounds.heartbeatMs / secondMs} seconds without a click, a comment is sent. ` +
      `The stream ends after ${liveBounds.lifetimeMs / minuteMs} minutes, when the service stops, and within ` +
      `${liveBounds.recheckMs / secondMs} seconds after the key is revoked: reconnect with the id of the last event, and ` +
      `no click is missing or repeated. A workspace can have ${liveBounds.workspaceStreamsMax} open streams, and a user ${liveBounds.userStreamsMax} in all workspaces.`,
    scope,
    querySchema: liveQuery,
    responseSchema: z.string(),
    contentTypes: [eventStreamType],
    isStreamed: true,
    isLive: true,
    isResumable: true,
    responseExample: eventText(lastEventIdExample, eventExample()),
    async handle({ deps, actor, query, request }) {
      const { lastEventId = "", event, ...question } = query;
      const header = request.headers.get("last-event-id") ?? "";
      const authorization = request.headers.get("authorization");
      const resumeToken = resumeTokenOf({ header, lastEventId });
      const authorize = async () => {
        const current = await reauthorize(deps, { scope }, authorization, actor);
        return await listenerFor(deps, current, question, event);
      };
      if (request.method === "HEAD") {
        await authorize();
        return eventStreamHead();
      }
      const live = await deps.liveEvents.open({
        workspaceId: actor.workspaceId,
        userId: actor.userId,
        resumeToken,
        authorize,
      });
      return eventStreamReply(chunksOf(live, deps), () => live.end());
    },
  }),
];

/** The header takes precedence. A client without an event yet sends an empty id. */
function resumeTokenOf({ header, lastEventId }: { header: string; lastEventId: string }) {
  if (header !== "") return parseResumeToken("Last-Event-ID", header);
  return lastEventId === "" ? undefined : parseResumeToken("lastEventId", lastEventId);
}

type Question = Omit<z.output<typeof liveQuery>, "lastEventId" | "event">;

/** Resolves links, folders and tags now; selects clicks of any time, since a late click is new when it is stored. */
async function listenerFor(
  deps: Parameters<typeof reportDeps>[0],
  actor: Actor,
  question: Question,
  event: z.output<typeof eventKind>,
): Promise<Listener> {
  const { filters, ...selected } = await selectClicks(reportDeps(deps), actor, question);
  const none: Filter = { dimension: "linkId", values: [], isExcluded: false };
  const all = event === "clicks" ? filters : [none];
  return { actor, selection: { ...selected, filters: all, from: 0, to: endOfTime } };
}

async function* chunksOf(stream: LiveStream, deps: Pick<App, "config" | "log">): AsyncGenerator<string, undefined> {
  yield `retry: ${retryMs}\n\n`;
  for (let part = await nextBatch(stream, deps); part !== undefined; part = await nextBatch(stream, deps)) {
    yield* eventTexts(part, deps.config.WAYPOST_URL);
  }
}

/** A failure only ends the stream: a client that reconnects gets the reason as a problem. */
async function nextBatch(stream: LiveStream, { log }: Pick<App, "log">): Promise<LiveBatch | undefined> {
  try {
    return await stream.next();
  } catch (error) {
    const { status, message, cause } = toProblem(error);
    if (status >= 500) log.error(message, { operation: "streamEvents", cause });
    return undefined;
  }
}

function* eventTexts({ events, resumeToken }: LiveBatch, appUrl: URL): Generator<string> {
  let chunk = events.length === 0 ? `: still here\nid: ${resumeToken}\n\n` : "";
  for (const { event, resumeToken: own } of events) {
    chunk += eventText(own, serializeEvent(event, appUrl));
    if (chunk.length < chunkCharactersMax) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function eventText(id: string, value: z.input<typeof ClickEventSchema>): string {
  return `id: ${id}\ndata: ${JSON.stringify(value)}\n\n`;
}
