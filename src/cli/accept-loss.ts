import { acceptLosses, type LostClicks } from "../clicks/lost-clicks.ts";
import { readConfig } from "../config.ts";
import { lostClicks, spoolFolders } from "../spools.ts";

/** Accepts every loss that doctor reports, beside a running server or without one; resolves with what was lost. */
export async function acceptLoss(): Promise<LostClicks> {
  const config = readConfig();
  const lost = lostClicks(config);
  for (const folder of spoolFolders(config)) acceptLosses(folder);
  return lost;
}
