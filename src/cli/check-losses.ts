import type { CheckResult } from "../admin/check-result.ts";
import { diskFailure } from "../base/disk-failure.ts";
import { damagedCopies } from "../clicks/spool-damage.ts";
import type { Config } from "../config.ts";
import { lostClicks, spoolFolders } from "../spools/spool-folders.ts";
import { formatCount } from "./format-count.ts";

const check = "lost clicks";

/** Reports clicks that were lost by any run of the service, until the operator accepts the loss. */
export function checkLosses(config: Config): CheckResult {
  const folders = spoolFolders(config);
  const { dropped, damaged } = lostClicks(config);
  if (dropped === null && damaged === null) return { check, ok: true, detail: "none" };
  const parts: string[] = [];
  if (dropped !== null) {
    const { clicks, since, last, reason } = dropped;
    const times = `between ${new Date(since).toISOString()} and ${new Date(last).toISOString()}`;
    const failure = diskFailure(reason);
    const dropping = `${formatCount(clicks, "click")} dropped ${times} (${failure?.reason ?? reason})`;
    parts.push(`${dropping}. ${failure?.advice ?? spoolAdvice}`);
  }
  if (damaged !== null) {
    const { clicks, since, reason } = damaged;
    const copies = folders.flatMap((folder) => damagedCopies(folder).names.map((name) => `${folder}/${name}`));
    const copiesText =
      copies.length === 0 ? "" : `; copies of the damaged bytes: ${copies.slice(0, namedMax).join(", ")}`;
    const lostText = `at most ${formatCount(clicks, "click")} lost in damaged parts of the spool`;
    parts.push(`${lostText} since ${new Date(since).toISOString()} (${reason})${copiesText}. Check the disk.`);
  }
  return { check, ok: false, detail: `${parts.join(" ")} To accept the loss: waypost clicks accept-loss` };
}

/** How many files a line names. */
const namedMax = 5;

const spoolAdvice = "Find out why the store could not be written, or raise WAYPOST_SPOOL_MAX_BYTES.";
