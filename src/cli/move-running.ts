import { secondMs } from "../base/time.ts";
import type { CopiedCounts } from "../database/copy-tables.ts";
import { copyLastChanges, copyWhileChanging, type FollowReports } from "../database/follow-sqlite.ts";
import type { MoveSnapshots } from "../database/move-snapshots.ts";
import { lockSqliteChanges } from "../database/sqlite-rows.ts";
import { say, showProgress } from "./move-progress.ts";
import { lockFile, markMovedInto, openTarget } from "./move-target.ts";

/** `requireUnmoved` throws once another command has moved the file. */
type RunningMove = { path: string; url: string; snapshots: MoveSnapshots; requireUnmoved(): Promise<void> };

/**
 * Copies the SQLite file at `path`, whose service runs, into PostgreSQL. The service goes on changing it until the last changes
 * are copied, and refuses changes from then on. Returns the rows by table.
 */
export async function moveRunning({ path, url, snapshots, requireUnmoved }: RunningMove): Promise<CopiedCounts> {
  const target = await openTarget(url, path);
  const follow = { name: path, target, report: reports() };
  try {
    say("Copying a snapshot. Waypost accepts changes.");
    const next = async () => {
      await requireUnmoved();
      return await snapshots.next();
    };
    const copied = await copyWhileChanging({ ...snapshots, next }, follow);
    const startedAt = performance.now();
    const rows = lockFile(path, () => lockSqliteChanges(path, copied));
    try {
      await requireUnmoved();
      say("Copying the last changes. Waypost refuses changes from now on.");
      const counts = await copyLastChanges(rows, follow);
      await markMovedInto(target, rows, "PostgreSQL");
      await target.finish();
      say(`Waypost has refused changes for ${((performance.now() - startedAt) / secondMs).toFixed(1)} s.`);
      return counts;
    } finally {
      await rows.close();
    }
  } finally {
    await target.close();
  }
}

function reports(): FollowReports {
  return {
    rows: showProgress(),
    changes: (rows) => say(`Copied ${rows.toLocaleString("en")} rows that had changed.`),
    again: () => say("The changes depend on each other, so all rows are copied again."),
  };
}
