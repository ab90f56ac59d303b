import { afterEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualLevelBounds } from "./compact.ts";
import { openEngine } from "./engine.ts";
import { IdleTimer, idleMemory, releaseMemory, usualMemoryMax } from "./memory.ts";

const idleMemoryBytes = 64_000_000;

test("what DuckDB keeps of a file is given back, and asked for again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-memory-"));
  const options = {
    path: join(folder, "clicks.duckdb"),
    threads: 1,
    memoryMax: usualMemoryMax,
    levelBounds: usualLevelBounds,
  };
  const engine = await openEngine(options);
  try {
    // Numbers at random, which are not packed any smaller.
    await engine.writeConnection.run("CREATE TABLE noise AS SELECT hash(range) AS number FROM range(16_000_000)");
    await engine.writeConnection.run("CHECKPOINT");
    const sum = async () => (await engine.writeConnection.runAndReadAll("SELECT sum(number) FROM noise")).getRows();
    const kept = async () => {
      const said = await engine.writeConnection.runAndReadAll(
        "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()",
      );
      return Number(said.getRows()[0]?.[0]);
    };
    const before = await sum();

    expect(await kept()).toBeGreaterThan(1.5 * idleMemoryBytes);
    await releaseMemory(engine.writeConnection, idleMemory, usualMemoryMax);
    expect(await kept()).toBeLessThanOrEqual(idleMemoryBytes);
    expect(await sum()).toEqual(before);
    expect(await kept()).toBeGreaterThan(1.5 * idleMemoryBytes);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});

describe("idleness", () => {
  afterEach(() => void jest.useRealTimers());

  function watch(onIdle: () => Promise<void> = async () => {}) {
    jest.useFakeTimers();
    let idleCalls = 0;
    const idleTimer = new IdleTimer(1_000, () => {
      idleCalls++;
      return onIdle();
    });
    return { idleTimer, idleCalls: () => idleCalls };
  }

  test("is told once after the last change, when nobody asks", async () => {
    const { idleTimer, idleCalls } = watch();

    await idleTimer.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(idleCalls()).toBe(1);
    await idleTimer.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(idleCalls()).toBe(2);
  });

  test("begins as long after the last answer, whatever is written meanwhile", async () => {
    const { idleTimer, idleCalls } = watch();
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = idleTimer.duringQuery(() => promise);

    for (let second = 0; second < 5; second++) {
      await idleTimer.duringWork(async () => {});
      jest.advanceTimersByTime(1_000);
    }
    resolve();
    await answer;
    jest.advanceTimersByTime(1_000);
    expect(idleCalls()).toBe(0);
    jest.advanceTimersByTime(1_000);
    expect(idleCalls()).toBe(1);
  });

  test("is told again when it was no good moment", async () => {
    let isGood = false;
    const { idleCalls } = watch(() => (isGood ? Promise.resolve() : Promise.reject(new Error("Not now."))));

    jest.advanceTimersByTime(1_000);
    await Promise.resolve();
    isGood = true;
    jest.advanceTimersByTime(1_000);
    await Promise.resolve();
    jest.advanceTimersByTime(1_000);

    expect(idleCalls()).toBe(2);
  });

  test("is told no more at the end", () => {
    const { idleTimer, idleCalls } = watch();

    idleTimer.end();
    jest.advanceTimersByTime(5_000);

    expect(idleCalls()).toBe(0);
  });
});
