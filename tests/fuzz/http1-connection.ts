import type { Socket } from "bun";
import { Connection } from "../../src/http1/connection.ts";
import type { ConnectionContext } from "../../src/http1/connection-context.ts";
import { FairQueue } from "../../src/http1/fair-queue.ts";
import type { ProxyCallbacks } from "../../src/http1/proxy-connection.ts";
import { answerOf } from "../../src/redirects/answer.ts";
import type { RedirectRequest } from "../../src/redirects/redirect-request.ts";

/** A request as the listener handles it: an answered visit, or forwarded bytes. */
export type ListenerRequest =
  | { kind: "visit"; visit: Pick<RedirectRequest, "method" | "path" | "query"> & { headers: Record<string, unknown> } }
  | { kind: "forwarded"; bytes: Buffer };

/** The requests that the listener finds on a connection, and the status of the refusal after them, if any. */
export type ListenerReading = { requests: ListenerRequest[]; refusal: number | undefined };

const redirect = answerOf(302, { Location: "https://example.com/" });
const response = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

/** Reads chunks like the listener, with a fake socket and a fake HTTP server. */
export function readByListener(pieces: readonly Buffer[]): ListenerReading {
  const requests: ListenerRequest[] = [];
  let refusal: number | undefined;
  let later: (() => void)[] = [];
  const socket = {
    remoteAddress: "127.0.0.1",
    write(bytes: Buffer | string, _offset?: number, length = bytes.length) {
      const status = Number(bytes.slice(0, 12).toString().slice(9));
      if (status >= 400) refusal = status;
      return length;
    },
    ...{ timeout() {}, pause() {}, resume() {}, end() {}, shutdown() {}, terminate() {} },
  };
  const fairQueue = new FairQueue();
  const context: ConnectionContext<Connection> = {
    redirectHandler: {
      answer({ method, headers, path, query }) {
        requests.push({ kind: "visit", visit: { method, path, query, headers: { ...headers } } });
        return redirect;
      },
      domainOf: () => "",
      afterTick() {},
      onSent() {},
    },
    sendAfterTick: (connection) => later.push(() => connection.sendPending(0, "\r\n")),
    domainQueue: () => fairQueue.queueOf(""),
    fail(error) {
      throw error;
    },
    proxy: (_client, _peer, first, callbacks) => proxy(first, callbacks),
    onClose() {},
    isStopping: () => false,
    idleTimeoutSeconds: 30,
    idleTimeoutsMax: () => 1,
    bodyBytesMax: undefined,
    paused: { bytes: 0 },
    now: () => 0,
  };

  function proxy(first: Buffer, callbacks: ProxyCallbacks) {
    const sendHead = (head: Buffer) => {
      requests.push({ kind: "forwarded", bytes: Buffer.from(head) });
    };
    const forward = (bytes: Buffer) => {
      const last = requests.at(-1);
      if (last?.kind === "forwarded") last.bytes = Buffer.concat([last.bytes, bytes]);
    };
    answer = () => callbacks.onResponse(response);
    sendHead(first);
    return { sendHead, forward, drain() {}, hasUnsentBytes: false, finish() {}, end() {} };
  }
  let answer = () => {};
  let answered = 0;

  // The stand-in has what the connection uses of a socket.
  const connection = new Connection(socket as unknown as Socket<Connection>, "plain", context);
  for (const piece of pieces) {
    connection.receive(Buffer.from(piece));
    settle();
  }
  return { requests, refusal };

  /** Answers what waits for an answer, and what is read after it. */
  function settle(): void {
    for (;;) {
      const work = later;
      later = [];
      for (const run of work) run();
      const last = requests.at(-1);
      if (work.length > 0) continue;
      if (answered === requests.length || last?.kind !== "forwarded" || refusal !== undefined) return;
      answered = requests.length;
      answer();
    }
  }
}
