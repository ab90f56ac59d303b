import { surviveFaults } from "../../tests/support/store-faults.ts";
import type { Measurement } from "./measurement.ts";

const rounds = 5;
const seed = 17;

/** Fills the disk of a running server, kills its processes at random moments, and compares the clicks. */
export async function measureFullDisk(): Promise<Measurement[]> {
  const attack = `a full disk, kills and restarts, ${rounds} rounds`;
  const required = "every answered click that was not counted as dropped is stored once";
  try {
    const outcome = await surviveFaults("full disk", { rounds, seed });
    if (outcome.kind === "refused") return [{ attack, measured: outcome.reason, required, holds: false }];
    const measured = `0 lost or double of ${outcome.answered - outcome.dropped} clicks`;
    return [{ attack, measured, required, holds: true }];
  } catch (error) {
    return [{ attack, measured: String(error), required, holds: false }];
  }
}
