import { afterEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "./engine.ts";
import { giveMemoryBack, Idleness, idleMemory, usualMemoryMax } from "./memory.ts";
import { usualBounds } from "./shelves.ts";

const idleMemoryBytes = 64_000_000;

test("what DuckDB keeps of a file is given back, and asked for again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-memory-"));
  const options = { path: join(folder, "clicks.duckdb"), threads: 1, memoryMax: usualMemoryMax, bounds: usualBounds };
  const engine = await openEngine(options);
  try {
    // Numbers at random, which are not packed any smaller.
    await engine.writer.run("CREATE TABLE noise AS SELECT hash(range) AS number FROM range(16_000_000)");
    await engine.writer.run("CHECKPOINT");
    const sum = async () => (await engine.writer.runAndReadAll("SELECT sum(number) FROM noise")).getRows();
    const kept = async () => {
      const said = await engine.writer.runAndReadAll("SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()");
      return Number(said.getRows()[0]?.[0]);
    };
    const before = await sum();

    expect(await kept()).toBeGreaterThan(1.5 * idleMemoryBytes);
    await giveMemoryBack(engine.writer, idleMemory, usualMemoryMax);
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

  function watch(rest: () => Promise<void> = async () => {}) {
    jest.useFakeTimers();
    let rests = 0;
    const idleness = new Idleness(1_000, () => {
      rests++;
      return rest();
    });
    return { idleness, rests: () => rests };
  }

  test("is told once after the last change, when nobody asks", async () => {
    const { idleness, rests } = watch();

    await idleness.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(rests()).toBe(1);
    await idleness.duringWork(async () => {});
    jest.advanceTimersByTime(5_000);
    expect(rests()).toBe(2);
  });

  test("begins as long after the last answer, whatever is written meanwhile", async () => {
    const { idleness, rests } = watch();
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = idleness.duringQuestion(() => promise);

    for (let second = 0; second < 5; second++) {
      await idleness.duringWork(async () => {});
      jest.advanceTimersByTime(1_000);
    }
    resolve();
    await answer;
    jest.advanceTimersByTime(1_000);
    expect(rests()).toBe(0);
    jest.advanceTimersByTime(1_000);
    expect(rests()).toBe(1);
  });

  test("is told again when it was no good moment", async () => {
    let isGood = false;
    const { rests } = watch(() => (isGood ? Promise.resolve() : Promise.reject(new Error("Not now."))));

    jest.advanceTimersByTime(1_000);
    await Promise.resolve();
    isGood = true;
    jest.advanceTimersByTime(1_000);
    await Promise.resolve();
    jest.advanceTimersByTime(1_000);

    expect(rests()).toBe(2);
  });

  test("is told no more at the end", () => {
    const { idleness, rests } = watch();

    idleness.end();
    jest.advanceTimersByTime(5_000);

    expect(rests()).toBe(0);
  });
});
