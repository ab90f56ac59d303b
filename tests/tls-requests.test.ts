/** Requests over TLS, byte by byte: the listener handles them as it handles those without TLS. */
import { afterEach, expect, test } from "bun:test";
import type { PublicListenerOptions } from "../src/http1/public-listener.ts";
import { createAuthority, openTestCertificates } from "./support/certificates.ts";
import { closeListeners, found, open } from "./support/open-listener.ts";
import { openRaw, type RawConnection } from "./support/raw-connection.ts";

const name = "go.example.com";
const authority = createAuthority();
const certificate = authority.issue([name]);

afterEach(closeListeners);

/** A listener whose HTTP server echoes bodies, and a client with TLS. */
function openTls(options: Partial<PublicListenerOptions> = {}) {
  const backend = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "POST") return new Response(await request.arrayBuffer());
      return new Response(new Uint8Array(largeBytes).fill(largeByte));
    },
  });
  const opened = open({ httpsPort: 0, to: { kind: "port", port: Number(backend.url.port) }, ...options });
  const certificates = openTestCertificates();
  certificates.byName.set(name, certificate);
  opened.publicListener.startAnswering(
    {
      answer: ({ path }) => (path === "app" ? undefined : path === "late" ? opened.late.promise : found),
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    },
    { certificates },
  );
  const url = `https://127.0.0.1:${opened.publicListener.httpsPort}`;
  return { ...opened, backend, connect: () => openRaw(url, { tls: { servername: name, ca: authority.root } }) };
}

const largeBytes = 8 * 1024 * 1024;
const largeByte = 0x78;

function visit(path: string): string {
  return `GET /${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`;
}

async function statuses(connection: RawConnection, count: number): Promise<number[]> {
  const answers = await connection.answers(Array<string>(count).fill("GET"));
  return answers.map(({ status }) => status);
}

test("hundreds of pipelined visits are answered in order, between forwarded requests too", async () => {
  const { connect } = openTls();
  const client = await connect();

  await client.send(visit("k").repeat(200) + visit("app") + visit("k").repeat(200));
  const answers = await statuses(client, 401);

  expect(answers).toEqual([...Array(200).fill(302), 200, ...Array(200).fill(302)]);
  client.socket.destroy();
});

test("a request sent byte by byte is answered", async () => {
  const { connect } = openTls();
  const client = await connect();
  client.socket.setNoDelay(true);

  for (const byte of visit("k")) await client.send(byte);

  expect(await statuses(client, 1)).toEqual([302]);
  client.socket.destroy();
});

test("a large body and a large response pass unchanged, to a client that reads slowly too", async () => {
  const { connect } = openTls({ bodyBytesMax: 4 * 1024 * 1024 });
  const client = await connect();
  const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));
  const head = `POST /app HTTP/1.1\r\nHost: ${name}\r\nContent-Length: ${body.length}\r\n\r\n`;

  await client.send(Buffer.concat([Buffer.from(head), body]));
  const [echoed] = await client.answers(["POST"]);
  client.socket.pause();
  await client.send(visit("app"));
  await new Promise(setImmediate);
  client.socket.resume();
  const [large] = await client.answers(["GET"]);

  expect(echoed?.body.equals(body)).toBe(true);
  expect(large?.body.length).toBe(largeBytes);
  expect(large?.body.every((byte) => byte === largeByte)).toBe(true);
  client.socket.destroy();
});

test("a client that closes its sending side still gets the answer that is being computed", async () => {
  const { connect, late } = openTls();
  const client = await connect();

  await client.send(visit("late"));
  client.socket.end();
  late.resolve(found);

  expect(String(await client.closed())).toStartWith("HTTP/1.1 302 Found");
});

test("an idle connection is closed", async () => {
  // With a timeout of less than five seconds, the runtime may close a connection before it has read the request.
  const { connect, publicListener } = openTls({ idleTimeoutSeconds: 8 });
  const silent = await connect();
  const active = await connect();
  await active.send(visit("k"));
  await statuses(active, 1);

  await Promise.all([silent.closed(), active.closed()]);

  while (publicListener.connections().taken > 0) await new Promise(setImmediate);
});

test("a client that reads nothing of a forwarded response is closed after the write timeout", async () => {
  const { connect, publicListener } = openTls({ writeTimeouts: { secondsMax: 4 } });
  const client = await connect();
  client.socket.pause();

  await client.send(visit("app").repeat(8));
  while (publicListener.connections().taken > 0) await new Promise((done) => setTimeout(done, 50));

  client.socket.destroy();
});

test("a request whose end is ambiguous is rejected with a readable answer", async () => {
  const { connect } = openTls();
  const client = await connect();

  await client.send(`POST /app HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const [answer] = await client.answers(["POST"]);

  expect(answer?.status).toBe(400);
  await client.closed();
});

test("the connection limits count connections with TLS", async () => {
  const { connect, publicListener } = openTls({ fileDescriptorsMax: 12 });
  const clients: RawConnection[] = [];

  for (let count = 0; count < 12; count++) clients.push(await connect());

  // Three of the twelve are reserved; when three quarters of the others are in use, a network gets no more.
  expect(publicListener.connections()).toMatchObject({ taken: 7, refused: 5 });
  for (const { socket } of clients) socket.destroy();
});

test("a stop finishes the pending answer and closes the others", async () => {
  const { connect, publicListener, late } = openTls();
  const idle = await connect();
  const pending = await connect();
  await pending.send(visit("late"));
  await idle.send(visit("k"));
  await statuses(idle, 1);

  const stopped = publicListener.stop();
  late.resolve(found);

  expect(String(await pending.closed())).toContain("Connection: close");
  await idle.closed();
  await stopped;
});
