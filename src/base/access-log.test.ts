import { expect, test } from "bun:test";
import { AccessLog, type AccessLogEntry } from "./access-log.ts";
import { openLog } from "./log.ts";

const entry: AccessLogEntry = {
  method: "GET",
  route: "/v1/links/{linkId}",
  status: 200,
  durationMs: 3,
  bytes: 120,
  workspaceId: 1,
  requestId: "request-1",
};

function world(write: (text: string) => Promise<void>) {
  let dropped = 0;
  const logged: string[] = [];
  const log = openLog("info", (line) => logged.push(line));
  const onDropped = (lines: number) => {
    dropped += lines;
  };
  const accessLog = new AccessLog({ write, log, now: () => 0, onDropped });
  return { accessLog, logged, dropped: () => dropped };
}

test("every recorded request is one line of JSON, in order", async () => {
  let written = "";
  const { accessLog } = world(async (text) => {
    written += text;
  });

  for (let status = 200; status < 203; status++) accessLog.record({ ...entry, status });
  await accessLog.close();

  const lines = written
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([200, 201, 202].map((status) => ({ time: "1970-01-01T00:00:00.000Z", ...entry, status })));
});

test("while writing takes long, a bounded number of lines waits, and the others are counted as dropped", async () => {
  const blocked = Promise.withResolvers<void>();
  let lines = 0;
  const { accessLog, dropped } = world(async (text) => {
    await blocked.promise;
    lines += text.split("\n").length - 1;
  });

  const count = 20_000;
  for (let index = 0; index < count; index++) accessLog.record(entry);
  blocked.resolve();
  await accessLog.close();

  expect(dropped()).toBeGreaterThan(0);
  expect(lines).toBeGreaterThan(1_000);
  expect(lines + dropped()).toBe(count);
});

test("lines that cannot be written are counted as dropped, and the log says why", async () => {
  const { accessLog, logged, dropped } = world(() => Promise.reject(new Error("ENOSPC: no space left on device")));

  accessLog.record(entry);
  accessLog.record(entry);
  await accessLog.close();

  expect(dropped()).toBe(2);
  expect(logged.join("")).toContain("ENOSPC");
});
