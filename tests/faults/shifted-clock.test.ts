/** The clock of the soak test: a wait that ended too early would turn every waiting thread into a busy loop. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openShiftedClock } from "../support/soak/shifted-clock.ts";

const program = join(import.meta.dir, "../support/soak/timed-waits.c");
/** The program waits 200 ms four times; a wait until a time on a clock that is an hour behind would take an hour. */
const timeMaxMs = 20_000;
/** 200 ms, less than the resolution of the clocks. */
const waitMsMin = 190;

test("waits take their time after the wall clock was set back or forward", () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-clock-"));
  try {
    const clock = openShiftedClock(folder);
    if (clock.kind === "refused") throw new Error(clock.reason);
    const waits = join(folder, "timed-waits");
    expect(Bun.spawnSync(["cc", "-o", waits, program, "-pthread"]).exitCode).toBe(0);

    for (const shiftMs of [0, -240_000, 3_600_000]) {
      clock.shiftTo(shiftMs);
      const { stdout } = Bun.spawnSync([waits], { env: { ...process.env, ...clock.environment }, timeout: timeMaxMs });
      const waitsMs = stdout.toString().trim().split("\n").map(Number);
      const tooShort = waitsMs.filter((waitMs) => waitMs < waitMsMin);
      expect({ shiftMs, tooShort }).toEqual({ shiftMs, tooShort: [] });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 70_000);
