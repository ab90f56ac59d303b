/**
 * One Waypost per PostgreSQL database: a session-level advisory lock on a connection that does nothing else.
 *
 * 1. PostgreSQL releases the lock when the session ends, so no crash leaves it behind. When the holder's machine is
 *    unreachable, the server ends the session after about 25 seconds without a TCP acknowledgement.
 * 2. A lock whose connection broke is taken again as soon as PostgreSQL answers. Until then the service continues:
 *    nobody else has the lock while PostgreSQL is down.
 * 3. When another process has taken the lock in that time, `lost` resolves: two writers would split the reports, and
 *    clicks erased through one would stay with the other.
 * 4. A pooler that gives each statement or transaction another session breaks this; it must pool whole sessions.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "pg";
import { secondMs } from "../base/time.ts";
import { endPostgresClient, openPostgresClient } from "./postgres-client.ts";

/** "wayp" in ASCII: keeps our lock apart from those of other programs in the same database. */
const lockClass = 0x77617970;
const queryTimeoutMs = 5 * secondMs;
/** Interval of the checks of a held lock's connection. */
const checkEveryMs = 5 * secondMs;
/** Pause between two attempts to take the lock. */
const retryEveryMs = secondMs / 4;
const hostCharactersMax = 24;

/** The lock of a database, held until it is released or lost. */
export type DatabaseLock = {
  /** Resolves with the process that took the lock after this one lost its connection; usually never. */
  readonly lost: Promise<LockHolder>;
  release(): Promise<void>;
};

/** The process that holds a lock, as PostgreSQL reports it: "" for unknown parts. */
export type LockHolder = { host: string; pid: string };

type Attempt = { kind: "held"; client: Client } | { kind: "taken"; by: LockHolder; isOwnSession: boolean };

/**
 * Takes the lock of the database at `url`, and waits for it up to `waitMaxMs`; returns the holder when another process
 * keeps it.
 * Throws the driver's error when PostgreSQL does not answer.
 */
export async function lockPostgres(
  url: string,
  waitMaxMs: number,
): Promise<{ kind: "held"; lock: DatabaseLock } | { kind: "taken"; by: LockHolder }> {
  const session = sessionName();
  const until = performance.now() + waitMaxMs;
  for (;;) {
    const attempt = await tryToLock(url, session);
    if (attempt.kind === "held") return { kind: "held", lock: new HeldLock(url, session, attempt.client) };
    if (performance.now() >= until) return attempt;
    await Bun.sleep(retryEveryMs);
  }
}

class HeldLock implements DatabaseLock {
  readonly #url: string;
  readonly #session: string;
  readonly #lost = Promise.withResolvers<LockHolder>();
  readonly #timer: Timer;
  /** Undefined while the connection is broken. */
  #client: Client | undefined;
  #isReleased = false;

  constructor(url: string, session: string, client: Client) {
    this.#url = url;
    this.#session = session;
    this.#keep(client);
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
  }

  get lost(): Promise<LockHolder> {
    return this.#lost.promise;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    clearInterval(this.#timer);
    await endPostgresClient(this.#client);
  }

  #keep(client: Client): void {
    this.#client = client;
    client.once("end", () => {
      this.#client = undefined;
      if (!this.#isReleased) void this.#takeAgain();
    });
  }

  /** Closes a connection that no longer answers, so that the lock is taken again. */
  async #check(): Promise<void> {
    const client = this.#client;
    try {
      await client?.query("select 1");
    } catch {
      await endPostgresClient(client);
    }
  }

  async #takeAgain(): Promise<void> {
    while (!this.#isReleased) {
      // A failure means that PostgreSQL is down, which the queries that need it report.
      const attempt = await tryToLock(this.#url, this.#session).catch(() => undefined);
      if (attempt?.kind === "held") {
        if (this.#isReleased) await endPostgresClient(attempt.client);
        else this.#keep(attempt.client);
        return;
      }
      if (attempt?.kind === "taken" && !attempt.isOwnSession) {
        this.#lost.resolve(attempt.by);
        return;
      }
      await Bun.sleep(retryEveryMs);
    }
  }
}

async function tryToLock(url: string, session: string): Promise<Attempt> {
  const client = await openPostgresClient(url, { query_timeout: queryTimeoutMs, keepAlive: true });
  try {
    await client.query(prepareSession, [session]);
    const { rows } = await client.query<{ held: boolean }>(takeLock, [lockClass]);
    if (rows[0]?.held === true) return { kind: "held", client };
    const holders = await client.query<{ session: string }>(findHolder, [lockClass]);
    const holder = holders.rows[0]?.session ?? "";
    await endPostgresClient(client);
    return { kind: "taken", by: holderOf(holder), isOwnSession: holder === session };
  } catch (error) {
    await endPostgresClient(client);
    throw error;
  }
}

/** The server notices within 10 + 3 × 5 seconds that the other machine is gone. */
const prepareSession = `select set_config('application_name', $1, false), set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`;

/** Each schema of a database may have one Waypost: both numbers together identify the lock. */
const schemaNumber = "hashtext(current_schema()) & 2147483647";
const takeLock = `select pg_try_advisory_lock($1::int, ${schemaNumber}) as held`;
const findHolder = `select activity.application_name as session
  from pg_locks locks join pg_stat_activity activity using (pid)
  where locks.locktype = 'advisory' and locks.granted and locks.classid = $1::int::oid
    and locks.objid = (${schemaNumber})::oid and activity.datname = current_database()`;

/** The name of this process in PostgreSQL, at most 63 characters; the last part tells it from its successors. */
function sessionName(): string {
  const host = hostname()
    .replace(/[^\w.-]/g, "")
    .slice(0, hostCharactersMax);
  return `waypost ${host} ${process.pid} ${randomUUID().slice(0, 8)}`;
}

function holderOf(session: string): LockHolder {
  const [, host = "", pid = ""] = /^waypost (\S*) (\d+) \w+$/.exec(session) ?? [];
  return { host, pid };
}
