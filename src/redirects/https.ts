/**
 * What visits over HTTP and HTTPS add to redirects.
 *
 * 1. The HTTP port answers challenges of certificate authorities for every host.
 * 2. It sends visitors of a host that has a certificate to HTTPS, unless its domain turns this off. Other hosts are
 *    served as on the plain port, so that a new domain works before its certificate exists.
 * 3. HSTS is sent only over TLS (RFC 6797, 7.2): over our own, or over that of a trusted proxy, which says so with
 *    X-Forwarded-Proto.
 */
import { isReading } from "../base/is-reading.ts";
import { whenReady } from "../base/when-ready.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { Answer, answerOf } from "./answer.ts";
import { isServing, type RedirectDomain } from "./lookup.ts";
import type { RedirectDeps } from "./redirect.ts";
import type { RedirectRequest } from "./redirect-request.ts";

/** The name of the header field. */
export const hstsField = "Strict-Transport-Security";

/** What shows whether a request came over TLS. */
export type ConnectionDetails = Pick<RedirectRequest, "headers" | "peer" | "port">;

const challengePath = ".well-known/acme-challenge/";

/**
 * The answer on the HTTP port to a challenge, or for a host that redirects to HTTPS; undefined for all others, which are
 * answered as on the plain port.
 */
export function answerHttp(
  deps: RedirectDeps,
  request: RedirectRequest,
  host: string,
): Answer | undefined | Promise<Answer | undefined> {
  if (request.path.startsWith(challengePath)) return challengeAnswer(deps, request.path.slice(challengePath.length));
  if (deps.certificates.find(host) === undefined || isSecure(deps, request)) return undefined;
  return whenReady(deps.lookup.domain(host), (domain) => domain && redirectToHttps(deps, { domain, host }, request));
}

/** Answers a certificate authority (RFC 8555, 8.3). */
function challengeAnswer({ certificates }: RedirectDeps, token: string): Answer {
  const response = certificates.httpChallengeResponse(token);
  if (response === undefined) return noChallenge;
  return answerOf(200, { "Content-Type": "application/octet-stream", "Cache-Control": "no-store" }, response);
}

const noChallenge = answerOf(404, { "Content-Type": "text/plain" }, "No such challenge.\n");

/**
 * The redirect of a request over HTTP to the same URL over HTTPS; undefined where the domain is served over HTTP too.
 * Short links have no port, so it leads to port 443, except on the instance's domain, which has the port of `appUrl`.
 */
function redirectToHttps(
  { appUrl }: RedirectDeps,
  { domain, host }: { domain: RedirectDomain; host: string },
  request: RedirectRequest,
) {
  const { isInstance, httpsRedirect } = domain;
  if (!httpsRedirect || (isInstance && appUrl.protocol !== "https:")) return undefined;
  const location = `https://${isInstance ? appUrl.host : host}/${request.path}${request.query}`;
  // After 301, curl and browsers repeat a POST as a GET. Not cached, so that the domain's setting takes effect at once.
  const status = isReading(request) ? 301 : 308;
  return answerOf(status, { Location: location, "Cache-Control": "private, no-store" });
}

/**
 * The value of the HSTS field for an answer on a domain; undefined for none. A claim to a domain that is not verified
 * must not bind the visitors of its owner.
 */
export function hstsOf(deps: HstsDeps, domain: RedirectDomain, request: ConnectionDetails): string | undefined {
  if (domain.hstsMaxAgeSeconds === null || !isSecure(deps, request)) return undefined;
  return isServing(domain, deps.isUnverifiedAllowed, deps.now()) ? `max-age=${domain.hstsMaxAgeSeconds}` : undefined;
}

/** The same for an answer of the app on a host. */
export async function hstsOfApp(
  deps: HstsDeps & Pick<RedirectDeps, "lookup">,
  request: ConnectionDetails,
  host: string,
): Promise<string | undefined> {
  if (!isSecure(deps, request)) return undefined;
  try {
    const domain = await deps.lookup.domain(host);
    return domain && hstsOf(deps, domain, request);
  } catch (error) {
    // The answer itself does not need the database.
    if (isDatabaseUnavailable(error)) return undefined;
    throw error;
  }
}

/** The answer with the field. */
export function withHsts({ status, fields, body, head }: Answer, hsts: string): Answer {
  return new Answer(status, { ...fields, [hstsField]: hsts }, body, `${head}${hstsField}: ${hsts}\r\n`);
}

type HstsDeps = Pick<RedirectDeps, "isTrusted" | "isUnverifiedAllowed" | "now">;

/** True when the request came over TLS. */
function isSecure({ isTrusted }: Pick<RedirectDeps, "isTrusted">, request: ConnectionDetails): boolean {
  if (request.port === "https") return true;
  return request.headers["x-forwarded-proto"]?.toLowerCase() === "https" && isTrusted(request.peer);
}
