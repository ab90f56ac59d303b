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
import type { FormPassword } from "./redirects/redirect-request.ts";
import { readFormWithin } from "./site/form.ts";
import type { Site } from "./site/site.ts";

/** The address of the HTTP server and of the proxy connections to it. */
const loopback = "127.0.0.1";

/** The public listener rejects heads that are too long with an error body; the runtime's own limit must be higher. */
Object.assign(http, { maxHeaderSize: 2 * headBytesMax });

/** The handlers of requests. */
type RequestHandlers = { redirectHandler: RedirectHandler; api: Api; site: Site; appUrl: URL };

/** The public listener, or the worker proxy behind redirect workers, and the HTTP server behind it on loopback. */
export type WebServer = {
  /** The public port. */
  readonly port: number;
  /** See PublicListener. */
  connections: PublicListener["connections"];
  /** Starts to answer requests; before, each gets 503. */
  startAnswering(handlers: RequestHandlers): void;
  /** Accepts no more connections and resolves when all running requests are answered. */
  stop(): Promise<void>;
  /** Closes the remaining connections. */
  close(): Promise<void>;
};

/** First path segments of programs: /internal has no path yet, and the API says so in JSON. */
const apiSegments: ReadonlySet<string> = new Set(["v1", "internal"]);

/** Where connections come from: the public port, or redirect workers, which listen on `port` themselves. */
export type ListenOptions =
  | ({ kind: "port" } & Pick<PublicListenerOptions, "port" | "hostname" | "isTrusted">)
  | { kind: "workers"; path: string; port: number };

/** Starts to listen. Throws when the port is in use or the address is not this machine's. */
export function listen(listenOptions: ListenOptions, log: Log): WebServer {
  const server = Bun.serve({
    port: 0,
    hostname: loopback,
    idleTimeout: idleSecondsMax,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    error(error) {
      log.error("A request failed.", { error });
      return new Response("The service failed unexpectedly.\n", { status: 500 });
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
          if (apiSegments.has(firstSegment(path))) {
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
      // The public listener still sends the responses of the HTTP server and then closes their connections.
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
  // The workers answer visits; the HTTP server answers those on forwarded connections.
  return { ...relay, port: listenOptions.port, startAnswering() {} };
}

async function readFormPassword(request: Request): Promise<FormPassword> {
  if (request.method !== "POST" || request.body === null) return { kind: "read", password: null };
  const form = await readFormWithin(request);
  return form === undefined ? { kind: "tooLong" } : { kind: "read", password: form.get("pw") };
}

/**
 * The client's address, by the proxy connection's local port; "" when the client's connection has closed. Never our own
 * end's address, which may be a trusted proxy's: a client that closes at once could then claim any address. The proxy
 * connection's whole address is compared, since another user of this machine may bind the same port on 127.0.0.2.
 */
function peerOf(publicListener: PublicListener, address: ReturnType<Server<undefined>["requestIP"]>): string {
  return (address?.address === loopback ? publicListener.peerOf(address.port) : undefined) ?? "";
}
