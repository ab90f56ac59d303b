/**
 * The lock of a PostgreSQL database: session-level advisory locks on a connection that does nothing else. With clicks in
 * a file, one Waypost at a time has the database for itself. With clicks in ClickHouse, nodes share it: each node also
 * locks its id, one of them leads, and starts take turns.
 *
 * 1. PostgreSQL releases the lock when the session ends, so no crash leaves it behind. When the holder's machine is
 *    unreachable, the server ends the session after about 25 seconds without a TCP acknowledgement; when the holder is
 *    frozen, after a minute without a query.
 * 2. A lock whose connection broke is taken again as soon as PostgreSQL answers. Until then the service continues:
 *    nobody else has the lock while PostgreSQL is down.
 * 3. When another process has taken the lock in that time, `lost` resolves: two writers of files would split the reports,
 *    and clicks erased through one would stay with the other.
 * 4. A pooler that gives each statement or transaction another session breaks this; it must pool whole sessions.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "pg";
import { minuteMs, secondMs } from "../base/time.ts";
import { endPostgresClient, openPostgresClient } from "./postgres-client.ts";

/** "wayp", "wayn", "wayl" and "ways" in ASCII: keep our locks apart from those of other programs in the same database. */
const lockClass = 0x77617970;
const nodeClass = 0x7761796e;
const leaderClass = 0x7761796c;
const startClass = 0x77617973;
const queryTimeoutMs = 5 * secondMs;
/** Interval of the checks of a held lock's connection. */
const checkEveryMs = 5 * secondMs;
/**
 * PostgreSQL ends a session that sends nothing for this long: its process is frozen, although its machine still answers.
 * Twelve checks, so that no busy process loses its lock.
 */
const idleMaxMs = minuteMs;
/** Pause between two attempts to take the lock. */
const retryEveryMs = secondMs / 4;
/** The longest that a start waits for the start of another node, which may migrate the database. */
const startWaitMaxMs = 10 * minuteMs;
const hostCharactersMax = 24;

/** How a process uses the database: alone, or as one of several nodes, each with an id. */
export type LockClaim = { kind: "alone" } | { kind: "shared"; nodeId: string };

/** The lock of a database, held until it is released or lost. */
type DatabaseLock = {
  /** Resolves with the process that took the lock after this one lost its connection; usually never. */
  readonly lost: Promise<LockHolder>;
  /**
   * Makes this process the leader if no node leads, and returns how many times it has become the leader, from 1;
   * undefined while another node leads. Leading ends with the connection.
   */
  lead(): Promise<number | undefined>;
  /** Runs the start of a node while no other node starts. Throws the driver's error when the connection is broken. */
  startAlone<Result>(start: () => Promise<Result>): Promise<Result>;
  release(): Promise<void>;
};

/** The process that holds a lock, as PostgreSQL reports it: "" for unknown parts. */
export type LockHolder = { host: string; pid: string };

/** `what` is taken: the database, or the id of the node, which then runs elsewhere. */
type Taken = { kind: "taken"; what: "database" | "node"; by: LockHolder };
type Attempt = { kind: "held"; client: Client } | (Taken & { isOwnSession: boolean });

/**
 * Takes the lock of the database at `url`, and waits for it up to `waitMaxMs`; returns the holder when another process
 * keeps it.
 * Throws the driver's error when PostgreSQL does not answer.
 */
export async function lockPostgres(
  url: string,
  claim: LockClaim,
  waitMaxMs: number,
): Promise<{ kind: "held"; lock: DatabaseLock } | Taken> {
  const session = sessionName();
  const until = performance.now() + waitMaxMs;
  for (;;) {
    const attempt = await tryToLock(url, claim, session);
    if (attempt.kind === "held") return { kind: "held", lock: new HeldLock(url, claim, session, attempt.client) };
    if (performance.now() >= until) return attempt;
    await Bun.sleep(retryEveryMs);
  }
}

class HeldLock implements DatabaseLock {
  readonly #url: string;
  readonly #claim: LockClaim;
  readonly #session: string;
  readonly #lost = Promise.withResolvers<LockHolder>();
  readonly #timer: Timer;
  /** Undefined while the connection is broken. */
  #client: Client | undefined;
  #isReleased = false;
  #leads = false;
  /** How often this process has begun to lead. */
  #timesLed = 0;

  constructor(url: string, claim: LockClaim, session: string, client: Client) {
    this.#url = url;
    this.#claim = claim;
    this.#session = session;
    this.#keep(client);
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
  }

  get lost(): Promise<LockHolder> {
    return this.#lost.promise;
  }

  async lead(): Promise<number | undefined> {
    const client = this.#client;
    if (this.#leads) return this.#timesLed;
    if (client === undefined) return undefined;
    const { rows } = await client.query<{ held: boolean }>(takeLock, [leaderClass]);
    // The connection may have broken since.
    if (rows[0]?.held !== true || this.#client !== client) return undefined;
    this.#leads = true;
    this.#timesLed++;
    return this.#timesLed;
  }

  async startAlone<Result>(start: () => Promise<Result>): Promise<Result> {
    if (this.#claim.kind === "alone") return await start();
    const client = this.#client;
    // Without its connection, this node has no turn. The driver throws the same when a query finds it broken.
    if (client === undefined) throw new Error("Connection terminated");
    const until = performance.now() + startWaitMaxMs;
    for (;;) {
      const { rows } = await client.query<{ held: boolean }>(takeLock, [startClass]);
      if (rows[0]?.held === true) break;
      if (performance.now() >= until) throw new Error("Another node has been starting for ten minutes.");
      await Bun.sleep(retryEveryMs);
    }
    try {
      return await start();
    } finally {
      // A broken connection has released it.
      await client.query(releaseLock, [startClass]).catch(() => {});
    }
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
      this.#leads = false;
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
      const attempt = await tryToLock(this.#url, this.#claim, this.#session).catch(() => undefined);
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

async function tryToLock(url: string, claim: LockClaim, session: string): Promise<Attempt> {
  const client = await openPostgresClient(url, { query_timeout: queryTimeoutMs, keepAlive: true });
  try {
    await client.query(prepareSession, [session]);
    const database = claim.kind === "alone" ? takeLock : shareLock;
    const { rows } = await client.query<{ held: boolean }>(database, [lockClass]);
    if (rows[0]?.held !== true) return await takenBy(client, session, "database", [lockClass, null]);
    if (claim.kind === "alone") return { kind: "held", client };
    const node = await client.query<{ held: boolean }>(takeNodeLock, [nodeClass, claim.nodeId]);
    if (node.rows[0]?.held === true) return { kind: "held", client };
    return await takenBy(client, session, "node", [nodeClass, claim.nodeId]);
  } catch (error) {
    await endPostgresClient(client);
    throw error;
  }
}

async function takenBy(
  client: Client,
  session: string,
  what: Taken["what"],
  lock: [number, string | null],
): Promise<Attempt> {
  const { rows } = await client.query<{ session: string }>(findHolder, lock);
  const holder = rows.map((row) => row.session).find((other) => other !== session) ?? rows[0]?.session ?? "";
  await endPostgresClient(client);
  return { kind: "taken", what, by: holderOf(holder), isOwnSession: holder === session };
}

/**
 * The server notices within 10 + 3 × 5 seconds that the other machine is gone. Before version 14, PostgreSQL has no
 * idle_session_timeout.
 */
const prepareSession = `select set_config('application_name', $1, false), set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  (select set_config(name, '${idleMaxMs}', false) from pg_settings where name = 'idle_session_timeout')`;

/** Each schema of a database may have one Waypost: both numbers together identify the lock. */
const schemaNumber = "hashtext(current_schema()) & 2147483647";
const takeLock = `select pg_try_advisory_lock($1::int, ${schemaNumber}) as held`;
const releaseLock = `select pg_advisory_unlock($1::int, ${schemaNumber})`;
const shareLock = `select pg_try_advisory_lock_shared($1::int, ${schemaNumber}) as held`;
const nodeNumber = "hashtext(current_schema() || $2::text) & 2147483647";
const takeNodeLock = `select pg_try_advisory_lock($1::int, ${nodeNumber}) as held`;
const findHolder = `select activity.application_name as session
  from pg_locks locks join pg_stat_activity activity using (pid)
  where locks.locktype = 'advisory' and locks.granted and locks.classid = $1::int::oid
    and locks.objid = (case when $2::text is null then ${schemaNumber} else ${nodeNumber} end)::oid and activity.datname = current_database()`;

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
