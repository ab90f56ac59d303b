import { sql } from "kysely";
import { z } from "zod";
import type { StoredRange } from "../clicks/ingest.ts";
import type { Db } from "../database/database.ts";
import { NoticeListener } from "./notice-listener.ts";

const channel = "waypost_stored";
/** Workspaces of a notice; a payload of NOTIFY has at most 8,000 bytes. With more, the notice is for all workspaces. */
const workspacesMax = 500;

const Notice = z.object({
  nodeId: z.string(),
  spoolId: z.string(),
  from: z.number(),
  to: z.number(),
  workspaceIds: z.union([z.array(z.number()), z.literal("any")]),
});

/** Tells the other nodes which range of a spool was stored. */
export async function announceStored(db: Db, nodeId: string, range: StoredRange): Promise<void> {
  const { workspaceIds } = range;
  const isShort = workspaceIds !== "any" && workspaceIds.length <= workspacesMax;
  const notice: z.output<typeof Notice> = {
    ...{ nodeId, spoolId: range.spoolId, from: range.from, to: range.to },
    workspaceIds: isShort ? [...workspaceIds] : "any",
  };
  await sql`select pg_notify(${channel}, ${JSON.stringify(notice)})`.execute(db);
}

/**
 * Calls `onStored` with each range that another node announces, in the order of each spool. A notice that is lost while
 * the connection is broken is made up by the next one of its spool, which begins after it.
 */
export function listenForStored(url: string, nodeId: string, onStored: (range: StoredRange) => void): NoticeListener {
  return new NoticeListener(url, channel, (payload) => {
    const notice = Notice.safeParse(payload);
    if (notice.success && notice.data.nodeId !== nodeId) onStored(notice.data);
  });
}
