import { afterEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualLevelBounds } from "./compact.ts";
import { openEngine } from "./engine.ts";
import { IdleTimer, idleMemory, releaseMemory, usualMemoryMax } from "./memory.ts";

const idleMemoryBytes = 64_000_000;

test("DuckDB releases the blocks of a file, and reads them again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-memory-"));
  const options = {
    path: join(folder, "clicks.duckdb"),
    threads: 1,
    memoryMax: usualMemoryMax,
    levelBounds: usualLevelBounds,
  };
  const engine = await openEngine(options);
  try {
    // Random numbers, which cannot be compressed.
    await engine.writeConnection.run("CREATE TABLE noise AS SELECT hash(range) AS number FROM range(16_000_000)");
    await engine.writeConnection.run("CHECKPOINT");
    const sum = async () => (await engine.writeConnection.runAndReadAll("SELECT sum(number) FROM noise")).getRows();
    const usedBytes = async () => {
      const usage = await engine.writeConnection.runAndReadAll(
        "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()",
      );
      return Number(usage.getRows()[0]?.[0]);
    };
    const before = await sum();

    expect(await usedBytes()).toBeGreaterThan(1.5 * idleMemoryBytes);
    await releaseMemory(engine.writeConnection, idleMemory, usualMemoryMax);
    expect(await usedBytes()).toBeLessThanOrEqual(idleMemoryBytes);
    expect(await sum()).toEqual(before);
    expect(await usedBytes()).toBeGreaterThan(1.5 * idleMemoryBytes);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});

describe("an idle timer", () => {
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

  test("calls once after the last change, when no query runs", async () => {
    const { idleTimer, idleCalls } = watch();

    await idleTimer.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(idleCalls()).toBe(1);
    await idleTimer.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(idleCalls()).toBe(2);
  });

  test("calls only after the idle time has passed since the last answer, despite writes", async () => {
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

  test("calls again after a call that failed", async () => {
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

  test("does not call after its end", () => {
    const { idleTimer, idleCalls } = watch();

    idleTimer.end();
    jest.advanceTimersByTime(5_000);

    expect(idleCalls()).toBe(0);
  });
});
