import http from "node:http";
import type { Server } from "bun";
import type { Api } from "./api/api.ts";
import { headerFields } from "./base/header-fields.ts";
import type { Log } from "./base/log.ts";
import { splitTarget } from "./base/request-target.ts";
import { idleSecondsMax } from "./http1/connection.ts";
import { openPublicListener, type PublicListener, type PublicListenerOptions } from "./http1/public-listener.ts";
import { bodyBytesMax } from "./http1/request-framing.ts";
import { headBytesMax } from "./http1/request-head.ts";
import { unavailableResponse } from "./http1/unavailable.ts";
import { openWorkerProxy } from "./http1/worker-proxy.ts";
import { firstSegment, type RedirectHandler } from "./redirects/redirect-handler.ts";
import type { Site } from "./site/site.ts";

/** Where the HTTP server listens, and the address from which tunnels come to it. */
const loopback = "127.0.0.1";

/** The front refuses heads that are too long, with an error body; the runtime, which sends none, must not be first. */
Object.assign(http, { maxHeaderSize: 2 * headBytesMax });

/** What answers the requests that come in. */
export type RequestHandlers = { redirectHandler: RedirectHandler; api: Api; site: Site; appUrl: URL };

/** The two listeners: the front, or the relay behind redirect workers, and the HTTP server behind it, on loopback. */
export type WebServer = {
  /** The one that the world sees. */
  readonly port: number;
  /** See the front's. */
  connections: PublicListener["connections"];
  /** Until it is called, everything is answered with 503. */
  startAnswering(handlers: RequestHandlers): void;
  /** Takes no more connections and resolves when every request under way is answered. */
  stop(): Promise<void>;
  /** Closes what is left. */
  close(): Promise<void>;
};

/** Where connections come in: from the world, or from redirect workers, which listen on `port` themselves. */
export type ListenOptions =
  | ({ kind: "port" } & Pick<PublicListenerOptions, "port" | "hostname" | "isTrusted">)
  | { kind: "workers"; path: string; port: number };

/** Listens. Throws when the port is taken, or the address is none of this machine's. */
export function listen(listenOptions: ListenOptions, log: Log): WebServer {
  const server = Bun.serve({
    port: 0,
    hostname: loopback,
    idleTimeout: idleSecondsMax,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    error(error) {
      log.error("A request failed.", { error });
      return new Response("Something went wrong on our side.\n", { status: 500 });
    },
    fetch: (request) => unavailableResponse(`/${splitTarget(request.url).path}`),
  });
  let isClosing = false;
  let publicListener: PublicListener;
  try {
    publicListener = open(listenOptions, Number(server.url.port), log);
  } catch (error) {
    void server.stop(true);
    throw error;
  }

  return {
    port: publicListener.port,
    connections: publicListener.connections,
    startAnswering({ redirectHandler, api, site, appUrl }) {
      server.reload({
        async fetch(request) {
          const startedAt = performance.now();
          const { path, query } = splitTarget(request.url);
          const peer = peerOf(publicListener, server.requestIP(request));
          const { method } = request;
          const answer = await redirectHandler.answer({
            method,
            headers: headerFields(request),
            peer,
            path,
            query,
            formPassword: () => readFormPassword(request),
            signal: () => request.signal,
          });
          if (answer !== undefined) {
            await new Promise<void>((resolve) => redirectHandler.afterTick(resolve));
            redirectHandler.onSent(performance.now() - startedAt);
            return answer.response();
          }
          if (firstSegment(path) === "v1") {
            return api.fetch(request, { peer, holdOpen: () => server.timeout(request, 0) });
          }
          return site.fetch({ request, peer, isClosing });
        },
      });
      publicListener.startAnswering(redirectHandler, appUrl);
    },
    async stop() {
      isClosing = true;
      const frontStopped = publicListener.stop();
      await server.stop();
      // What it has answered is still on its way through the front, which closes a connection when it has passed.
      await server.stop(true);
      await frontStopped;
    },
    async close() {
      publicListener.close();
      await server.stop(true);
    },
  };
}

function open(listenOptions: ListenOptions, serverPort: number, log: Log): PublicListener {
  if (listenOptions.kind === "port")
    return openPublicListener({ ...listenOptions, to: { kind: "port", port: serverPort }, log });
  const relay = openWorkerProxy({ path: listenOptions.path, serverPort, log });
  // Visits are answered by the workers; those on connections that were handed on, by the HTTP server.
  return { ...relay, port: listenOptions.port, startAnswering() {} };
}

/** A password, percent-encoded, and its name. */
const formBytesMax = 4 * 1024;

/** The password that a form holds; null when there is none, or the body is not what the form of a link sends. */
async function readFormPassword(request: Request): Promise<string | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (request.method !== "POST" || !(length <= formBytesMax)) return null;
  return new URLSearchParams(await request.text()).get("pw");
}

/**
 * The client's address, from the connection handed on by the front; "" when that has closed already. Never our own end's,
 * which may be a trusted proxy's: then a client that closes at once could claim any address. The whole address of the
 * other end is compared: another user of this machine can take the same port on 127.0.0.2.
 */
function peerOf(publicListener: PublicListener, address: ReturnType<Server<undefined>["requestIP"]>): string {
  return (address?.address === loopback ? publicListener.peerOf(address.port) : undefined) ?? "";
}
