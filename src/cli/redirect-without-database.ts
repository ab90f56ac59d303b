import type { Log } from "../base/log.ts";
import { Outage } from "../base/outage.ts";
import { secondMs } from "../base/time.ts";
import { openCopiedCertificates } from "../certificates/certificates.ts";
import { TextBudget } from "../clicks/text-budget.ts";
import type { Config } from "../config.ts";
import { connect } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import { instanceSlug } from "../domains/domain.ts";
import { unavailableResponse } from "../http1/unavailable.ts";
import { noteCopy } from "../missed-removals.ts";
import { openRedirects, reportUnavailable } from "../redirects/open-redirects.ts";
import { redirectHandlerFor } from "../redirects/redirect-handler.ts";
import { temporarySalts } from "../redirects/temporary-salts.ts";
import type { WebServer } from "../server.ts";
import { openDetachedSpool } from "../spools/detached-spool.ts";
import { DatabaseAwayError } from "./explain-failure.ts";

/** How often the start is tried again. */
const retryEveryMs = secondMs;

/**
 * Answers visits from this node's copy of the links, while PostgreSQL is away at the start. Clicks go to a new spool.
 * The API and the dashboard answer 503, and links with `maxClicks` too unless an option lets them redirect. `secret`
 * is that of the temporary salts. The returned function ends it, after the server has other handlers.
 */
export async function redirectWithoutDatabase(
  config: Config,
  log: Log,
  server: WebServer,
  secret: string,
): Promise<() => Promise<void>> {
  noteCopy(config);
  const database = connect(databaseLocation(config), "full");
  const spool = openDetachedSpool(config);
  const salts = temporarySalts(secret);
  const certificates = await openCopiedCertificates(config, { db: database.db, log, now: Date.now });
  const { redirects, close } = await openRedirects(config, {
    ...{ database, spool, salts, certificates, texts: new TextBudget(), now: Date.now },
    fail: (error) => reportUnavailable(log, error),
    onAnswer() {},
    onSent() {},
  });
  const redirectHandler = redirectHandlerFor(redirects, {
    appHost: instanceSlug(config.WAYPOST_URL),
    servesAnyHost: !config.isUrlSet,
  });
  server.startAnswering({
    redirectHandler,
    api: { fetch: async (request) => unavailableResponse(new URL(request.url).pathname) },
    site: { fetch: async ({ request, isClosing }) => answerProbe(new URL(request.url).pathname, isClosing) },
    appUrl: config.WAYPOST_URL,
    certificates,
  });
  const { port, httpPort, httpsPort } = server;
  log.info("Waypost redirects without PostgreSQL.", { port, httpPort, httpsPort });
  return async () => {
    close();
    spool.close();
    await database.close();
  };
}

/** The wait of a start for PostgreSQL. Logs its reason when it begins and when it changes, once an hour, and its end. */
export class StartOutage {
  readonly #outage: Outage;

  constructor(deps: { log: Log; now: () => number }) {
    this.#outage = new Outage(messages, deps);
  }

  /** Records why a start failed. Returns false for other reasons than that PostgreSQL does not answer. */
  recordFailure(error: unknown): boolean {
    if (!(error instanceof DatabaseAwayError)) return false;
    this.#outage.recordFailure("start", { reason: error.problem, advice });
    return true;
  }

  recordSuccess(): void {
    this.#outage.recordSuccess("start");
  }
}

const messages = {
  begins:
    "PostgreSQL does not answer: links redirect from this node's copy, and clicks wait in a new spool. Everything else answers 503 until PostgreSQL is back.",
  ends: "PostgreSQL answers again.",
};
const advice = "Start PostgreSQL, or find out why this machine does not reach it. Nothing else is needed.";

/**
 * Repeats the start of the service until PostgreSQL answers. Undefined when a stop was requested before.
 * Throws what `start` throws for other reasons than an outage.
 */
export async function startWhenBack<Started>(
  start: () => Promise<Started>,
  outage: StartOutage,
  stopRequested: Promise<unknown>,
): Promise<Started | undefined> {
  let isStopping = false;
  const stopping = stopRequested.then(() => {
    isStopping = true;
  });
  while (!isStopping) {
    try {
      const started = await start();
      outage.recordSuccess();
      return started;
    } catch (error) {
      if (!outage.recordFailure(error)) throw error;
    }
    await Promise.race([Bun.sleep(retryEveryMs), stopping]);
  }
  return undefined;
}

/** The node redirects, so a load balancer may send it visitors. */
function answerProbe(path: string, isClosing: boolean): Response {
  if (path === "/healthz") return Response.json({ status: "ok" });
  if (path !== "/readyz") return unavailableResponse(path);
  return Response.json(
    { status: isClosing ? "unavailable" : "ok", database: false, closing: isClosing },
    { status: isClosing ? 503 : 200 },
  );
}
