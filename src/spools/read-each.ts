import { pauseAfterStepMs } from "../base/core-pauses.ts";
import { pause } from "../base/pause.ts";
import type { ReadWriteLock } from "../base/read-write-lock.ts";
import type { Config } from "../config.ts";
import type { ReaderName } from "./cursors.ts";
import { type ReaderDeps, spoolReaders } from "./readers.ts";
import { spoolOptions } from "./spool-folders.ts";
import { type Spools, spoolTotals } from "./spools.ts";

/** What a step of a reader uses. */
type SteppingDeps = ReaderDeps & {
  config: Config;
  readersLock: ReadWriteLock;
  spools: Pick<Spools, "all">;
};

/**
 * Lets every reader read the spools to their ends: the last step before closing. Throws when the signal is aborted before a
 * reader is done.
 */
export async function drain(deps: SteppingDeps, signal: AbortSignal): Promise<void> {
  for (const { step } of Object.values(spoolReaders)) {
    for (const spool of deps.spools.all()) {
      for (let hasMoved = true; hasMoved; ) {
        signal.throwIfAborted();
        ({ hasMoved } = await deps.readersLock.shared(() => step(deps, spool)));
      }
    }
  }
}

/** A reader with a smaller lag pauses first, since few large batches cost less than many small ones. */
const againLagBytes = 1024 ** 2;

/** Readers take no pauses for visitors while this part of a spool's space is full, so that no click is lost. */
const unpausedShare = 1 / 4;

/** Takes one step in each spool, so that no spool waits for the backlog or failure of another; "again" if more is unread. */
export async function readEach(deps: SteppingDeps, name: ReaderName, stopping: AbortSignal): Promise<"again" | "idle"> {
  const { step } = spoolReaders[name];
  const mayPause = spoolTotals(deps.spools).lagBytes[name] <= spoolOptions(deps.config).spoolBytesMax * unpausedShare;
  let outcome: "again" | "idle" = "idle";
  let waited = 0;
  const failures: unknown[] = [];
  for (const spool of deps.spools.all()) {
    try {
      const { hasMoved, lagBytes, waitedMs } = await deps.readersLock.shared(() => step(deps, spool, mayPause));
      if (!hasMoved || lagBytes <= againLagBytes) continue;
      outcome = "again";
      waited += waitedMs;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  if (mayPause) await pause(pauseAfterStepMs(waited), stopping);
  return outcome;
}
