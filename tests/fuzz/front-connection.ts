import { Connection } from "../../src/front/connection.ts";
import { Lines } from "../../src/front/lines.ts";
import type { Client, Shared } from "../../src/front/shared.ts";
import type { TunnelWatch } from "../../src/front/tunnel.ts";
import { answerOf } from "../../src/redirects/answer.ts";
import type { ShortRequest } from "../../src/redirects/redirect.ts";

/** What the front makes of a request: it answers a visit, or hands on the bytes of another request. */
export type FrontRequest =
  | { kind: "visit"; visit: Pick<ShortRequest, "method" | "path" | "query"> & { headers: Record<string, unknown> } }
  | { kind: "handedOn"; bytes: Buffer };

/** The requests that a connection of the front finds, and the status with which it refuses the one behind them. */
export type FrontReading = { requests: FrontRequest[]; refusal: number | undefined };

const redirect = answerOf(302, { Location: "https://example.com/" });
const response = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

/** Reads pieces as the front does. The socket and the HTTP server behind the front are stand-ins without a network. */
export function readByFront(pieces: readonly Buffer[]): FrontReading {
  const requests: FrontRequest[] = [];
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
  const lines = new Lines();
  const shared: Shared = {
    visits: {
      answer({ method, headers, path, query }) {
        requests.push({ kind: "visit", visit: { method, path, query, headers: { ...headers } } });
        return redirect;
      },
      domainOf: () => "",
      afterTick() {},
      onSent() {},
    },
    ready: (connection) => later.push(() => connection.sendReady(0, "\r\n")),
    line: () => lines.of(""),
    fail(error) {
      throw error;
    },
    tunnel: (_client, _peer, first, watch) => tunnel(first, watch),
    closed() {},
    idleTimeoutSeconds: 30,
    bodyBytesMax: undefined,
    held: { bytes: 0 },
    now: () => 0,
  };

  function tunnel(first: Buffer, watch: TunnelWatch) {
    const ask = (head: Buffer) => {
      requests.push({ kind: "handedOn", bytes: Buffer.from(head) });
    };
    const forward = (bytes: Buffer) => {
      const last = requests.at(-1);
      if (last?.kind === "handedOn") last.bytes = Buffer.concat([last.bytes, bytes]);
    };
    answer = () => watch.onAnswer(response);
    ask(first);
    return { ask, forward, drain() {}, isAnswering: false, finish() {}, end() {} };
  }
  let answer = () => {};
  let answered = 0;

  // The stand-in has what the connection uses of a socket.
  const connection = new Connection(socket as unknown as Client, shared);
  for (const piece of pieces) {
    connection.receive(Buffer.from(piece));
    settle();
  }
  return { requests, refusal };

  /** Answers what waits for an answer, and what is read behind it. */
  function settle(): void {
    for (;;) {
      const work = later;
      later = [];
      for (const run of work) run();
      const last = requests.at(-1);
      if (work.length > 0) continue;
      if (answered === requests.length || last?.kind !== "handedOn" || refusal !== undefined) return;
      answered = requests.length;
      answer();
    }
  }
}
