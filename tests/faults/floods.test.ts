/** Overload of the listener: pipelined requests, and connections beyond its limit. */
import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "bun";
import { inFlightMax } from "../../src/http1/fair-queue.ts";
import type { PublicListener } from "../../src/http1/public-listener.ts";
import { ask, closeListeners, found, open } from "../support/open-listener.ts";

afterEach(closeListeners);

/** Resolves when the listener has no connections. */
async function allClosed(publicListener: PublicListener): Promise<void> {
  while (publicListener.connections().taken > 0) await new Promise((resolve) => setImmediate(resolve));
}

/** An HTTP server whose responses the test writes; `received` is the first connection that has sent bytes. */
function listen() {
  const first = Promise.withResolvers<Socket>();
  const listener = Bun.listen({
    port: 0,
    hostname: "127.0.0.1",
    socket: { data: (socket) => first.resolve(socket) },
  });
  return { port: listener.port, received: () => first.promise, close: () => listener.stop(true) };
}

/** One end of a connection; `onData` is called when the other end receives bytes. */
async function connectedPair(onData: () => void): Promise<Socket> {
  const listener = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data: onData } });
  const socket = await Bun.connect({ port: listener.port, hostname: "127.0.0.1", socket: { data() {} } });
  listener.unref();
  return socket;
}

describe("a flood", () => {
  /** A listener that answers every visit at once and records the requested hosts in order. */
  function openRecording() {
    const requestedHosts: string[] = [];
    const { publicListener, connect } = open();
    publicListener.startAnswering({
      answer({ headers }) {
        requestedHosts.push(headers.host ?? "");
        return found;
      },
      domainOf: (host = "") => host,
      afterTick: setImmediate,
      onSent() {},
    });
    return { requestedHosts, connect };
  }

  const ahead = 5_000;
  const requestOf = (host: string) => `GET /k HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  test("of pipelined requests for one domain does not delay a visitor of another", async () => {
    const { requestedHosts, connect } = openRecording();
    const flood = await connect();
    const visitor = await connect();

    await Promise.all([flood.send(requestOf("flooded").repeat(ahead)), ask(visitor, requestOf("calm"))]);
    await flood.answers(Array(ahead).fill("GET"));

    // The requests of one read of the connection; the visitor's is read soon after.
    expect(requestedHosts.indexOf("calm")).toBeLessThan(4 * inFlightMax);
    expect(requestedHosts.length).toBe(ahead + 1);
    for (const { socket } of [flood, visitor]) socket.destroy();
  });

  test("of many pipelining connections leaves no request unanswered", async () => {
    const { requestedHosts, connect } = openRecording();
    const flood = await Promise.all(Array.from({ length: 300 }, () => connect()));
    const visitor = await connect();

    const requests = flood.map((connection) => ask(connection, requestOf("flooded").repeat(20)));
    await Promise.all([...requests, ask(visitor, requestOf("calm"))]);
    await Promise.all(flood.map((connection) => connection.answers(Array(19).fill("GET"))));

    expect(requestedHosts.length).toBe(300 * 20 + 1);
    for (const { socket } of [...flood, visitor]) socket.destroy();
  });
});

// The write fails before the event loop sees the reset; the runtime then reports no close of a paused socket.
describe("a connection that is reset right before its answer is written, while more of its requests wait,", () => {
  const ahead = 1_000;

  test("is closed when a visit's answer is written", async () => {
    const { publicListener, late, connect } = open();
    const received = Promise.withResolvers<void>();
    let answers = 0;
    publicListener.startAnswering({
      answer() {
        received.resolve();
        return answers++ === 0 ? late.promise : new Promise(() => {});
      },
      domainOf: () => "",
      afterTick: (send) => send(),
      onSent() {},
    });
    const { socket } = await connect();
    socket.write("GET /k HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(ahead));
    await received.promise;

    socket.resetAndDestroy();
    late.resolve(found);

    await allClosed(publicListener);
  });

  test("is closed when the HTTP server's answer is written", async () => {
    const app = "GET /app HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const backend = listen();
    const { publicListener, connect } = open({ to: { kind: "port", port: backend.port } });
    const { socket } = await connect();
    socket.write(app.repeat(ahead));
    const proxy = await backend.received();
    const signal = await connectedPair(() => socket.resetAndDestroy());

    // Both arrive in one tick of the event loop, the signal first.
    signal.write("reset");
    proxy.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

    await allClosed(publicListener);
    backend.close();
  });
});

describe("too many connections", () => {
  /** The number of connections that the listener accepts with this limit. */
  const fileDescriptorsMax = 200;
  const connectionsMax = 150;

  test("are closed at once while others are answered, and accepted again when those have closed", async () => {
    const { publicListener, connect } = open({ fileDescriptorsMax, isTrusted: () => true });
    const first = await connect();
    const crowd = await Promise.all(Array.from({ length: 2 * connectionsMax }, () => connect()));

    const statuses = await Promise.all(crowd.map((one) => ask(one).catch(() => "closed")));

    expect(statuses.filter((status) => status === 302).length).toBe(connectionsMax - 1);
    expect(statuses.filter((status) => status === "closed").length).toBe(connectionsMax + 1);
    expect(publicListener.connections()).toMatchObject({ taken: connectionsMax, refused: connectionsMax + 1 });
    expect(await ask(first)).toBe(302);

    for (const { socket } of crowd) socket.destroy();
    while (publicListener.connections().taken > 1) await Bun.sleep(1);
    expect(await ask(await connect())).toBe(302);
    first.socket.destroy();
  });

  test("to the HTTP server get 503, and are accepted again when others have closed", async () => {
    const { publicListener, connect } = open({ fileDescriptorsMax, isTrusted: () => true });
    const app = "GET /app HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const crowd = await Promise.all(Array.from({ length: connectionsMax / 2 }, () => connect()));

    const statuses = await Promise.all(crowd.map((one) => ask(one, app)));

    expect(statuses.filter((status) => status === 503).length).toBe(statuses.length - Math.floor(connectionsMax / 4));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(connectionsMax / 4 - 1);
    for (const { socket } of crowd) socket.destroy();
    await allClosed(publicListener);
    expect(await ask(await connect(), app)).toBe(200);
  });
});
