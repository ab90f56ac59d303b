import { openLog } from "../../src/base/log.ts";
import {
  openPublicListener,
  type PublicListener,
  type PublicListenerOptions,
} from "../../src/http1/public-listener.ts";
import { type Answer, answerOf } from "../../src/redirects/answer.ts";
import type { HandleRequest } from "../../src/redirects/redirect-handler.ts";
import { openRaw, type RawConnection } from "./raw-connection.ts";

/** The default response of these listeners. */
export const found = answerOf(302, { Location: "https://example.com/" });
/** The bytes of a visit. */
export const request = "GET /k HTTP/1.1\r\nHost: localhost\r\n\r\n";

const opened: { publicListener: PublicListener; server: Bun.Server<undefined> }[] = [];

/**
 * A listener that answers every visit at once, with two exceptions: "/late" waits for `late`, and "/app" is not a
 * visit, so the HTTP server behind the listener answers it with 200. Close it with closeListeners.
 */
export function open(options: Partial<PublicListenerOptions> = {}) {
  const late = Promise.withResolvers<Answer>();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("forwarded") });
  const publicListener = openPublicListener({
    port: 0,
    hostname: "127.0.0.1",
    to: { kind: "port", port: Number(server.url.port) },
    log: openLog("error"),
    ...options,
  });
  const answers: Record<string, ReturnType<HandleRequest>> = { late: late.promise, app: undefined };
  publicListener.startAnswering({
    answer: ({ path }) => (path in answers ? answers[path] : found),
    domainOf: () => "",
    afterTick: setImmediate,
    onSent() {},
  });
  opened.push({ publicListener, server });
  return { publicListener, late, connect: () => openRaw(`http://127.0.0.1:${publicListener.port}`) };
}

/** Closes all open listeners. Call it in afterEach. */
export async function closeListeners(): Promise<void> {
  for (const { publicListener, server } of opened.splice(0)) {
    publicListener.close();
    await server.stop(true);
  }
}

/** Sends bytes and returns the status of the first response. Throws if the connection ends without one. */
export async function ask(connection: RawConnection, bytes = request): Promise<number | undefined> {
  await connection.send(bytes);
  return (await connection.answers(["GET"]))[0]?.status;
}

/** Resolves when the listener has read all bytes sent earlier on other connections. */
export async function waitUntilRead(connect: () => Promise<RawConnection>): Promise<void> {
  const other = await connect();
  await ask(other);
  other.socket.destroy();
}
