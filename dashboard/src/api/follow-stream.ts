import { WaypostError } from "../../../sdk/client.ts";
import { openEventReader, type StreamedEvent } from "./event-stream.ts";

/**
 * "listening" from the moment at which no further event is missed; "reconnecting" after the connection broke; "refused"
 * when the server rejected the request, which is final.
 */
export type StreamState = "connecting" | "listening" | "reconnecting" | "refused";

/** What `GET` of a stream returns with `parseAs: "stream"`. */
type Answer = { data?: ReadableStream<Uint8Array> | null | undefined; error?: unknown; response: Response };

type FollowOptions = {
  /** Requests the stream. It receives the id of the last event, to resume with. */
  connect(lastEventId: string | undefined): Promise<Answer>;
  /** Stops following. */
  signal: AbortSignal;
  onData(data: string): void;
  onState(state: StreamState): void;
};

/** The server sends something every 15 seconds; after this much silence the connection is dead. */
const silenceMsMax = 40_000;
const firstPauseMs = 1_000;
const pauseMsMax = 30_000;
const clientErrors = { from: 400, to: 499 };
const tooMany = 429;

/**
 * Follows a stream of server-sent events until the signal aborts. After a lost or expired connection it connects again,
 * with back-off; a refused request is not retried.
 */
export async function followStream({ connect, signal, onData, onState }: FollowOptions): Promise<void> {
  let lastEventId: string | undefined;
  let pauseMs = firstPauseMs;
  onState("connecting");
  while (!signal.aborted) {
    try {
      const { data: body, error, response } = await connect(lastEventId);
      if (body === undefined || body === null) throw WaypostError.from(response, error);
      for await (const { id, data } of eventsOf(body)) {
        lastEventId = id ?? lastEventId;
        pauseMs = firstPauseMs;
        onState("listening");
        if (data !== undefined) onData(data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) return onState("refused");
    }
    if (signal.aborted) return;
    onState("reconnecting");
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, pauseMsMax);
  }
}

/** The complete events of a response. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
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

/** Resolves after a time, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  });
}
