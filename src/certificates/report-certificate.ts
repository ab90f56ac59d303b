import type { Actor } from "../access/actor.ts";
import { Problem } from "../base/problem.ts";
import { isoTimeOrNull, minuteMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
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

/** A domain's certificate, as the API shows it. */
type CertificateReport = {
  slug: string;
  state: (typeof reportedStates)[number];
  notBefore: string | null;
  notAfter: string | null;
  /** Why the last attempt failed, in the authority's words where it said something. */
  problem: string | null;
  nextAttemptAt: string | null;
};

/** The shortest time between two attempts that an owner requests, after the authority refused; of others, DNS only. */
const retryEveryMs = 5 * minuteMs;
const dnsRetryEveryMs = 10 * secondMs;

type Deps = { db: Db; now: () => number; certificates: Pick<Certificates, "orders"> };

/** Reports the certificate of a domain of the actor's workspace. Throws "not_found". */
export async function reportCertificate(deps: Deps, actor: Actor, slug: string): Promise<CertificateReport> {
  const domain = await findOwnDomain(deps.db, actor.workspaceId, slug);
  return await report(deps, domain, await findRow(deps.db, domain.slug));
}

/** Reports the certificates of the domains that listDomains() returns, in the same order. */
export async function listCertificates(
  deps: Deps,
  actor: Actor,
  selection: Parameters<typeof listDomains>[2],
): Promise<CertificateReport[]> {
  const domains = await listDomains(deps, actor, selection);
  const names = domains.map(({ slug }) => slug);
  if (names.length === 0) return [];
  const rows = await deps.db.selectFrom("certificates").selectAll().where("name", "in", names).execute();
  const rowOf = new Map(rows.map((row) => [row.name, row]));
  const pause = await pauseOf(deps);
  return domains.map((domain) => reportOf(deps, domain, { row: rowOf.get(domain.slug), pause }));
}

/**
 * Makes the next attempt at a domain's certificate due now, unless it has a valid one or gets none, and reports it.
 * Throws "not_found"; "forbidden" for the instance's domain unless the actor is an owner; "rate_limit_exceeded" when the last attempt is too recent, or the authority asked to wait.
 */
export async function retryCertificate(deps: Deps, actor: Actor, slug: string): Promise<CertificateReport> {
  const { db, now, certificates } = deps;
  const domain = await findOwnDomain(db, actor.workspaceId, slug);
  requireEditor(actor, domain);
  const row = await findRow(db, domain.slug);
  const reported = await report(deps, domain, row);
  const isIdle = ["off", "unverified", "valid"].includes(reported.state);
  if (isIdle || row === undefined || row.nextAt <= now()) return reported;
  const directory = certificates.orders?.authority.directory ?? "";
  refuseEarly(Math.max(earliestRetry(row), (await accountPause(db, directory)).until), now());
  await db.updateTable("certificates").set({ nextAt: now() }).where("name", "=", domain.slug).execute();
  return await report(deps, domain, { ...row, nextAt: now() });
}

/** An order that the authority limits waits for the time that it named, which is the row's next attempt. */
function earliestRetry({ problemKind, triedAt, failures, nextAt }: CertificateRow): number {
  if (triedAt === null) return 0;
  if (problemKind === "dns" || problemKind === "caa") return triedAt + dnsRetryEveryMs;
  return problemKind === "authority" && failures === 0 ? nextAt : triedAt + retryEveryMs;
}

function refuseEarly(earliest: number, now: number): void {
  if (earliest <= now) return;
  const retryAfterSeconds = Math.ceil((earliest - now) / secondMs);
  throw new Problem("rate_limit_exceeded", "The certificate authority limits attempts. Try again later.", {
    retryAfterSeconds,
  });
}

async function findRow(db: Db, name: string): Promise<CertificateRow | undefined> {
  return await db.selectFrom("certificates").selectAll().where("name", "=", name).executeTakeFirst();
}

async function report(deps: Deps, domain: DomainRow, row: CertificateRow | undefined): Promise<CertificateReport> {
  return reportOf(deps, domain, { row, pause: await pauseOf(deps) });
}

/** The pause of the account at the authority; none when this instance orders no certificates. */
async function pauseOf({ db, certificates: { orders } }: Deps): Promise<Pause> {
  return orders === undefined ? { until: 0, problem: null } : await accountPause(db, orders.authority.directory);
}

type Pause = { until: number; problem: string | null };

function reportOf(
  { now, certificates: { orders } }: Deps,
  { slug, status }: DomainRow,
  { row, pause }: { row: CertificateRow | undefined; pause: Pause },
): CertificateReport {
  const none = { slug, notBefore: null, notAfter: null, problem: null, nextAttemptAt: null };
  if (status === "pending") return { ...none, state: orders === undefined ? "off" : "unverified" };
  if (orders === undefined || !isCertifiable(slug)) return { ...none, state: "off" };
  if (row === undefined) return { ...none, state: "ordering" };
  const isPaused = pause.until > now();
  const state = certificateState(row, now());
  return {
    slug,
    state,
    notBefore: isoTimeOrNull(row.notBefore),
    notAfter: isoTimeOrNull(row.notAfter),
    // An order that waits for the account has no problem of its name.
    problem: row.problem ?? (state === "ordering" && isPaused ? pause.problem : null),
    nextAttemptAt: isoTimeOrNull(Math.max(row.nextAt, isPaused ? pause.until : 0)),
  };
}
