import { expect } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { z } from "zod";
import { fieldOf, type WireAnswer } from "./raw-connection.ts";
import { eventually, ownerKey, type TestServer, type TestService } from "./server.ts";

const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
/** A header field with which the listener forwards the request to the HTTP server. It has no other effect. */
export const unusualConnectionField = "Connection: keep-alive, x\r\n";
const generousMs = 90_000;

/** The bytes of a visit; `lines` are more header lines, each with its line end. */
export function visitOf(path: string, lines = "", method = "GET"): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${agent}\r\n${lines}\r\n`;
}

/** The bytes of an API call as the owner. */
export function callOf(method: string, path: string, body = ""): string {
  const length = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} /v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ownerKey}\r\n${length}\r\n${body}`;
}

/** The status and the Location header of a response as one text. */
export function outcomeOf(answer: WireAnswer): string {
  return `${answer.status} ${fieldOf(answer, "location")}`.trim();
}

const Report = z.object({ clicks: z.int(), data: z.array(z.object({ country: z.string(), clicks: z.int() })) });

/**
 * Waits until a link has `clicks` clicks (at least one for "any"), fails if it has more, and returns them by country.
 */
export async function expectClicks(server: TestService, linkId: string, clicks: number | "any") {
  const path = `/analytics/clicks?linkId=${linkId}&groupBy=country&interval=24h`;
  const report = async () => Report.parse((await server.call("GET", path)).body);
  await eventually(report, (seen) => seen.clicks >= (clicks === "any" ? 1 : clicks), generousMs);
  const seen = await report();
  if (clicks !== "any") expect(seen.clicks).toBe(clicks);
  return Object.fromEntries(seen.data.map((row) => [row.country, row.clicks]));
}

/**
 * The number of TCP sockets that the server's process has open. A connection to itself counts with both ends. The sockets to
 * the store process do not count: it starts after the first click.
 */
export function openSockets(server: TestServer): number {
  const folder = `/proc/${server.process.pid}/fd`;
  const tcp = tcpSocketsOf(server.process.pid);
  const targets = readdirSync(folder).map((file) => {
    try {
      return readlinkSync(`${folder}/${file}`);
    } catch {
      // The server closed the file after readdirSync.
      return "";
    }
  });
  return targets.filter((target) => tcp.has(target)).length;
}

/** The TCP sockets that a process can see, as its descriptors name them (proc_pid_net(5)). */
function tcpSocketsOf(pid: number): Set<string> {
  const rows = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n").slice(1));
  return new Set(rows.map((row) => `socket:[${row.trim().split(/\s+/)[9]}]`));
}

/** Waits until the server has at most as many sockets as before. */
export async function expectSocketsClosed(server: TestServer, before: number): Promise<void> {
  expect(
    await eventually(
      async () => openSockets(server),
      (now) => now <= before,
      generousMs,
    ),
  ).toBeLessThanOrEqual(before);
}
