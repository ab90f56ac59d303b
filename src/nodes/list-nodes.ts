import { isoTime, isoTimeOrNull } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { lastLeader } from "./leader.ts";

/** A node, with the clicks that wait in its spools, in bytes. */
export type ListedNode = {
  id: string;
  host: string;
  version: string;
  state: "running" | "stopped" | "silent";
  leads: boolean;
  /** Instants in ISO form. */
  seenAt: string;
  copyAt: string | null;
  spools: { spoolId: string; waitingBytes: number }[];
};

/** A running node that has not reported for this long is silent: it died, or does not reach PostgreSQL. */
export const silentAfterMs = 15_000;
/** The most nodes of a list; the plan of docs/scale.md has a thousand. */
const nodesMax = 5_000;

/** All nodes, those that reported last first. */
export async function listNodes(db: Db, now: number): Promise<ListedNode[]> {
  const nodes = await db.selectFrom("nodes").selectAll().orderBy("seenAt", "desc").limit(nodesMax).execute();
  const spools = await db.selectFrom("nodeSpools").selectAll().orderBy("spoolId").execute();
  const spoolsOf = Map.groupBy(spools, ({ nodeId }) => nodeId);
  const leader = await lastLeader(db);
  return nodes.map(({ id, host, version, state, seenAt, copyAt }) => ({
    ...{ id, host, version, seenAt: isoTime(seenAt), copyAt: isoTimeOrNull(copyAt) },
    state: state === "running" && now - seenAt > silentAfterMs ? "silent" : state,
    leads: state === "running" && leader === id,
    spools: (spoolsOf.get(id) ?? []).map(({ spoolId, end, stored, counted }) => ({
      spoolId,
      waitingBytes: end - Math.min(stored, counted),
    })),
  }));
}
