import { Reply } from "./reply.ts";

/** The content type of server-sent events. */
export const eventStreamType = "text/event-stream";

/** Keeps proxies from buffering events; the second field is for nginx. */
const headers = { "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" };

/** A response of server-sent events for HEAD: its header fields without a body. */
export function eventStreamHead(): Reply {
  return new Reply({ kind: "stream", stream: null, type: eventStreamType }, headers);
}

/**
 * A response of server-sent events. It produces one chunk at a time, when the connection has room, so that nothing is
 * buffered for a slow client; `end` is called when the client leaves.
 */
export function eventStreamReply(chunks: AsyncGenerator<string, undefined>, end: () => void): Reply {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return new Reply({ kind: "stream", stream, type: eventStreamType }, headers);
}
