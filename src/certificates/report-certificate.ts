import type { Actor } from "../access/actor.ts";
import { Problem } from "../base/problem.ts";
import { isoTime, isoTimeOrNull, minuteMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { hostNamesOf } from "../domains/domain.ts";
import { type DomainRow, findOwnDomain, listDomains, requireEditor } from "../domains/domains.ts";
import { accountPause } from "./acme-account.ts";
import { type CertificateRow, certificateState, certificateStates, isCertifiable } from "./certificate.ts";
import type { Certificates } from "./certificates.ts";

/** TABLE of the states that the API reports: those of a certificate, and two of domains that get none. */
export const reportedStates = [
  /** This instance orders no certificates, or none for such a name. */
  "off",
  /** The domain is not verified. */
  "unverified",
  ...certificateStates,
] as const;

/** The certificate of one host name. */
type NameReport = {
  state: (typeof reportedStates)[number];
  notBefore: string | null;
  notAfter: string | null;
  /** Why the last attempt failed, in the authority's words where it said something. */
  problem: string | null;
  nextAttemptAt: string | null;
};

/** A domain's certificate, as the API shows it. */
type CertificateReport = NameReport & {
  slug: string;
  /** The certificate of the domain's second name, ordered once its DNS points here; null without a second name. */
  www: ({ name: string } & NameReport) | null;
};

/** The shortest time between two attempts that an owner requests: after the authority refused, and after a DNS check. */
const retryEveryMs = 5 * minuteMs;
const dnsRetryEveryMs = 10 * secondMs;

type Deps = { db: Db; now: () => number; certificates: Pick<Certificates, "orders"> };

/** Reports the certificates of a domain of the actor's workspace. Throws "not_found". */
export async function reportCertificate(deps: Deps, actor: Actor, slug: string): Promise<CertificateReport> {
  return await report(deps, await findOwnDomain(deps.db, actor.workspaceId, slug));
}

/** Reports the certificates of the domains that listDomains() returns, in the same order. */
export async function listCertificates(
  deps: Deps,
  actor: Actor,
  selection: Parameters<typeof listDomains>[2],
): Promise<CertificateReport[]> {
  const domains = await listDomains(deps, actor, selection);
  if (domains.length === 0) return [];
  const stored = { rows: await rowsOf(deps.db, domains), pause: await pauseOf(deps) };
  return domains.map((domain) => reportOf(deps, domain, stored));
}

/**
 * Makes the next attempt at each of a domain's certificates due now, unless it is valid or gets none, and reports them.
 * Throws "not_found"; "forbidden" for the instance's domain unless the actor is an owner; "rate_limit_exceeded" when
 * every attempt is too recent, or the authority asked to wait.
 */
export async function retryCertificate(deps: Deps, actor: Actor, slug: string): Promise<CertificateReport> {
  const { db, now, certificates } = deps;
  const domain = await findOwnDomain(db, actor.workspaceId, slug);
  requireEditor(actor, domain);
  if (certificates.orders === undefined || domain.status === "pending") return await report(deps, domain);
  const at = now();
  const idle = [...(await rowsOf(db, [domain])).values()].filter((row) => isRetried(row, at));
  const { until } = await accountPause(deps, certificates.orders.authority.directory);
  // An optional name without DNS is no reason to refuse.
  const needed = idle.filter((row) => row.name === domain.slug || row.problemKind !== "dns");
  refuseEarly(
    needed.map((row) => earliestRetry(row, until)),
    at,
  );
  const names = idle.filter((row) => earliestRetry(row, until).at <= at).map(({ name }) => name);
  if (names.length > 0) await db.updateTable("certificates").set({ nextAt: at }).where("name", "in", names).execute();
  return await report(deps, domain);
}

/** True for a certificate that is not valid, or could not be renewed, and whose next attempt is not due yet. */
function isRetried(row: CertificateRow, now: number): boolean {
  return certificateState(row, now) !== "valid" && row.nextAt > now;
}

/** When an owner may request the next attempt, and whether the authority or Waypost's own limit decides that. */
type EarliestRetry = { at: number; isLimitOfAuthority: boolean };

/**
 * When the next attempt of a name may be requested. An order that the authority limits waits for the time that it named,
 * which is the row's next attempt.
 */
function earliestRetry({ problemKind, triedAt, failures, nextAt }: CertificateRow, pausedUntil: number): EarliestRetry {
  const isLimited = triedAt !== null && problemKind === "authority" && failures === 0;
  const ofAuthority = Math.max(pausedUntil, isLimited ? nextAt : 0);
  const everyMs = problemKind === "dns" || problemKind === "caa" ? dnsRetryEveryMs : retryEveryMs;
  const own = triedAt === null || isLimited ? 0 : triedAt + everyMs;
  return { at: Math.max(own, ofAuthority), isLimitOfAuthority: ofAuthority >= own };
}

/** Throws "rate_limit_exceeded" when there are attempts and none is possible yet. */
function refuseEarly(attempts: readonly EarliestRetry[], now: number): void {
  const [next] = attempts.toSorted((one, other) => one.at - other.at);
  if (next === undefined || next.at <= now) return;
  const possible = isoTime(next.at);
  throw new Problem(
    "rate_limit_exceeded",
    next.isLimitOfAuthority
      ? `The certificate authority limits orders or is unavailable. The next attempt is possible at ${possible}.`
      : `Waypost limits how often an order is repeated. The next attempt is possible at ${possible}.`,
    { retryAfterSeconds: Math.ceil((next.at - now) / secondMs) },
  );
}

async function report(deps: Deps, domain: DomainRow): Promise<CertificateReport> {
  const rows = await rowsOf(deps.db, [domain]);
  return reportOf(deps, domain, { rows, pause: await pauseOf(deps) });
}

/** The rows of all names of the domains, by name. */
async function rowsOf(db: Db, domains: readonly DomainRow[]): Promise<Map<string, CertificateRow>> {
  const names = domains.flatMap(hostNamesOf);
  const rows = await db.selectFrom("certificates").selectAll().where("name", "in", names).execute();
  return new Map(rows.map((row) => [row.name, row]));
}

/** The pause of the account at the authority; none when this instance orders no certificates. */
async function pauseOf(deps: Deps): Promise<Pause> {
  const { orders } = deps.certificates;
  return orders === undefined ? { until: 0, problem: null } : await accountPause(deps, orders.authority.directory);
}

type Pause = { until: number; problem: string | null };
type Stored = { rows: ReadonlyMap<string, CertificateRow>; pause: Pause };

function reportOf(deps: Deps, domain: DomainRow, stored: Stored): CertificateReport {
  const { slug } = domain;
  const [, second] = hostNamesOf(domain);
  const bare = reportName(deps, { status: domain.status, name: slug }, stored);
  const isAlone = second === undefined || bare.state === "off" || bare.state === "unverified";
  const www = isAlone ? null : { name: second, ...reportName(deps, { status: domain.status, name: second }, stored) };
  return { slug, ...bare, www };
}

function reportName(
  { now, certificates: { orders } }: Deps,
  { status, name }: Pick<DomainRow, "status"> & { name: string },
  { rows, pause }: Stored,
): NameReport {
  const none = { notBefore: null, notAfter: null, problem: null, nextAttemptAt: null };
  if (status === "pending") return { ...none, state: orders === undefined ? "off" : "unverified" };
  if (orders === undefined || !isCertifiable(name)) return { ...none, state: "off" };
  const row = rows.get(name);
  if (row === undefined) return { ...none, state: "ordering" };
  const isPaused = pause.until > now();
  const state = certificateState(row, now());
  return {
    state,
    notBefore: isoTimeOrNull(row.notBefore),
    notAfter: isoTimeOrNull(row.notAfter),
    // An order that waits for the account has no problem of its name.
    problem: row.problem ?? (state === "ordering" && isPaused ? pause.problem : null),
    nextAttemptAt: isoTimeOrNull(Math.max(row.nextAt, isPaused ? pause.until : 0)),
  };
}
