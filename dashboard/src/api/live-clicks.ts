import { useEffect, useRef, useState } from "react";
import { type Schemas, type Waypost, WaypostError } from "../../../sdk/client.ts";
import type { paths } from "../../../sdk/schema.d.ts";
import { openEventReader } from "./event-stream.ts";
import { useWorkspace } from "./workspace.tsx";

/** A click as the stream sends it. */
export type LiveClick = Schemas["ClickEvent"];
/** The filters of `GET /v1/events/live`. */
type LiveQuery = Omit<NonNullable<paths["/events/live"]["get"]["parameters"]["query"]>, "lastEventId">;
/** "listening" once no further click is missed, "away" while reconnecting, "refused" for good. */
export type LiveState = "connecting" | "listening" | "away" | "refused";

type Following = {
  api: Waypost;
  query: LiveQuery;
  /** Stops following. */
  signal: AbortSignal;
  onClick(click: LiveClick): void;
  onState(state: LiveState): void;
};

/** The server sends something every 15 seconds; after this much silence the connection is dead. */
const silenceMsMax = 40_000;
const firstPauseMs = 1_000;
const pauseMsMax = 30_000;
const clientErrors = { from: 400, to: 499 };
const tooMany = 429;

/**
 * Follows clicks until the signal aborts. A lost or expired connection resumes where it ended, so that no click is
 * missing or repeated; a refused request is not retried.
 */
async function followClicks({ api, query, signal, onClick, onState }: Following): Promise<void> {
  let lastEventId: string | undefined;
  let pauseMs = firstPauseMs;
  onState("connecting");
  while (!signal.aborted) {
    try {
      const body = await connect(api, { ...query, ...(lastEventId !== undefined && { lastEventId }) }, signal);
      for await (const { id, data } of eventsOf(body)) {
        lastEventId = id ?? lastEventId;
        pauseMs = firstPauseMs;
        onState("listening");
        // The events match the API's description, as other responses do.
        if (data !== undefined) onClick(JSON.parse(data) as LiveClick);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) return onState("refused");
    }
    if (signal.aborted) return;
    onState("away");
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, pauseMsMax);
  }
}

async function connect(
  api: Waypost,
  query: LiveQuery & { lastEventId?: string },
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await api.GET("/events/live", { params: { query }, parseAs: "stream", signal });
  if (data === undefined || data === null) throw WaypostError.from(response, error);
  return data;
}

async function* eventsOf(body: ReadableStream<Uint8Array>) {
  const read = openEventReader();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let part = await nextPart(reader); !part.done; part = await nextPart(reader)) {
      yield* read(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    // Otherwise an abandoned connection would stay open.
    void reader.cancel().catch(() => {});
  }
}

/** Throws when nothing arrives for silenceMsMax. */
async function nextPart(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new Error(`Nothing arrived for ${silenceMsMax} ms.`)), silenceMsMax);
  try {
    return await Promise.race([reader.read(), silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A refusal for too many streams is retried: there may be fewer a little later. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof WaypostError) || error.status === tooMany) return false;
  return error.status >= clientErrors.from && error.status <= clientErrors.to;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  });
}

type LiveOptions = {
  /** Clicks kept; the oldest are dropped. */
  clicksMax: number;
  /** False stops listening. */
  isOn?: boolean;
  onClick?: (click: LiveClick) => void;
};

/** The clicks since the page was opened, newest first. A different query starts over. */
export function useLiveClicks(query: LiveQuery, { clicksMax, isOn = true, onClick }: LiveOptions) {
  const { api } = useWorkspace();
  const [clicks, setClicks] = useState<readonly LiveClick[]>([]);
  const [state, setState] = useState<LiveState>("connecting");
  const latestOnClick = useRef(onClick);
  useEffect(() => {
    latestOnClick.current = onClick;
  });
  const queryText = JSON.stringify(query);
  useEffect(() => {
    setClicks([]);
    if (!isOn) return;
    const connection = new AbortController();
    void followClicks({
      api,
      query: JSON.parse(queryText) as LiveQuery,
      signal: connection.signal,
      onState: setState,
      onClick(click) {
        setClicks((before) => [click, ...before].slice(0, clicksMax));
        latestOnClick.current?.(click);
      },
    });
    return () => connection.abort();
  }, [api, queryText, clicksMax, isOn]);
  return { clicks, state };
}
