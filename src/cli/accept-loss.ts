import { acceptLosses, type LostClicks } from "../clicks/lost-clicks.ts";
import { readConfig } from "../config.ts";
import { lostClicks, spoolFolders } from "../spools.ts";
import { runOperation } from "./run-operation.ts";

/**
 * Accepts every loss that doctor reports, beside a running server or without one; resolves with what was lost, and how
 * many losses of stored clicks there were.
 */
export async function acceptLoss(): Promise<LostClicks & { store: unknown }> {
  const config = readConfig();
  const lost = lostClicks(config);
  for (const folder of spoolFolders(config)) acceptLosses(folder);
  return { ...lost, store: await runOperation("clicks accept-loss", {}) };
}
