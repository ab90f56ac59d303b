/**
 * Clients that stop reading, of a listener with short timeouts whose HTTP server is a socket of the test.
 */
import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { openRaw } from "../../tests/support/raw-connection.ts";
import { openLog } from "../base/log.ts";
import { openPublicListener, type PublicListener } from "./public-listener.ts";
import { isDownload, type WriteTimeoutOptions } from "./write-timeout.ts";

/** More than all buffers of the operating system. */
const largeBytes = 64 * 1024 ** 2;
const ask = "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
const plainHead = `HTTP/1.1 200 OK\r\nContent-Length: ${largeBytes}\r\n\r\n`;
const exportHead = `HTTP/1.1 200 OK\r\nX-Clicks: 7\r\nContent-Length: ${largeBytes}\r\n\r\n`;

const opened: { publicListener: PublicListener; server: Server }[] = [];
afterAll(() => {
  for (const { publicListener, server } of opened.splice(0)) {
    publicListener.close();
    server.close();
  }
});

async function openShort(writeTimeouts: WriteTimeoutOptions) {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const publicListener = openPublicListener({
    port: 0,
    hostname: "127.0.0.1",
    // A server that listens on a port has such an address.
    to: { kind: "port", port: (server.address() as AddressInfo).port },
    log: openLog("error"),
    // Longer than the write timeouts, so that it closes no connection before its request is read.
    idleTimeoutSeconds: 8,
    writeTimeouts,
  });
  opened.push({ publicListener, server });
  /** A client that has sent a request and does not read the response, and the server's end of the connection. */
  async function stalled(head: string) {
    const accepted = once(server, "connection");
    const client = await openRaw(`http://127.0.0.1:${publicListener.port}`);
    client.socket.pause();
    await client.send(ask);
    const [other]: Socket[] = await accepted;
    if (other === undefined) throw new Error("No connection came.");
    other.on("error", () => {});
    other.write(Buffer.concat([Buffer.from(head), Buffer.alloc(largeBytes)]));
    other.resume();
    return { client: client.socket, other, cut: once(other, "close") };
  }
  return { stalled };
}

async function lengthOf(socket: Socket, bytes: number): Promise<number> {
  let length = 0;
  const all = Promise.withResolvers<number>();
  socket.on("data", (chunk) => {
    length += chunk.length;
    if (length >= bytes) all.resolve(length);
  });
  socket.on("close", () => all.resolve(length));
  socket.resume();
  return await all.promise;
}

test.concurrent("a download continues after a pause longer than the short write timeout", async () => {
  const { stalled } = await openShort({ secondsMax: 1, downloadSecondsMax: 200 });
  const download = await stalled(exportHead);
  const usual = await stalled(plainHead);

  await usual.cut;

  expect(await lengthOf(download.client, exportHead.length + largeBytes)).toBe(exportHead.length + largeBytes);
  for (const { client } of [download, usual]) client.destroy();
});

test.concurrent("a download that its client does not read is closed after the long write timeout", async () => {
  const { stalled } = await openShort({ secondsMax: 1, downloadSecondsMax: 1 });
  const download = await stalled(exportHead);

  await download.cut;

  download.client.destroy();
});

test.concurrent("a limited number of downloads have the long write timeout, and a finished one frees its slot", async () => {
  const { stalled } = await openShort({ secondsMax: 1, downloadSecondsMax: 200, downloadsMax: 1 });
  const first = await stalled(exportHead);
  // So that the first response has been forwarded.
  await once(first.client.resume(), "data");
  first.client.pause();
  const second = await stalled(exportHead);
  await second.cut;
  first.client.destroy();
  await first.cut;

  const third = await stalled(exportHead);
  const usual = await stalled(plainHead);
  await usual.cut;

  expect(await lengthOf(third.client, exportHead.length + largeBytes)).toBe(exportHead.length + largeBytes);
  for (const { client } of [second, third, usual]) client.destroy();
});

test("only its head makes a response a download", () => {
  const cases: [string, boolean][] = [
    ["HTTP/1.1 200 OK\r\nX-Clicks: 7\r\n\r\n", true],
    ["HTTP/1.1 200 OK\r\nDate: now\r\nx-clicks: 7\r\n\r\nid", true],
    ["HTTP/1.1 429 Too Many Requests\r\nX-Clicks: 7\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nAccess-Control-Expose-Headers: X-Clicks, ETag\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nDate: now\r\n\r\n\r\nX-Clicks: 7\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nX-Clicks: 7", false],
    ["\r\nX-Clicks: 7\r\n\r\n", false],
  ];

  for (const [text, expected] of cases) expect([text, isDownload(Buffer.from(text))]).toEqual([text, expected]);
});
