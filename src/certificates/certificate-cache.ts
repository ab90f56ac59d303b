/**
 * The certificates of one process, in memory.
 *
 * 1. A handshake only reads memory. `refresh` reads what has changed in the database since the last time; the process
 *    that orders certificates calls it after each change, the others every second.
 * 2. Changes are found by `changedAt`. Reading an overlap covers commits that become visible out of order; reading
 *    everything from time to time covers deleted rows and a clock that was set back.
 * 3. Private keys stay encrypted until a handshake needs them. The last part of the chain, which most certificates
 *    share, is held once.
 */
import type { Log } from "../base/log.ts";
import { LruCache } from "../base/lru-cache.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { AcmeChallenge } from "./acme-calls.ts";
import type { CertificateCopy, CopiedColumns } from "./certificate-copy.ts";
import type { Certificate, CertificateSource } from "./certificate-source.ts";
import { parseChallenge } from "./challenge.ts";
import { type SealedKeys, WrongSecret } from "./sealed-keys.ts";

/** How often a process that may not order certificates refreshes. */
export const refreshEveryMs = secondMs;
/** Names in memory, about 2 KB each; more are logged and have no HTTPS. A domain can have two. */
const namesMax = 40_000;
/** Decrypted certificates, beyond those that the listener holds. */
const openedMax = 1_000;
const batchRowsMax = 500;
const overlapMs = 10 * secondMs;
const completeEveryMs = 10 * minuteMs;

/** `isUnreadable` once its key could not be opened: every visit over HTTP and every handshake would try and log it again. */
type Held = { changedAt: number; leaf: string; rest: string; sealedKey: string; isUnreadable?: boolean };

const columns = ["name", "chain", "sealedKey", "challenge", "changedAt"] as const satisfies (keyof CopiedColumns)[];

/** `copy` gets every certificate that is read. */
type Deps = { db: Db; keys: SealedKeys; now: () => number; log: Log; copy?: CertificateCopy };

/** See the top of this file. */
export class CertificateCache implements CertificateSource {
  readonly #deps: Deps;
  #held = new Map<string, Held>();
  #challenges = new Map<string, AcmeChallenge>();
  /** The shared parts of chains. */
  readonly #rests = new LruCache<string, string>(openedMax);
  readonly #opened = new LruCache<string, Certificate>(openedMax);
  #changedTo = 0;
  #completeAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #refreshesAgain = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  find(serverName: string): Certificate | undefined {
    const opened = this.#opened.get(serverName);
    if (opened !== undefined) return opened;
    const held = this.#held.get(serverName);
    if (held === undefined || held.isUnreadable === true) return undefined;
    const privateKey = this.#open(() => this.#deps.keys.open(held.sealedKey, "certificates.sealedKey", serverName));
    held.isUnreadable = privateKey === undefined;
    if (privateKey === undefined) return undefined;
    const certificate = { chain: held.leaf + held.rest, privateKey };
    this.#opened.set(serverName, certificate);
    return certificate;
  }

  findChallenge(serverName: string): Certificate | undefined {
    return this.#challenges.get(serverName)?.certificate ?? undefined;
  }

  httpChallengeResponse(token: string): string | undefined {
    // Few challenges run at a time.
    for (const challenge of this.#challenges.values()) {
      if (challenge.type === "http-01" && challenge.token === token) return challenge.keyAuthorization;
    }
    return undefined;
  }

  /** Reads all certificates of this node's copy. The next refresh reads everything again. */
  async readCopy(copy: Db): Promise<void> {
    await this.#read(copy, true);
  }

  /** Reads the changes up to now. Calls during a running refresh share the next one. */
  async refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#refreshesAgain = true;
      return await this.#refreshing;
    }
    this.#refreshing = this.#refreshUntilCurrent();
    try {
      await this.#refreshing;
    } finally {
      this.#refreshing = undefined;
    }
  }

  async #refreshUntilCurrent(): Promise<void> {
    do {
      this.#refreshesAgain = false;
      const now = this.#deps.now();
      const isComplete = now >= this.#completeAt || now < this.#completeAt - completeEveryMs;
      await this.#read(this.#deps.db, isComplete);
      if (isComplete) this.#completeAt = now + completeEveryMs;
    } while (this.#refreshesAgain);
  }

  async #read(db: Db, isComplete: boolean): Promise<void> {
    const from = isComplete ? Number.MIN_SAFE_INTEGER : this.#changedTo - overlapMs;
    const names = new Set<string>();
    let after = "";
    for (let rows = 0; rows < namesMax; rows += batchRowsMax) {
      const page = await changedRows(db, { from, after, isComplete });
      for (const row of page) {
        names.add(row.name);
        this.#take(row);
      }
      if (page.length > 0) this.#deps.copy?.store(page);
      after = page.at(-1)?.name ?? "";
      if (page.length < batchRowsMax) {
        if (isComplete) this.#keepOnly(names);
        return;
      }
    }
    this.#deps.log.error("There are more certificates than one process holds; some names have no HTTPS.", { namesMax });
  }

  #take({ name, chain, sealedKey, challenge, changedAt }: CopiedColumns): void {
    this.#changedTo = Math.max(this.#changedTo, changedAt);
    if (this.#held.get(name)?.changedAt === changedAt && challenge === null && !this.#challenges.has(name)) return;
    const opened =
      challenge === null
        ? undefined
        : this.#open(() => this.#deps.keys.open(challenge, "certificates.challenge", name));
    if (opened === undefined) this.#challenges.delete(name);
    else this.#challenges.set(name, parseChallenge(opened));
    if (chain === null || sealedKey === null) return;
    if (this.#held.get(name)?.sealedKey === sealedKey) return;
    this.#opened.delete(name);
    this.#held.set(name, { changedAt, sealedKey, ...this.#split(chain) });
  }

  #split(chain: string): { leaf: string; rest: string } {
    const end = chain.indexOf("-----BEGIN", 1);
    const leaf = end === -1 ? chain : chain.slice(0, end);
    const rest = end === -1 ? "" : chain.slice(end);
    const shared = this.#rests.get(rest);
    if (shared === undefined) this.#rests.set(rest, rest);
    return { leaf, rest: shared ?? rest };
  }

  #keepOnly(names: ReadonlySet<string>): void {
    this.#deps.copy?.keepOnly(names);
    for (const name of [...this.#held.keys(), ...this.#challenges.keys()]) {
      if (names.has(name)) continue;
      this.#held.delete(name);
      this.#challenges.delete(name);
      this.#opened.delete(name);
    }
  }

  /** Logs a wrong secret; the rows stay, and open again with the right one. */
  #open(work: () => string): string | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WrongSecret)) throw error;
      this.#deps.log.error("A certificate cannot be used.", { reason: error.message });
      return undefined;
    }
  }
}

type RowRange = { from: number; after: string; isComplete: boolean };

/** The next rows after the name `after` that have changed since `from`. */
async function changedRows(db: Db, { from, after, isComplete }: RowRange): Promise<CopiedColumns[]> {
  const changed = db
    .selectFrom("certificates")
    .select(columns)
    .where("changedAt", ">=", from)
    .where("name", ">", after)
    .orderBy("name")
    .limit(batchRowsMax);
  if (!isComplete) return await changed.execute();
  // Names that wait for their DNS hold nothing.
  return await changed
    .where((row) => row.or([row("chain", "is not", null), row("challenge", "is not", null)]))
    .execute();
}
