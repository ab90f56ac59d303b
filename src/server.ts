import http from "node:http";
import type { Server } from "bun";
import type { Api } from "./api/api.ts";
import type { ApiConnection } from "./api/http/dispatch.ts";
import { headerFields } from "./base/header-fields.ts";
import type { Log } from "./base/log.ts";
import { splitTarget } from "./base/request-target.ts";
import { secondMs } from "./base/time.ts";
import type { CertificateSource } from "./certificates/certificate-source.ts";
import { idleSecondsMax } from "./http1/connection-limiter.ts";
import type { Ports } from "./http1/ports.ts";
import type { ForwardedClient } from "./http1/proxy-line.ts";
import { openPublicListener, type PublicListener, type PublicListenerOptions } from "./http1/public-listener.ts";
import { bodyBytesMax } from "./http1/request-framing.ts";
import { headBytesMax } from "./http1/request-head.ts";
import { unavailableResponse } from "./http1/unavailable.ts";
import { openWorkerProxy } from "./http1/worker-proxy.ts";
import { hstsField } from "./redirects/https.ts";
import { firstSegment, type HstsOfApp, type RedirectHandler } from "./redirects/redirect-handler.ts";
import type { FormPassword } from "./redirects/redirect-request.ts";
import { readFormWithin } from "./site/form.ts";
import type { Site } from "./site/site.ts";
import { tlsCheckPath } from "./site/tls-check.ts";

/** The address of the HTTP server and of the proxy connections to it. */
const loopback = "127.0.0.1";

/** The public listener rejects heads that are too long with an error body; the runtime's own limit must be higher. */
Object.assign(http, { maxHeaderSize: 2 * headBytesMax });

/** The handlers of requests. */
type RequestHandlers = {
  redirectHandler: RedirectHandler & HstsOfApp;
  api: Pick<Api, "fetch">;
  site: Site;
  appUrl: URL;
  /** The certificates of the HTTPS port, which other processes have when redirect workers listen. */
  certificates?: CertificateSource;
};

/** The public listener, or the worker proxy behind redirect workers, and the HTTP server behind it on loopback. */
export type WebServer = Readonly<Ports> & {
  /** See PublicListener. */
  connections: PublicListener["connections"];
  /** Starts to answer requests; before, each waits for startWaitMaxMs, except for health checks, and then gets 503. */
  startAnswering(handlers: RequestHandlers): void;
  /** Makes /readyz answer 503 from now on, so that a load balancer sends no more requests. */
  announceStop(): void;
  /** Accepts no more connections and resolves when all running requests are answered. */
  stop(): Promise<void>;
  /** Closes the remaining connections. */
  close(): Promise<void>;
};

/**
 * Seconds that an API call may take once its request is read. Its parts have limits: a report may read the click store
 * twice, each time for a minute.
 */
const answerSecondsMax = 240;

/** How long a request waits for the end of a start, which takes a second or two; then it gets 503. */
const startWaitMaxMs = 5 * secondMs;

/** Paths that say at once that the service is not ready, for load balancers. */
const healthPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** First path segments of programs: the API says in JSON that a path does not exist. */
const apiSegments: ReadonlySet<string> = new Set(["v1", "internal"]);

/** Where connections come from: the public ports, or redirect workers, which listen on them. */
export type ListenOptions =
  | ({ kind: "ports" } & Ports &
      Pick<PublicListenerOptions, "hostname" | "isTrusted" | "idleTimeoutSeconds" | "handedOver">)
  | ({ kind: "workers"; path: string } & Ports);

/** Starts to listen. Throws PortError when a port is in use or the address is not this machine's. */
export function listen(listenOptions: ListenOptions, log: Log): WebServer {
  /** Resolves with what answers requests at the end of the start. */
  const started = Promise.withResolvers<(request: Request) => Promise<Response>>();
  const server = Bun.serve({
    port: 0,
    hostname: loopback,
    idleTimeout: (listenOptions.kind === "ports" ? listenOptions.idleTimeoutSeconds : undefined) ?? idleSecondsMax,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    error(error) {
      log.error("A request failed.", { error });
      return new Response("The service failed unexpectedly.\n", { status: 500 });
    },
    async fetch(request) {
      const wait = healthPaths.has(pathOf(request)) ? undefined : Bun.sleep(startWaitMaxMs);
      const answer = (await Promise.race([started.promise, wait])) ?? answerUnavailable;
      return await answer(request);
    },
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
    httpPort: publicListener.httpPort,
    httpsPort: publicListener.httpsPort,
    connections: publicListener.connections,
    startAnswering(handlers) {
      const fetch = (request: Request) => answerRequest(request, { server, publicListener, isClosing, ...handlers });
      server.reload({ fetch });
      started.resolve(fetch);
      const { redirectHandler, ...options } = handlers;
      publicListener.startAnswering(redirectHandler, options);
    },
    announceStop() {
      isClosing = true;
    },
    async stop() {
      isClosing = true;
      started.resolve(answerUnavailable);
      await stopBoth(publicListener, server);
    },
    async close() {
      publicListener.close();
      await server.stop(true);
    },
  };
}

function pathOf({ url }: Request): string {
  return `/${splitTarget(url).path}`;
}

async function answerUnavailable(request: Request): Promise<Response> {
  return unavailableResponse(pathOf(request));
}

/** What answers a request; `isClosing` is true from announceStop on. */
type Answering = RequestHandlers & { server: Server<undefined>; publicListener: PublicListener; isClosing: boolean };

async function answerRequest(
  request: Request,
  { server, publicListener, isClosing, redirectHandler, api, site }: Answering,
): Promise<Response> {
  const startedAt = performance.now();
  const { path, query } = splitTarget(request.url);
  const client = clientOf(publicListener, server.requestIP(request));
  const headers = headerFields(request);
  const answer = await redirectHandler.answer({
    method: request.method,
    headers,
    ...client,
    path,
    query,
    formPassword: () => readFormPassword(request),
    signal: () => request.signal,
    hasEnded: () => request.signal.aborted,
  });
  if (answer !== undefined) {
    await new Promise<void>((resolve) => redirectHandler.afterTick(resolve));
    redirectHandler.onSent(performance.now() - startedAt);
    return answer.response();
  }
  const { peer } = client;
  const response = await (isForApi(path)
    ? api.fetch(request, apiConnection(server, request, peer))
    : site.fetch({ request, peer, isClosing }));
  return withHsts(response, await redirectHandler.hsts({ headers, ...client }));
}

async function stopBoth(publicListener: PublicListener, server: Server<undefined>): Promise<void> {
  // The HTTP server answers the last requests that are forwarded.
  await publicListener.stopAccepting();
  const frontStopped = publicListener.stop();
  await server.stop();
  // The public listener still sends the responses of the HTTP server and then closes their connections.
  await server.stop(true);
  await frontStopped;
}

function apiConnection(server: Server<undefined>, request: Request, peer: string): ApiConnection {
  return {
    peer,
    onRequestRead: () => server.timeout(request, answerSecondsMax),
    holdOpen: () => server.timeout(request, 0),
  };
}

function open(listenOptions: ListenOptions, serverPort: number, log: Log): PublicListener {
  if (listenOptions.kind === "ports")
    return openPublicListener({ ...listenOptions, to: { kind: "port", port: serverPort }, log });
  const proxy = openWorkerProxy({ path: listenOptions.path, serverPort, log });
  // The workers answer visits; the HTTP server answers those on forwarded connections.
  const { port, httpPort, httpsPort } = listenOptions;
  return { ...proxy, port, httpPort, httpsPort, startAnswering() {} };
}

/** True for what programs request in JSON, except for the question that a proxy asks about certificates. */
function isForApi(path: string): boolean {
  return apiSegments.has(firstSegment(path)) && path !== tlsCheckPath;
}

function withHsts(response: Response, hsts: string | undefined): Response {
  if (hsts !== undefined) response.headers.set(hstsField, hsts);
  return response;
}

async function readFormPassword(request: Request): Promise<FormPassword> {
  if (request.method !== "POST" || request.body === null) return { kind: "read", password: null };
  const form = await readFormWithin(request);
  return form === undefined ? { kind: "tooLong" } : { kind: "read", password: form.get("pw") };
}

/**
 * The client, by the proxy connection's local port; without an address when its connection has closed. Never our own
 * end's address, which may be a trusted proxy's: a client that closes at once could then claim any address. The proxy
 * connection's whole address is compared, since another user of this machine may bind the same port on 127.0.0.2.
 */
function clientOf(
  publicListener: PublicListener,
  address: ReturnType<Server<undefined>["requestIP"]>,
): ForwardedClient {
  return (address?.address === loopback ? publicListener.clientOf(address.port) : undefined) ?? unknownClient;
}

const unknownClient: ForwardedClient = { peer: "", port: "plain" };
