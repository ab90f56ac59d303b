import { expect, test } from "bun:test";
import { openLog } from "./log.ts";
import { mainEndMaxMs, shutdownStep, shutdownSteps, stopMaxMs, workersEndMaxMs } from "./shutdown-step.ts";

test("a stop in which every step takes its longest time ends before the main process is killed", () => {
  const { requests, connections, workers, ...successive } = shutdownSteps;

  const sum = Object.values(successive).reduce<number>(
    (total, maxMs) => total + maxMs,
    Math.max(requests + connections, workers),
  );

  expect(sum).toBeLessThan(mainEndMaxMs);
  expect(mainEndMaxMs).toBeLessThan(stopMaxMs);
  // A worker only waits for its requests, and is killed before the main process stops waiting for it.
  expect(requests).toBeLessThan(workersEndMaxMs);
  expect(workersEndMaxMs).toBeLessThan(workers);
});

test("a step that never ends is logged, and the stop continues", async () => {
  const lines: string[] = [];
  const log = openLog("warn", (line) => lines.push(line));

  await shutdownStep(log, "release", new Promise(() => {}));

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", step: "release", seconds: 0.25 }]);
});

test("a step that fails is logged, and the stop continues", async () => {
  const lines: string[] = [];
  const log = openLog("warn", (line) => lines.push(line));

  await shutdownStep(log, "closing", Promise.reject(new Error("broken")));

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "error", message: "A step of the shutdown failed.", step: "closing", error: { message: "broken" } },
  ]);
});

test("a step that a full disk makes fail is logged with what to do", async () => {
  const lines: string[] = [];
  const log = openLog("warn", (line) => lines.push(line));

  await shutdownStep(log, "closing", Promise.reject(new Error("Could not write file: No space left on device")));

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      step: "closing",
      reason: "No space left on device",
      hint: "The disk is full: free some space. Nothing else is needed.",
    },
  ]);
});
