/**
 * The background work: finds names without a certificate and certificates to renew, and orders them.
 *
 * 1. Names are the instance's host, every domain that a workspace has proven, and "www." before it. Each has its own
 *    certificate, so that none waits for the DNS of another. DNS is asked before the authority; names of domains come
 *    before the optional ones.
 * 2. A few orders run at a time. After a failure that concerns the account, one runs alone, and the others wait until it
 *    succeeds.
 * 3. A limit of the authority may concern one registered domain, and a workspace can have thousands of names below it. After
 *    a refusal, they all wait, so that the next order is one of another workspace; see acme-account.ts.
 * 4. Which names are due, and in which order workspaces take turns: due-certificates.ts.
 */
import type { Log } from "../base/log.ts";
import { minuteMs } from "../base/time.ts";
import type { CertificateProblemKind } from "../database/certificate-tables.ts";
import { changeInBatches } from "../database/change-in-batches.ts";
import type { Resolver } from "../domains/dns.ts";
import type { RoutingTarget } from "../domains/report-dns.ts";
import {
  accountPause,
  isAccountClosed,
  openAccount,
  pauseAccount,
  replaceAccount,
  resumeAccount,
  storedAccount,
} from "./acme-account.ts";
import type { AcmeAccount } from "./acme-calls.ts";
import { AuthorityProblem } from "./authority.ts";
import { type CertificateRow, retryPauseMs } from "./certificate.ts";
import { dueCertificates, namesPerStepMax } from "./due-certificates.ts";
import {
  changeCertificate,
  type OrderDeps,
  OrderInterrupted,
  OrderRefused,
  OrderUndecided,
  orderCertificate,
} from "./order-certificate.ts";
import { checkPreflight } from "./preflight.ts";
import { findProvenDomain, namesWithoutRow, workspaceOfName } from "./proven-names.ts";
import { WrongSecret } from "./sealed-keys.ts";

/** The most concurrent orders; each waits for the authority most of its time. */
const concurrentOrdersMax = 8;
/** A step reads no further page of domains once it has this many names. */
const addedPerStepMax = 200;
/** The next attempt of an order whose outcome is open. */
const undecidedRetryMs = 5 * minuteMs;
const secretRetryMs = 15 * minuteMs;

/** What the background work uses. */
export type DueDeps = OrderDeps & {
  log: Log;
  resolver: Pick<Resolver, "lookup">;
  target: RoutingTarget;
  email: string | undefined;
};

/** What the orders of one step share. */
type Step = {
  stopping: AbortSignal;
  account: () => Promise<AcmeAccount>;
  caaIdentities: () => Promise<string[] | null>;
  /** Set when a failure concerns all names: the others of the step wait for the next one. */
  isPaused: boolean;
  /** The end of the pause. Orders that ran at the same time count as one failure, which pauses once. */
  pausedUntil?: Promise<number>;
};

/** Orders the due certificates, at most namesPerStepMax; "again" when more may be due. */
export async function orderDueCertificates(deps: DueDeps, stopping: AbortSignal): Promise<"again" | "idle"> {
  await addNames(deps);
  const accountPaused = await accountPause(deps, deps.authority.directory);
  if (accountPaused.until > deps.now()) return "idle";
  const due = await dueCertificates(deps);
  if (due.length === 0) return "idle";
  await storedAccount(deps, deps.authority.directory);
  const step: Step = {
    stopping,
    account: once(() => openAccount(deps)),
    caaIdentities: once(() => deps.authority.call("caaIdentities", undefined)),
    isPaused: false,
  };
  const queue = due.values();
  const run = async () => {
    for (const row of queue) {
      if (step.isPaused || stopping.aborted) return;
      await attempt(deps, step, row);
    }
  };
  if (accountPaused.failures > 0) {
    // Names that wait for their DNS say nothing about the account, and a workspace may have a thousand of them.
    for (const row of queue) {
      const asked = await attempt(deps, step, row);
      if (asked || step.isPaused || stopping.aborted) break;
    }
    return step.isPaused ? "idle" : "again";
  }
  await Promise.all(Array.from({ length: concurrentOrdersMax }, run));
  return step.isPaused || due.length < namesPerStepMax ? "idle" : "again";
}

/** Runs the work at the first call; later calls get the same result. */
function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** Adds the names that have no row yet. */
async function addNames({ db, now }: Pick<DueDeps, "db" | "now">): Promise<void> {
  const missing = await namesWithoutRow(db, addedPerStepMax);
  const at = now();
  const rows = missing.map((name) => newRow(name, at));
  if (rows.length === 0) return;
  await db
    .insertInto("certificates")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function newRow(name: string, at: number): CertificateRow {
  return {
    ...{ name, chain: null, sealedKey: null, notBefore: null, notAfter: null },
    ...{ orderUrl: null, orderKey: null, challenge: null, problemKind: null, problem: null, failures: 0 },
    ...{ nextAt: at, triedAt: null, orderedAt: null, orderedFor: null, createdAt: at, changedAt: at },
  };
}

/** Attempts one order; false when DNS or a missing domain rules it out, so that the authority was not asked. */
async function attempt(deps: DueDeps, step: Step, row: CertificateRow): Promise<boolean> {
  const { db, now, log } = deps;
  const domain = await findProvenDomain(db, row.name);
  if (domain === undefined) return false;
  const attempted = { row, workspaceId: domain.workspaceId };
  await changeCertificate(db, row.name, { triedAt: now() });
  try {
    if (await failsPreflight(deps, step, { domain, name: row.name }, row)) return false;
    await orderCertificate(deps, await step.account(), attempted, step.stopping);
    await resumeAccount(db, deps.authority.directory);
    log.info("A certificate was issued.", { name: row.name });
  } catch (error) {
    await recordFailure(deps, step, attempted, error);
  }
  return true;
}

async function failsPreflight(
  deps: DueDeps,
  step: Step,
  host: Parameters<typeof checkPreflight>[1],
  row: CertificateRow,
): Promise<boolean> {
  const failure = await checkPreflight(deps, host, await step.caaIdentities());
  if (failure === undefined) return false;
  await postpone(deps, row, { kind: failure.kind, text: failure.text, isOrderOver: false });
  return true;
}

/** A failed attempt at a name of a workspace. */
type Attempted = { row: CertificateRow; workspaceId: number };

async function recordFailure(deps: DueDeps, step: Step, attempted: Attempted, error: unknown): Promise<void> {
  const { row } = attempted;
  if (error instanceof OrderInterrupted) return;
  if (error instanceof OrderUndecided) {
    const nextAt = deps.now() + undecidedRetryMs;
    return await postpone(deps, row, { kind: "authority", text: error.message, nextAt, isOrderOver: false });
  }
  if (error instanceof OrderRefused) {
    return await postpone(deps, row, { kind: "authority", text: error.message, isOrderOver: true });
  }
  if (error instanceof WrongSecret) {
    step.isPaused = true;
    const nextAt = deps.now() + secretRetryMs;
    return await postpone(deps, row, { kind: "secret", text: error.message, nextAt, isOrderOver: false });
  }
  if (!(error instanceof AuthorityProblem)) throw error;
  await recordProblem(deps, step, attempted, error);
}

async function recordProblem(deps: DueDeps, step: Step, attempted: Attempted, error: AuthorityProblem): Promise<void> {
  const { row, workspaceId } = attempted;
  const { problem } = error;
  if (problem.kind === "unreachable") {
    const nextAt = await pause(deps, step, problem);
    return await postpone(deps, row, { kind: "unreachable", text: problem.text, nextAt, isOrderOver: false });
  }
  const failure = { kind: "authority", text: problem.text } as const;
  if (problem.type === "rateLimited") {
    const delay = problem.retryAfterMs === null ? {} : { nextAt: deps.now() + problem.retryAfterMs };
    // Otherwise a workspace would pause all orders again with each name that it adds.
    const isKnown = await isLimited(deps, workspaceId);
    await postpone(deps, row, { ...failure, ...delay, isOrderOver: false });
    if (isKnown) return;
    const pausedUntil = await pause(deps, step, problem);
    return await postponeOthers(deps, workspaceId, delay.nextAt ?? pausedUntil);
  }
  if (isAccountClosed(error) && !step.isPaused) {
    step.isPaused = true;
    deps.log.warn("The authority does not accept the ACME account any more.", { reason: problem.text });
    const isReplaced = await replaceAccount(deps, deps.authority.directory);
    const nextAt = isReplaced ? deps.now() : await pause(deps, step, problem);
    return await postpone(deps, row, { ...failure, nextAt, isOrderOver: true });
  }
  if (accountProblems.includes(problem.type)) {
    const nextAt = await pause(deps, step, problem);
    return await postpone(deps, row, { ...failure, nextAt, isOrderOver: false });
  }
  await postpone(deps, row, { ...failure, isOrderOver: true });
}

/** Pauses all orders, and returns the end of the pause. */
async function pause(deps: DueDeps, step: Step, problem: AuthorityProblem["problem"]): Promise<number> {
  step.isPaused = true;
  step.pausedUntil ??= pauseAccount(deps, problem);
  return await step.pausedUntil;
}

/** Problems of a registration, which no name can change (RFC 8555, 6.7). */
const accountProblems: readonly string[] = [
  "externalAccountRequired",
  "invalidContact",
  "unsupportedContact",
  "userActionRequired",
  "badPublicKey",
];

type Failure = {
  kind: CertificateProblemKind;
  text: string;
  /** The next attempt; by the row's back-off when absent. */
  nextAt?: number;
  /** False when the next attempt can continue the order. */
  isOrderOver: boolean;
};

async function postpone(deps: DueDeps, row: CertificateRow, failure: Failure): Promise<void> {
  const { db, now, random, log, refresh } = deps;
  const at = now();
  // Only refusals count: an authority that is down is not the name's fault.
  const failures = row.failures + (failure.nextAt === undefined ? 1 : 0);
  const nextAt = failure.nextAt ?? at + retryPauseMs(failure.kind, failures, random());
  await changeCertificate(db, row.name, {
    ...{ problemKind: failure.kind, problem: failure.text, failures, nextAt },
    ...(failure.isOrderOver ? { orderUrl: null, orderKey: null, challenge: null, changedAt: at } : {}),
  });
  if (failure.isOrderOver) await refresh();
  const { name } = row;
  log.warn("A certificate was not issued.", {
    name,
    reason: failure.text,
    nextAttemptAt: new Date(nextAt).toISOString(),
  });
}

/** True while a name of the workspace waits because the authority limits it. */
async function isLimited({ db, now }: DueDeps, workspaceId: number): Promise<boolean> {
  const waiting = await db
    .selectFrom("certificates")
    .select("name")
    .where("problemKind", "=", "authority")
    .where("failures", "=", 0)
    .where("nextAt", ">", now())
    .where(workspaceOfName(db), "=", workspaceId)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

/** Postpones all due names of a workspace. */
async function postponeOthers({ db, now }: DueDeps, workspaceId: number, nextAt: number): Promise<void> {
  const at = now();
  await changeInBatches(db, async (tx, rowsMax) => {
    const due = tx
      .selectFrom("certificates")
      .select("name")
      .where("nextAt", "<=", at)
      .where(workspaceOfName(tx), "=", workspaceId)
      .limit(rowsMax);
    const { numUpdatedRows } = await tx
      .updateTable("certificates")
      .set({ nextAt })
      .where("name", "in", due)
      .executeTakeFirstOrThrow();
    return numUpdatedRows;
  });
}
