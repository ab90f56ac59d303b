/** Damaged bytes in a spool: the log, the metrics and doctor report them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { segmentFileName, segmentHeaderBytes } from "../../src/clicks/spool-format.ts";
import { dataPaths } from "../../src/data-paths.ts";
import { waypost } from "../support/command.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";
import { writeFrames } from "../support/spools.ts";

const intactClicks = 4;
const damagedClicks = 3;
let server: TestServer;
let [offset, bytes] = [0, 0];

/** Starts a server on a spool with three frames, the middle one damaged. */
beforeAll(async () => {
  const stopped = await startServer();
  await stopped.end("SIGTERM");
  const { ends, path } = await writeFrames(dataPaths({ WAYPOST_DATA: stopped.data }).spool, 2, damagedClicks, 2);
  const [from = 0, to = 0] = ends;
  [offset, bytes] = [segmentHeaderBytes + from, to - from];
  const segment = readFileSync(path);
  writeFileSync(path, segment.fill(0xff, offset + bytes - 8, offset + bytes));
  server = await stopped.restart();
});
afterAll(() => server.remove());

const metrics = async () => await (await fetch(`${server.url}/metrics`)).text();
const metricOf = (text: string, name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
const stored = () => eventually(metrics, (text) => metricOf(text, "waypost_clicks_stored_total") === intactClicks);

test("damaged bytes and the clicks in them are counted in the metrics, and other clicks are stored", async () => {
  const text = await stored();

  expect({
    clicks: metricOf(text, "waypost_clicks_damaged_total"),
    bytes: metricOf(text, "waypost_spool_damaged_bytes_total"),
  }).toEqual({ clicks: damagedClicks, bytes });
});

test("the log names the segment, the offset, the most clicks in the damaged bytes and their copy", async () => {
  await stored();

  const lines = server.output().split("\n");
  const reported = lines.filter((line) => line.includes("A part of the spool is damaged"));

  expect(reported).toHaveLength(1);
  expect(JSON.parse(reported[0] ?? "")).toMatchObject({
    level: "error",
    fileName: segmentFileName(0),
    ...{ offset, bytes, clicksMax: damagedClicks, savedAs: copyPath() },
  });
});

test("doctor reports the damaged segment, the lost clicks and the copy of their bytes", async () => {
  await stored();

  const { code, stdout } = await waypost(["doctor"], { data: server.data, environment: server.environment });

  const lines = stdout.split("\n").filter((line) => /^FAIL {2}(spool|lost clicks): /.test(line));
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringContaining(`spool: ${spool()}: ${segmentFileName(0)} has ${bytes} damaged bytes, which readers skip`),
    expect.stringMatching(/lost clicks: at most 3 clicks lost in damaged parts of the spool since 20\d\d-/),
  ]);
  expect(lines[1]).toContain(`(${bytes} damaged bytes at ${segmentFileName(0)}:${offset})`);
  expect(lines[1]).toContain(`copies of the damaged bytes: ${copyPath()}. Check the disk.`);
});

const spool = () => dataPaths({ WAYPOST_DATA: server.data }).spool;
const copyPath = () => join(spool(), `${segmentFileName(0)}-${offset}.damaged`);
