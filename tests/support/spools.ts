import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CapturedClick } from "../../src/clicks/click.ts";
import { openSpool, type Spool, type SpoolOptions } from "../../src/clicks/spool.ts";
import { readSpool } from "../../src/clicks/spool-reader.ts";

/** The user agent of a human. */
export const browserAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/** A human's click, told from others by its number: in its key, its identifier and its time. */
export function capturedClick(number: number, fixed: Partial<CapturedClick> = {}): CapturedClick {
  return {
    id: `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`,
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

/** Clicks numbered from `from` to before `to`. */
export function capturedClicks(from: number, to: number): CapturedClick[] {
  return Array.from({ length: to - from }, (_, index) => capturedClick(from + index));
}

/** The numbers of clicks made by capturedClick, which is what most tests compare. */
export function numbersOf(clicks: readonly { key: string }[]): number[] {
  return clicks.map(({ key }) => Number(key));
}

/** A folder of its own, removed by `remove`. */
export function spoolFolder(): { directory: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "waypost-test-"));
  return { directory: join(folder, "spool"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a spool with room for everything and without syncs in between, unless said otherwise. */
export function testSpool(directory: string, options: Partial<SpoolOptions> = {}): Spool {
  return openSpool({ directory, syncIntervalMs: 60_000, spoolBytesMax: 1024 ** 3, ...options });
}

/** Everything behind a position, in batches of at least `clicksMax` clicks. */
export function readToEnd(directory: string, position = 0, clicksMax = 1_000): { clicks: CapturedClick[]; to: number } {
  const clicks: CapturedClick[] = [];
  let to = position;
  for (;;) {
    const batch = readSpool(directory, to, clicksMax);
    clicks.push(...batch.clicks);
    if (batch.to === to) return { clicks, to };
    to = batch.to;
  }
}
