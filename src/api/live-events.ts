import { z } from "@hono/zod-openapi";
import type { Actor } from "../access/actor.ts";
import { selectClicks } from "../analytics/click-selection.ts";
import { liveBounds } from "../analytics/live-events.ts";
import type { Listener, LiveBatch, LiveStream } from "../analytics/live-stream.ts";
import { parseResumeToken } from "../analytics/resume-token.ts";
import type { App } from "../app.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Filter } from "../clicks/query.ts";
import { comingClickQuery, reportDeps } from "./analytics-schemas.ts";
import { type ClickEventSchema, eventExample, eventKind, serialiseEvent } from "./events.ts";
import { reauthorize } from "./http/authorize.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { lastEventIdExample } from "./http/openapi-headers.ts";
import { toProblem } from "./http/problems.ts";
import { Reply } from "./http/reply.ts";

const endpoint = endpointUsing("config", "database", "db", "liveEvents", "log", "now", "pipeline", "redirects");

/** Events are written out until they have so many; the rest of a part waits until the client has taken those. */
const chunkCharactersMax = 64 * 1024;
/** After how long a client whose connection was lost comes back. */
const retryMs = secondMs;
/** No click has a later time. */
const endOfTime = Date.UTC(10_000, 0);

const scope = "analytics.read";
const type = "text/event-stream";
/** Nobody on the way is to keep an event back: the second is what nginx goes by. */
const headers = { "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" };

const liveQuery = z.object({
  event: eventKind,
  ...comingClickQuery,
  lastEventId: z.string().optional().openapi({
    description: "As the header Last-Event-ID, which wins, for clients that cannot set it.",
    example: lastEventIdExample,
  }),
});

/** The stream of clicks as they come. */
export const liveEventEndpoints = [
  endpoint({
    method: "get",
    path: "/events/live",
    operationId: "streamEvents",
    summary: "Follow clicks as they come",
    description:
      `Server-sent events. The data of each is an item of \`GET /v1/events\` in JSON. A click comes when it is stored, ` +
      `mostly within half a second. Every ${liveBounds.heartbeatMs / secondMs} seconds without one there is a comment. ` +
      `The stream ends after ${liveBounds.lifetimeMs / minuteMs} minutes, when the service stops, and within ` +
      `${liveBounds.recheckMs / secondMs} seconds after the key is revoked: come back with the id of the last event, and ` +
      `no click is missing or told twice. A workspace may have ${liveBounds.workspaceStreamsMax} streams at a time, and a user ${liveBounds.userStreamsMax} in all workspaces.`,
    tag: "Analytics",
    scope,
    querySchema: liveQuery,
    status: 200,
    responseSchema: z.string(),
    contentTypes: [type],
    isStreamed: true,
    isLive: true,
    responseExample: eventText(lastEventIdExample, eventExample()),
    problems: ["not_found", "unavailable"],
    async handle({ deps, actor, query, request }) {
      const { lastEventId = "", event, ...question } = query;
      const header = request.headers.get("last-event-id") ?? "";
      const authorization = request.headers.get("authorization");
      const resumeToken = markOf({ header, lastEventId });
      const authorize = async () => {
        const current = await reauthorize(deps, { scope }, authorization, actor);
        return await listenTo(deps, current, question, event);
      };
      if (request.method === "HEAD") {
        await authorize();
        return new Reply({ kind: "stream", stream: null, type }, headers);
      }
      const live = await deps.liveEvents.open({
        workspaceId: actor.workspaceId,
        userId: actor.userId,
        resumeToken,
        authorize,
      });
      return new Reply({ kind: "stream", stream: bodyOf(live, deps), type }, headers);
    },
  }),
];

/** The empty one is what a client has that has seen no event yet. */
function markOf({ header, lastEventId }: { header: string; lastEventId: string }) {
  if (header !== "") return parseResumeToken("Last-Event-ID", header);
  return lastEventId === "" ? undefined : parseResumeToken("lastEventId", lastEventId);
}

type Question = Omit<z.output<typeof liveQuery>, "lastEventId" | "event">;

/** Links, folders and tags as they are now; clicks of any time, since a late one is new when it is stored. */
async function listenTo(
  deps: Pick<App, "database" | "now" | "pipeline">,
  actor: Actor,
  question: Question,
  event: z.output<typeof eventKind>,
): Promise<Listener> {
  const { filters, ...selected } = await selectClicks(reportDeps(deps), actor, question);
  const none: Filter = { dimension: "linkId", values: [], isExcluded: false };
  const all = event === "clicks" ? filters : [none];
  return { actor, selection: { ...selected, filters: all, from: 0, to: endOfTime } };
}

/** Asked for one chunk at a time, when the connection has room for it: so nothing piles up for a slow client. */
function bodyOf(stream: LiveStream, deps: Pick<App, "config" | "log">): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks = chunksOf(stream, deps);
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: () => stream.end(),
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(stream: LiveStream, deps: Pick<App, "config" | "log">): AsyncGenerator<string, undefined> {
  yield `retry: ${retryMs}\n\n`;
  for (let part = await nextBatch(stream, deps); part !== undefined; part = await nextBatch(stream, deps)) {
    yield* eventTexts(part, deps.config.WAYPOST_URL);
  }
}

/** What stops a stream only ends it: who comes back is told why, in an answer that can say it. */
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
    chunk += eventText(own, serialiseEvent(event, appUrl));
    if (chunk.length < chunkCharactersMax) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function eventText(id: string, value: z.input<typeof ClickEventSchema>): string {
  return `id: ${id}\ndata: ${JSON.stringify(value)}\n\n`;
}
