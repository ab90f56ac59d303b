/** Forwarded connections of a listener whose HTTP server is a socket of the test. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { askRaw, openRaw } from "../../tests/support/raw-connection.ts";
import { openLog } from "../base/log.ts";
import { answerOf } from "../redirects/answer.ts";
import { openPublicListener, type PublicListener } from "./public-listener.ts";

/** More than all buffers of the operating system. */
const largeBytes = 64 * 1024 ** 2;
const head = `POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${largeBytes}\r\n\r\n`;
const found = answerOf(302, { Location: "https://example.com/" });

const opened: { publicListener: PublicListener; server: Server }[] = [];
afterEach(() => {
  for (const { publicListener, server } of opened.splice(0)) {
    publicListener.close();
    server.close();
  }
});

/** A client whose connection is forwarded, and the connection's other end; neither reads yet. */
async function openForwarded(request = head) {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const publicListener = openPublicListener({
    port: 0,
    hostname: "127.0.0.1",
    // A server that listens on a port has such an address.
    to: { kind: "port", port: (server.address() as AddressInfo).port },
    log: openLog("error"),
    bodyBytesMax: largeBytes,
  });
  publicListener.startAnswering({
    answer: ({ path }) => (path === "v1" ? undefined : found),
    domainOf: () => "",
    afterTick: setImmediate,
    onSent() {},
  });
  opened.push({ publicListener, server });
  const accepted = once(server, "connection");
  const client = await openRaw(`http://127.0.0.1:${publicListener.port}`);
  client.socket.pause();
  await client.send(request);
  const [other]: Socket[] = await accepted;
  if (other === undefined) throw new Error("No connection came.");
  other.on("error", () => {});
  return { publicListener, client, other };
}

/** Bytes without a repeated sequence. */
function largeContent(): Buffer {
  const content = Buffer.alloc(largeBytes);
  for (let at = 0; at < largeBytes; at += 4) content.writeUInt32LE((Math.imul(at, 0x9e3779b1) ^ (at >>> 9)) >>> 0, at);
  return content;
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** True if the work is done before the listener has answered hundreds of visits on other connections. */
async function isDoneSoon(work: Promise<unknown>, publicListener: PublicListener): Promise<boolean> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 300 && !isDone; turn++) {
    await askRaw(`http://127.0.0.1:${publicListener.port}`, "GET /k HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  return isDone;
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const all = Promise.withResolvers<Buffer>();
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) all.resolve(Buffer.concat(chunks));
  });
  socket.resume();
  return await all.promise;
}

describe("a proxy connection", () => {
  test("reads no more from a client than the server accepts, and forwards all of it unchanged", async () => {
    const { publicListener, client, other } = await openForwarded();
    const content = largeContent();

    const sent = client.send(content);
    expect(await isDoneSoon(sent, publicListener)).toBe(false);
    const received = await read(other, head.length + largeBytes);
    await sent;

    expect(received.subarray(0, head.length).toString()).toBe(head);
    expect(digestOf(received.subarray(head.length))).toBe(digestOf(content));
    client.socket.destroy();
  });

  test("reads no more from the server than a client accepts, and forwards all of it unchanged", async () => {
    const { publicListener, client, other } = await openForwarded();
    const content = largeContent();

    const sent = new Promise<void>((resolve) => other.write(content, () => resolve()));
    expect(await isDoneSoon(sent, publicListener)).toBe(false);
    const received = await read(client.socket, largeBytes);
    await sent;

    expect(digestOf(received)).toBe(digestOf(content));
    client.socket.destroy();
  });

  // The number of buffered bytes at the close depends on the operating system, so the test tries all lengths until the
  // server cannot close before the client reads.
  test("forwards a whole response whose server closes while part of it is buffered", async () => {
    const content = largeContent();
    for (let bytes = 1024 ** 2; ; bytes += 200 * 1024) {
      const { publicListener, client, other } = await openForwarded("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const answerHead = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`;

      other.resume();
      other.end(Buffer.concat([Buffer.from(answerHead), content.subarray(0, bytes)]));
      const hasClosed = await isDoneSoon(once(other, "close"), publicListener);
      const received = await read(client.socket, answerHead.length + bytes);

      expect(digestOf(received.subarray(answerHead.length))).toBe(digestOf(content.subarray(0, bytes)));
      client.socket.destroy();
      if (!hasClosed) return;
    }
  });

  for (const end of ["client", "server"] as const) {
    test(`whose ${end} resets while bytes are buffered for it is closed at the other end`, async () => {
      const { publicListener, client, other } = await openForwarded();
      const [resetting, left] = end === "client" ? [client.socket, other] : [other, client.socket];
      left.on("error", () => {});
      const sent = new Promise<void>((resolve) => left.write(largeContent(), () => resolve()));
      expect(await isDoneSoon(sent, publicListener)).toBe(false);

      const closed = new Promise((resolve) => left.once("close", resolve));
      resetting.resetAndDestroy();
      left.resume();
      left.on("end", () => left.destroy());

      await closed;
      await publicListener.stop();
    });
  }

  test("forwards what the client sent before it closed its sending side, and then the response", async () => {
    const { client, other } = await openForwarded();

    client.socket.end("the rest");
    const [received] = await Promise.all([read(other, head.length + "the rest".length), once(other, "end")]);
    other.end("the answer");
    client.socket.resume();

    expect(received.toString()).toBe(`${head}the rest`);
    expect((await client.closed()).toString()).toBe("the answer");
  });
});
