import { afterAll, beforeEach } from "bun:test";
import * as nodeFiles from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CapturedClick, type Place, Shared, type SpooledClick } from "../../src/clicks/click.ts";
import { openSpool, type Spool, type SpoolFiles, type SpoolOptions } from "../../src/clicks/spool.ts";
import { segmentFileName, visitorText } from "../../src/clicks/spool-format.ts";
import { type SpoolBatch, SpoolReader } from "../../src/clicks/spool-reader.ts";

/** The user agent of a human. */
export const browserAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/** A click as read from the spool, without its id. */
type PlainClick = Omit<SpooledClick, "id">;

/** A human click with a number, which is its key and part of its time. */
export function plainClick(number: number, fixed: Partial<PlainClick> = {}): PlainClick {
  return {
    time: Date.UTC(2026, 10, 21) + number,
    workspaceId: 1,
    linkId: "link_a",
    domainId: "dom_a",
    domain: "go.example.com",
    key: String(number),
    url: "https://example.com/",
    country: "DE",
    region: "",
    city: "",
    continent: "EU",
    referer: "",
    agent: browserAgent,
    language: "de",
    trigger: "link",
    bot: "",
    visitor: "0123456789abcdef",
    ...fixed,
  };
}

/** The click as the redirect appends it. It shares no value with another click. */
export function captured(click: PlainClick): CapturedClick {
  const { time, workspaceId, linkId, domainId, domain, key, url, trigger, bot, visitor } = click;
  const { country, region, city, continent, referer, agent, language } = click;
  const place: Place = { country, region, city, continent };
  return {
    time,
    target: new Shared({ workspaceId, linkId, domainId, domain, key, url }),
    url: undefined,
    place: new Shared(place),
    referer: new Shared(referer),
    agent: new Shared(agent),
    language: new Shared(language),
    trigger,
    bot,
    visitorHigh: half(visitor.slice(0, 8)),
    visitorLow: half(visitor.slice(8)),
  };
}

/** A captured click as the spool's readers get it. */
export function plainOf(click: CapturedClick): PlainClick {
  const { time, target, url, place, trigger, bot } = click;
  const [referer, agent, language] = [click.referer.value, click.agent.value, click.language.value];
  const visitor = visitorText(click.visitorHigh, click.visitorLow);
  const ownUrl = typeof url === "object" ? url.value : url;
  const texts = { url: ownUrl ?? target.value.url, referer, agent, language };
  return { time, ...target.value, ...place.value, ...texts, trigger, bot, visitor };
}

function half(hex: string): number {
  return Number.parseInt(hex || "0", 16) | 0;
}

/** plainClick as the redirect appends it. */
export function capturedClick(number: number, fixed: Partial<PlainClick> = {}): CapturedClick {
  return captured(plainClick(number, fixed));
}

/** Clicks numbered from `from` to before `to`. */
export function capturedClicks(from: number, to: number): CapturedClick[] {
  return Array.from({ length: to - from }, (_, index) => capturedClick(from + index));
}

/** The numbers of clicks made by plainClick, which most tests compare. */
export function numbersOf(clicks: readonly ({ key: string } | CapturedClick)[]): number[] {
  return clicks.map((click) => Number("target" in click ? click.target.value.key : click.key));
}

/** Clicks without their ids. */
export function withoutIds(clicks: readonly SpooledClick[]): PlainClick[] {
  return clicks.map(({ id: _, ...click }) => click);
}

/** A temporary folder, removed by `remove`. */
export function spoolFolder(): { directory: string; remove(): void } {
  const folder = nodeFiles.mkdtempSync(join(tmpdir(), "waypost-test-"));
  return { directory: join(folder, "spool"), remove: () => nodeFiles.rmSync(folder, { recursive: true, force: true }) };
}

/** Gives each test of a file a temporary folder for a spool, and removes all folders at the end. */
export function eachInSpoolFolder(use: (directory: string) => void): void {
  const folders: { remove(): void }[] = [];
  beforeEach(() => {
    const folder = spoolFolder();
    folders.push(folder);
    use(folder.directory);
  });
  afterAll(() => {
    for (const folder of folders) folder.remove();
  });
}

/** Opens a spool without size limit and without interval syncs, unless the options differ. */
export function testSpool(directory: string, options: Partial<SpoolOptions> = {}): Spool {
  return openSpool({ directory, syncIntervalMs: 60_000, spoolBytesMax: 1024 ** 3, ...options });
}

/** The result of appending a click. */
export type Appended = "stored" | "dropped";

/** Appends a click and resolves after its tick. */
export async function append(spool: Spool, click: CapturedClick): Promise<Appended> {
  const [appended = "dropped"] = await appendTick(spool, [click]);
  return appended;
}

/** Appends clicks in one tick, and so in one frame: all are stored, or none. */
export async function appendTick(spool: Spool, clicks: readonly CapturedClick[]): Promise<Appended[]> {
  const before = spool.dropped().clicks;
  for (const click of clicks) spool.append(click);
  await new Promise<void>((resolve) => spool.afterTick(resolve));
  const dropped = spool.dropped().clicks - before;
  if (dropped !== 0 && dropped !== clicks.length) throw new Error(`${dropped} of ${clicks.length} clicks were dropped`);
  return clicks.map(() => (dropped === 0 ? "stored" : "dropped"));
}

/** Writes a closed spool with a frame for each number of clicks; returns the end of each frame. */
export async function writeFrames(directory: string, ...counts: number[]): Promise<{ ends: number[]; path: string }> {
  const spool = testSpool(directory);
  const ends: number[] = [];
  let number = 0;
  for (const count of counts) {
    await appendTick(spool, capturedClicks(number, number + count));
    number += count;
    ends.push(spool.end());
  }
  spool.close();
  return { ends, path: join(directory, segmentFileName(0)) };
}

/**
 * Fills segments of a spool whose segmentBytesMax is 1, each with two frames of a click, and returns their ends: the
 * second append finds the segment full and syncs it.
 */
export async function appendSegments(spool: Spool, count: number): Promise<number[]> {
  const ends: number[] = [];
  for (let number = 0; number < count * 2; number++) {
    await append(spool, capturedClick(number));
    if (number % 2 === 1) ends.push(spool.end());
  }
  return ends;
}

/** The names of a spool's files, in order. */
export function segmentsIn(directory: string): string[] {
  return nodeFiles.readdirSync(directory).sort();
}

/** The disk with the operations of `broken` replaced. Its syncs are synchronous. */
export function brokenFiles(broken: Partial<SpoolFiles>): SpoolFiles {
  const synced = (file: number, done: (error: null) => void) => {
    nodeFiles.fdatasyncSync(file);
    done(null);
  };
  // The overloads of fdatasync are unused, but a type cannot omit them.
  return { ...nodeFiles, fdatasync: synced as SpoolFiles["fdatasync"], ...broken };
}

/** The error of a full disk. */
export function noSpaceLeft(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
}

/** A batch for a new reader. */
export function readSpool(directory: string, position: number, clicksMax: number): SpoolBatch {
  return new SpoolReader(directory).read(position, clicksMax);
}

/** Everything after a position, read by one reader in batches of at least `clicksMax` clicks. */
export function readToEnd(directory: string, position = 0, clicksMax = 1_000): { clicks: SpooledClick[]; to: number } {
  const reader = new SpoolReader(directory);
  const clicks: SpooledClick[] = [];
  let to = position;
  for (;;) {
    const batch = reader.read(to, clicksMax);
    clicks.push(...batch.clicks);
    if (batch.to === to) return { clicks, to };
    to = batch.to;
  }
}
