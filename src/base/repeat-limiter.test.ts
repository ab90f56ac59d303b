import { expect, test } from "bun:test";
import { openLog } from "./log.ts";
import { RepeatLimiter } from "./repeat-limiter.ts";

/** A log whose windows end on request, and the lines it has written. */
function openLimited() {
  const ends: (() => void)[] = [];
  const lines: Record<string, unknown>[] = [];
  const repeatLimiter = new RepeatLimiter((run) => void ends.push(run));
  const log = openLog("info", (line) => void lines.push(JSON.parse(line)), {}, repeatLimiter);
  return { log, lines, endWindows: () => ends.splice(0).forEach((end) => void end()) };
}

test("a repeated error is written five times, and the rest is counted", () => {
  const { log, lines, endWindows } = openLimited();

  for (let index = 0; index < 7_397; index++) log.error("A request failed.", { requestId: index });
  endWindows();

  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toMatchObject({ level: "error", message: "A request failed.", suppressed: 7_392, seconds: 10 });
});

test("a window without repetitions logs no count, and the next one starts from zero", () => {
  const { log, lines, endWindows } = openLimited();

  log.warn("Slow.");
  endWindows();
  log.warn("Slow.");
  endWindows();

  expect(lines).toHaveLength(2);
});

test("errors with different causes, and lines below warn, are not limited", () => {
  const { log, lines } = openLimited();

  for (let index = 0; index < 20; index++) log.error("A request failed.", { error: new Error(`cause ${index}`) });
  for (let index = 0; index < 20; index++) log.info("Done.");

  expect(lines).toHaveLength(40);
});
