/**
 * Orders one certificate.
 *
 * 1. The order's URL and the certificate's key are stored before the authority acts on them, so that a restart
 *    continues the order and never orders the same certificate twice.
 * 2. The answer to a challenge is visible in every process before the authority is told to look for it.
 * 3. The former certificate stays in use until the new one is stored. Both keys belong to the row, and the chain and
 *    its key change in one statement.
 * 4. Every change is a transaction, which fails on a node that another one has replaced as the leader (nodes/leader.ts).
 *    The new leader continues the order, so two nodes never order the same certificate twice.
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Updateable } from "kysely";
import { pause } from "../base/pause.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { newPrivateKey } from "./acme-account.ts";
import type { AcmeAccount, AcmeOrder, ChallengeType } from "./acme-calls.ts";
import { type Authority, AuthorityProblem } from "./authority.ts";
import { type CertificateRow, renewalAt } from "./certificate.ts";
import { formatChallenge } from "./challenge.ts";
import type { SealedKeys } from "./sealed-keys.ts";

/** How long the authority may take to check a challenge, and to issue the certificate. */
const decisionMsMax = 2 * minuteMs;
/** Pauses between two questions about its decision; the last one repeats. */
const pollPausesMs = [500, secondMs, 2 * secondMs, 3 * secondMs, 5 * secondMs];

/** What an order uses. */
export type OrderDeps = {
  db: Db;
  now: () => number;
  /** From 0 to 1. */
  random: () => number;
  keys: SealedKeys;
  authority: Authority;
  challengeType: ChallengeType;
  /** Makes the changes of the database visible to handshakes of this process. */
  refresh: () => Promise<void>;
  /** How long the other processes take to see a change; 0 if there are none. */
  visibleAfterMs: number;
};

/** The authority refused the name: its problem of the order or challenge. */
export class OrderRefused extends Error {
  override readonly name = "OrderRefused";
}

/** The authority has not decided yet; the next attempt continues the order. */
export class OrderUndecided extends Error {
  override readonly name = "OrderUndecided";
}

/** The service stops; the next start continues the order. */
export class OrderInterrupted extends Error {
  override readonly name = "OrderInterrupted";
}

/**
 * Orders a certificate for the row's name, or continues its order, and stores it. A new order counts for the workspace.
 * Throws OrderRefused, OrderUndecided, OrderInterrupted, AuthorityProblem and WrongSecret.
 */
export async function orderCertificate(
  deps: OrderDeps,
  account: AcmeAccount,
  { row, workspaceId }: { row: CertificateRow; workspaceId: number },
  stopping: AbortSignal,
): Promise<void> {
  const { authority, keys } = deps;
  const { name } = row;
  const { order: started, key } =
    (await continueOrder(deps, account, row)) ?? (await beginOrder(deps, account, { name, workspaceId }));
  let order = started;
  if (order.status === "pending") {
    await proveControl(deps, account, { name, orderUrl: order.url }, stopping);
    order = await decidedOrder(deps, account, order.url, stopping);
  }
  if (order.status === "ready") {
    order = await authority.call("finalize", { ...account, orderUrl: order.url, name, key });
    if (order.status !== "valid") order = await decidedOrder(deps, account, order.url, stopping);
  }
  if (order.status !== "valid") throw new OrderRefused(order.problem?.text ?? `The order is ${order.status}.`);
  const chain = await authority.call("download", { ...account, orderUrl: order.url });
  await storeCertificate(deps, name, { chain, key, sealedKey: keys.seal(key, "certificates.sealedKey", name) });
}

type Started = { order: AcmeOrder; key: string };

/** Returns undefined when there is no order that can still succeed. */
async function continueOrder(
  { authority, keys }: OrderDeps,
  account: AcmeAccount,
  { name, orderUrl, orderKey }: CertificateRow,
): Promise<Started | undefined> {
  if (orderUrl === null || orderKey === null) return undefined;
  const key = keys.open(orderKey, "certificates.orderKey", name);
  try {
    const order = await authority.call("readOrder", { ...account, url: orderUrl });
    return order.status === "invalid" ? undefined : { order, key };
  } catch (error) {
    if (error instanceof AuthorityProblem && isForgotten(error)) return undefined;
    throw error;
  }
}

/** True when the authority does not know the order any more, or it belongs to an earlier account. */
function isForgotten({ problem }: AuthorityProblem): boolean {
  return problem.kind === "refused" && !["rateLimited", "accountDoesNotExist"].includes(problem.type);
}

async function beginOrder(
  { db, now, authority, keys }: OrderDeps,
  account: AcmeAccount,
  { name, workspaceId }: { name: string; workspaceId: number },
): Promise<Started> {
  const key = await newPrivateKey();
  const order = await authority.call("createOrder", { ...account, name });
  const orderKey = keys.seal(key, "certificates.orderKey", name);
  await changeCertificate(db, name, { orderUrl: order.url, orderKey, orderedAt: now(), orderedFor: workspaceId });
  return { order, key };
}

async function proveControl(
  deps: OrderDeps,
  account: AcmeAccount,
  { name, orderUrl }: { name: string; orderUrl: string },
  stopping: AbortSignal,
): Promise<void> {
  const { authority, challengeType } = deps;
  const found = await authority.call("readAuthorization", { ...account, orderUrl, type: challengeType });
  if (found.status === "invalid") throw new OrderRefused(found.problem.text);
  if (found.status === "pending") {
    await showChallenge(deps, name, formatChallenge(found.challenge), stopping);
    await authority.call("completeChallenge", { ...account, url: found.challengeUrl });
  }
  const decided = await untilDecided(deps, stopping, async () => {
    const { status, ...rest } = await authority.call("readAuthorization", { ...account, orderUrl, type: null });
    return status === "processing" || status === "pending" ? undefined : { status, ...rest };
  });
  if (decided.status === "valid") return;
  throw new OrderRefused("problem" in decided ? decided.problem.text : "The authority refused the challenge.");
}

async function showChallenge(
  { db, now, keys, refresh, visibleAfterMs }: OrderDeps,
  name: string,
  challenge: string,
  stopping: AbortSignal,
): Promise<void> {
  const sealed = keys.seal(challenge, "certificates.challenge", name);
  await changeCertificate(db, name, { challenge: sealed, changedAt: now() });
  await refresh();
  await pauseOrder(visibleAfterMs, stopping);
}

/** Waits until the order is neither pending nor processing. */
async function decidedOrder(
  deps: OrderDeps,
  account: AcmeAccount,
  url: string,
  stopping: AbortSignal,
): Promise<AcmeOrder> {
  return await untilDecided(deps, stopping, async () => {
    const order = await deps.authority.call("readOrder", { ...account, url });
    return order.status === "pending" || order.status === "processing" ? undefined : order;
  });
}

/** Polls the authority until `readDecision` returns a value. Throws OrderUndecided after decisionMsMax. */
async function untilDecided<Value>(
  { now }: OrderDeps,
  stopping: AbortSignal,
  readDecision: () => Promise<Value | undefined>,
): Promise<Value> {
  const until = now() + decisionMsMax;
  for (let polls = 0; now() < until; polls++) {
    const decision = await readDecision();
    if (decision !== undefined) return decision;
    await pauseOrder(pollPausesMs[Math.min(polls, pollPausesMs.length - 1)] ?? secondMs, stopping);
  }
  throw new OrderUndecided("The authority has not decided in time.");
}

async function pauseOrder(ms: number, stopping: AbortSignal): Promise<void> {
  await pause(ms, stopping);
  if (stopping.aborted) throw new OrderInterrupted("The service stops.");
}

async function storeCertificate(
  { db, now, random, refresh }: OrderDeps,
  name: string,
  { chain, key, sealedKey }: { chain: string; key: string; sealedKey: string },
): Promise<void> {
  const lifetime = lifetimeOf(chain, key, name);
  await changeCertificate(db, name, {
    ...{ chain, sealedKey, ...lifetime },
    ...{ orderUrl: null, orderKey: null, challenge: null },
    ...{ problemKind: null, problem: null, failures: 0 },
    ...{ nextAt: renewalAt(lifetime, random()), changedAt: now() },
  });
  await refresh();
}

/** Changes the row of a name. Throws on a node that another one has replaced as the leader. */
export async function changeCertificate(
  db: Db,
  name: string,
  changes: Updateable<Schema["certificates"]>,
): Promise<void> {
  await transact(db, (tx) => tx.updateTable("certificates").set(changes).where("name", "=", name).execute());
}

/** Checks that the chain is what was ordered. */
function lifetimeOf(chain: string, key: string, name: string): { notBefore: number; notAfter: number } {
  const leaf = new X509Certificate(chain);
  if (leaf.checkHost(name) === undefined) throw new OrderRefused(`The authority's certificate is not for ${name}.`);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) {
    throw new OrderRefused("The authority's certificate is for another key.");
  }
  return { notBefore: Date.parse(leaf.validFrom), notAfter: Date.parse(leaf.validTo) };
}
