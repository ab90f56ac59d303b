import { hostname } from "node:os";
import { version } from "../../package.json";
import { secondMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { becomeLeader } from "./leader.ts";
import { haveOthersSettled, otherRunningNodes, otherSpools, type ReportedNode } from "./other-spools.ts";
import { type NodeReport, type ReportedSpool, reportNode } from "./report-node.ts";

/**
 * Reports after which a node reads the spools of the others, while no live stream needs them: with a thousand nodes, each
 * would read a thousand rows every time.
 */
export const reportsPerReading = 15;
/** How long a node that does not lead waits before it asks again. */
const askLeadEveryMs = 2 * secondMs;
const hostCharactersMax = 100;

/** What a node uses of the lock of its database (database/postgres-lock.ts). */
type NodeLock = { lead(): Promise<number | undefined> };

/** This process among the nodes that share a database. */
export class Node {
  readonly id: string;
  readonly #lock: NodeLock;
  /** The turn in which this node leads, and its token. */
  #leading: { turn: number; token: number } | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #otherSpools: readonly ReportedSpool[] = [];
  #reports = 0;

  constructor(id: string, lock: NodeLock) {
    this.id = id;
    this.#lock = lock;
  }

  /** The token with which this node runs the tasks that one node runs for all; undefined while another one leads. */
  async leaderToken(db: Db): Promise<number | undefined> {
    const isDue = this.#leading !== undefined || performance.now() - this.#askedAt >= askLeadEveryMs;
    // Tasks that ask at the same time get the same token.
    if (isDue) {
      this.#asking ??= this.#ask(db).finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
    return this.#leading?.token;
  }

  /** A new turn needs a new token, because another node may have led since. */
  async #ask(db: Db): Promise<void> {
    this.#askedAt = performance.now();
    const turn = await this.#lock.lead();
    if (turn === this.#leading?.turn) return;
    this.#leading = undefined;
    if (turn !== undefined) this.#leading = { turn, token: await becomeLeader(db, this.id) };
  }

  /** Writes what this node knows of itself. Reads the spools of the others, at least now and then. */
  async report(
    db: Db,
    report: Pick<NodeReport, "state" | "copyAt" | "spools">,
    { now, needsOthers }: { now: number; needsOthers: boolean },
  ): Promise<void> {
    const host = hostname().slice(0, hostCharactersMax);
    await reportNode(db, { id: this.id, host, version, ...report }, now);
    if (needsOthers || this.#reports % reportsPerReading === 0) this.#otherSpools = await otherSpools(db, this.id);
    this.#reports++;
  }

  /** The spools of the other nodes, as of the last reading. */
  get otherSpools(): readonly ReportedSpool[] {
    return this.#otherSpools;
  }

  /** The spools of the other nodes now. */
  async readOtherSpools(db: Db): Promise<ReportedSpool[]> {
    return await otherSpools(db, this.id);
  }

  /** See otherRunningNodes. */
  async otherRunningNodes(db: Db, now: number): Promise<ReportedNode[]> {
    return await otherRunningNodes(db, this.id, now);
  }

  /** See haveOthersSettled. */
  async haveOthersSettled(db: Db, change: Parameters<typeof haveOthersSettled>[2]): Promise<boolean> {
    return await haveOthersSettled(db, this.id, change);
  }
}
