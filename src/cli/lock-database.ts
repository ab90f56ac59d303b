import type { Log } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { connect, type Db } from "../database/database.ts";
import { type LockClaim, type LockHolder, lockPostgres } from "../database/postgres-lock.ts";
import { databaseLocation } from "../database-location.ts";
import { isReporting } from "../nodes/is-reporting.ts";
import { Node } from "../nodes/node.ts";
import { becomeNewNode, nodeId, sharedFileSystemOf } from "../nodes/node-file.ts";
import { isKnownSpool } from "../nodes/other-spools.ts";
import { CliError } from "./cli-error.ts";
import { DatabaseError, explainFailure } from "./explain-failure.ts";

/** A process that is stopping or was killed releases its lock well within this time. */
const waitMaxMs = 5 * secondMs;
/** PostgreSQL releases the locks of a machine that has vanished after about 25 seconds (database/postgres-lock.ts). */
const goneWithinMs = 35 * secondMs;

/** The lock of the relational database. `node` is this process among the nodes that share it. */
type LockedDatabase = {
  node: Node | undefined;
  /** Runs the start of this node while no other one starts. Throws CliError when PostgreSQL does not answer. */
  startAlone<Result>(start: () => Promise<Result>): Promise<Result>;
  /** Resolves with an error for the operator when another process has taken the database; usually never. */
  readonly lost: Promise<CliError>;
  release(): Promise<void>;
};

/**
 * Locks the PostgreSQL database of the configuration. The lock of the data folder protects a SQLite file. With clicks in
 * ClickHouse, nodes share the database, unless `alone` is true.
 * Throws CliError when another Waypost holds the lock, or PostgreSQL does not answer.
 */
export async function lockDatabase(config: Config, log: Log | undefined, alone = false): Promise<LockedDatabase> {
  const location = databaseLocation(config);
  if (location.kind === "sqlite") {
    return { node: undefined, lost: new Promise(() => {}), startAlone: (start) => start(), async release() {} };
  }
  const { url } = location;
  if (config.WAYPOST_CLICKS_URL === undefined || alone) return await lock(config, url, { kind: "alone" });
  const paths = dataPaths(config);
  try {
    return await lock(config, url, { kind: "shared", nodeId: nodeId(paths.node) });
  } catch (error) {
    if (!(error instanceof NodeInUseError)) throw error;
    // Seconds pass without another line.
    log?.info("Another process has the id of this node. Waypost checks whether it still runs.", {
      nodeId: error.nodeId,
    });
    if (!(await withDatabaseOf(config, (db) => isReporting(db, error.nodeId)))) {
      return await lock(config, url, { kind: "shared", nodeId: error.nodeId }, goneWithinMs);
    }
    // On a network file system, it may be the same folder.
    if (sharedFileSystemOf(paths.data) !== undefined) throw error;
    const copied = await withDatabaseOf(config, (db) => becomeNewNode(paths, (spoolId) => isKnownSpool(db, spoolId)));
    const message = "The data folder is a copy of that of a running node, so it belongs to a new node now.";
    log?.warn(message, { copiedFrom: error.nodeId, nodeId: nodeId(paths.node), copiedSpool: copied });
    return await lock(config, url, { kind: "shared", nodeId: nodeId(paths.node) });
  }
}

/** Uses a separate connection, because this process has no lock yet. */
async function withDatabaseOf<Result>(config: Config, use: (db: Db) => Promise<Result>): Promise<Result> {
  const database = connect(databaseLocation(config), "full");
  try {
    return await use(database.db);
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    await database.close();
  }
}

/** Runs work while this process holds the lock of the database; see lockDatabase. */
export async function withDatabaseLock<Result>(
  config: Config,
  work: (node: Node | undefined) => Promise<Result>,
  { alone = false } = {},
): Promise<Result> {
  const held = await lockDatabase(config, undefined, alone);
  try {
    return await work(held.node);
  } finally {
    await held.release();
  }
}

async function lock(
  config: Config,
  url: string,
  claim: LockClaim,
  waitMs: number = waitMaxMs,
): Promise<LockedDatabase> {
  const explain = (error: unknown) => {
    throw explainFailure(error, config);
  };
  const result = await lockPostgres(url, claim, waitMs).catch(explain);
  if (result.kind === "taken" && result.what === "node" && claim.kind === "shared") {
    throw new NodeInUseError(claim.nodeId, result.by);
  }
  if (result.kind === "taken") throw databaseInUseError(url, result.by);
  const held = result.lock;
  return {
    node: claim.kind === "shared" ? new Node(claim.nodeId, held) : undefined,
    lost: held.lost.then((by) => databaseInUseError(url, by)),
    startAlone: (start) => held.startAlone(start).catch(explain),
    release: () => held.release(),
  };
}

class NodeInUseError extends CliError {
  readonly nodeId: string;

  constructor(nodeId: string, { host, pid }: LockHolder) {
    super(
      `WAYPOST_DATA: this data folder belongs to the node ${nodeId}, which runs as process ${pid} on ${host}. ` +
        "Each node needs its own data folder, on a disk that no other machine uses.",
    );
    this.nodeId = nodeId;
  }
}

/** Names the process to stop, and the alternatives. */
function databaseInUseError(url: string, { host: holderHost, pid }: LockHolder): CliError {
  const { host, pathname } = new URL(url);
  const holder = pid === "" ? "" : ` (process ${pid} on ${holderHost})`;
  return new DatabaseError(
    `the PostgreSQL database ${pathname.slice(1)} at ${host} is in use by another Waypost${holder}. ` +
      "One Waypost at a time can use a database: stop that one, or use another database. " +
      "Run commands with the WAYPOST_DATA of the running Waypost, on its machine.",
  );
}
