import { afterAll, describe, expect, test } from "bun:test";
import { ask, closeListeners, found, open, request, waitUntilRead } from "../../tests/support/open-listener.ts";
import type { RawConnection } from "../../tests/support/raw-connection.ts";
import { openLog } from "../base/log.ts";
import { type Answer, answerOf } from "../redirects/answer.ts";
import { inFlightMax } from "./fair-queue.ts";

/**
 * The runtime checks for silent connections every four seconds, and may close one a period early. So the shortest timeout may
 * close a connection before its first request is read, and the other one does not.
 */
const shortestTimeoutSeconds = 4;
const idleTimeoutSeconds = 2 * shortestTimeoutSeconds;
/** The pause of a client that sends all the time: much shorter than the timeout, and long enough for other tests to run. */
const pauseMs = 50;

afterAll(closeListeners);

/** A request that the HTTP server refuses: it shows that a connection is accepted. */
async function forwardRequest(connect: () => Promise<RawConnection>): Promise<void> {
  const other = await connect();
  await other.send("GET /\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await other.answers(["GET"]);
  other.socket.destroy();
}

function memoryBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}

/** Resolves when the server has closed its sending side. */
async function ended({ socket }: RawConnection): Promise<void> {
  if (!socket.readableEnded) await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
}

// Most of these wait for a timeout.
describe.concurrent("a connection", () => {
  test("that is idle is closed, with or without an earlier request, and an active one is not", async () => {
    const { connect } = open({ idleTimeoutSeconds });
    const busy = await connect();
    const silent = await connect();
    const active = await connect();
    await ask(active);
    let isClosed = false;

    const closed = Promise.all([silent.closed(), active.closed()]).then((rests) => {
      isClosed = true;
      return rests.map(String);
    });
    do {
      expect(await ask(busy)).toBe(302);
      await Promise.race([closed, Bun.sleep(pauseMs)]);
    } while (!isClosed);

    expect(await closed).toEqual(["", ""]);
    expect(await ask(busy)).toBe(302);
    busy.socket.destroy();
  });

  test("of a trusted proxy stays open while an idle one of another client closes, and closes later", async () => {
    const others = open({ idleTimeoutSeconds: shortestTimeoutSeconds });
    const { connect } = open({
      ...{ idleTimeoutSeconds: shortestTimeoutSeconds, proxyIdleTimeoutSeconds: 2 * shortestTimeoutSeconds },
      isTrusted: () => true,
    });
    const [unused, used] = [await connect(), await connect()];
    const before = await ask(used);
    await (await others.connect()).closed();

    const after = await ask(used);
    await Promise.all([ended(unused), ended(used)]);

    expect([before, after]).toEqual([302, 302]);
    for (const { socket } of [unused, used]) socket.destroy();
  });

  test("whose client disconnects aborts the signal of its pending visit", async () => {
    const { publicListener, connect } = open();
    const pending = Promise.withResolvers<AbortSignal | undefined>();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    publicListener.startAnswering({
      answer({ signal }) {
        pending.resolve(signal?.());
        return promise;
      },
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    });
    const visitor = await connect();
    await visitor.send(request);
    const signal = await pending.promise;
    const before = signal?.aborted;

    visitor.socket.destroy();
    if (signal?.aborted === false) await new Promise((done) => signal.addEventListener("abort", done));

    expect([before, signal?.aborted]).toEqual([false, true]);
    resolve(found);
  });

  test("that is idle is closed even if the client keeps its end open", async () => {
    const { publicListener, connect } = open({ idleTimeoutSeconds });
    const silent = await connect();
    const active = await connect();
    await ask(active);

    await Promise.all([ended(silent), ended(active)]);

    await publicListener.stop();
    for (const { socket } of [silent, active]) socket.destroy();
  });

  test("whose client continues to send after its last request is closed nevertheless", async () => {
    const { publicListener, connect } = open({ idleTimeoutSeconds });
    const [answered, refused] = [await connect(), await connect()];
    await ask(answered, request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    await ask(refused, `GET /${"a".repeat(20_000)}`);
    let isStopped = false;

    const stopped = publicListener.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      for (const { socket } of [answered, refused]) socket.write("a");
      await Promise.race([stopped, Bun.sleep(pauseMs)]);
    }

    for (const { socket } of [answered, refused]) socket.destroy();
  });

  test("whose client reads no responses is closed", async () => {
    const { publicListener, connect } = open({ idleTimeoutSeconds });
    publicListener.startAnswering({
      answer: () => answerOf(200, {}, "a".repeat(64 * 1024)),
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    });
    const deaf = await connect();
    deaf.socket.pause();

    deaf.socket.write(request.repeat(1_000));
    await waitUntilRead(connect);
    await publicListener.stop();

    deaf.socket.destroy();
  });

  test("whose response takes too long gets an error and frees its slot", async () => {
    const { publicListener, connect } = open({ idleTimeoutSeconds });
    const waiting = await Promise.all(Array.from({ length: 2 * inFlightMax }, () => connect()));

    const answers = waiting.map(async (connection) => {
      await connection.send(request.replace("/k", "/late"));
      return (await connection.answers(["GET"]))[0];
    });
    const [first] = await Promise.all(answers);

    expect(first?.status).toBe(503);
    expect(first?.fields).toContainEqual(["retry-after", "5"]);
    const [other] = [await connect()];
    expect(await ask(other)).toBe(302);
    for (const { socket } of [...waiting, other]) socket.destroy();
    await publicListener.stop();
  });

  test("that is rejected while queued releases no slot, because it holds none", async () => {
    const { publicListener, late, connect } = open({ idleTimeoutSeconds });
    let requests = 0;
    publicListener.startAnswering({
      answer() {
        requests++;
        return late.promise;
      },
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    });
    const crowd = async () => await Promise.all(Array.from({ length: 2 * inFlightMax }, () => connect()));
    const refused = await crowd();
    expect(await Promise.all(refused.map((connection) => ask(connection)))).not.toContain(302);

    const others = await crowd();
    await Promise.all(others.map((connection) => connection.send(request)));
    await forwardRequest(connect);

    expect(requests).toBe(2 * inFlightMax);
    for (const { socket } of [...refused, ...others]) socket.destroy();
  });

  test("that sends invalid bytes after its queued request is answered, and releases its slot", async () => {
    const { late, connect } = open();
    const crowd = await Promise.all(Array.from({ length: 2 * inFlightMax }, () => connect()));
    const [served, inLine] = [crowd.slice(0, inFlightMax), crowd.slice(inFlightMax)];
    await Promise.all(served.map((connection) => connection.send(request.replace("/k", "/late"))));
    await Promise.all(inLine.map((connection) => connection.send(request)));
    await forwardRequest(connect);
    await Promise.all(inLine.map((connection) => connection.send("GET /\u00e9 HTTP/1.1\r\n\r\n")));
    await forwardRequest(connect);

    late.resolve(found);
    const answers = await Promise.all(crowd.map((connection) => connection.answers(["GET"])));

    expect(answers.map(([answer]) => answer?.status)).toEqual(crowd.map(() => 302));
    const other = await connect();
    expect(await ask(other)).toBe(302);
    for (const { socket } of [...crowd, other]) socket.destroy();
  });

  test("whose request was forwarded is closed when it is idle again", async () => {
    const { connect } = open({ idleTimeoutSeconds });
    const forwarded = await connect();

    expect(await ask(forwarded, "GET /app HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe(200);

    await ended(forwarded);
  });
});

test("a request is not forwarded on a connection that the HTTP server may be about to close", async () => {
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: (forwarded, self): Response => new Response(String(self.requestIP(forwarded)?.port)),
  });
  const clock = { now: 0 };
  const { connect } = open({ to: { kind: "port", port: Number(server.url.port) }, now: () => clock.now });
  const connection = await connect();
  const portAt = async (now: number) => {
    clock.now = now;
    await connection.send("GET /app HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return String((await connection.answers(["GET"]))[0]?.body);
  };

  const first = await portAt(0);
  const soon = await portAt(20_000);
  const late = await portAt(41_000);
  const last = await portAt(42_000);

  expect({ soon, isNew: late !== first, last }).toEqual({ soon: first, isNew: true, last: late });
  connection.socket.destroy();
  await server.stop(true);
});

describe("a head", () => {
  /** A listener with a manual clock. */
  function openAt() {
    const clock = { now: 0 };
    const half = "GET /k HTTP/1.1\r\nHo";
    return { ...open({ now: () => clock.now }), clock, half, rest: request.slice(half.length) };
  }

  test("that takes longer than half a minute times out", async () => {
    const { connect, clock, half, rest } = openAt();
    const connection = await connect();

    await connection.send(half);
    await waitUntilRead(connect);
    clock.now = 29_000;
    await connection.send(rest.slice(0, 1));
    await waitUntilRead(connect);
    clock.now = 31_000;
    await connection.send(rest.slice(1));

    expect((await connection.closed()).toString()).toBe("");
  });

  test("that is incomplete keeps no earlier bytes in memory", async () => {
    const { connect } = open();
    const ahead = 30;
    const connections = await Promise.all(Array.from({ length: 100 }, () => connect()));
    const long = request.replace("\r\n\r\n", `\r\nX-Long: ${"x".repeat(15_000)}\r\n\r\n`);
    const sentBytes = connections.length * ahead * long.length;
    const before = memoryBytes();

    for (const connection of connections) {
      await connection.send(long.repeat(ahead) + request.slice(0, 20));
      await connection.answers(Array<string>(ahead).fill("GET"));
    }

    expect((memoryBytes() - before) / sentBytes).toBeLessThan(0.5);
    for (const { socket } of connections) socket.destroy();
  });

  test("has half a minute from its own first byte", async () => {
    const { connect, clock, half, rest } = openAt();
    const connection = await connect();
    await connection.send(half);

    for (let round = 1; round <= 5; round++) {
      await waitUntilRead(connect);
      clock.now = round * 20_000;
      expect([round, await ask(connection, rest + request.slice(0, half.length))]).toEqual([round, 302]);
    }

    connection.socket.destroy();
  });
});

test("a response that cannot be sent does not hold back the others of its tick", async () => {
  const { publicListener, connect } = open();
  const connections = await Promise.all(Array.from({ length: 8 }, () => connect()));
  const gathered: (() => void)[] = [];
  let answers = 0;
  let sent = 0;
  publicListener.startAnswering({
    answer() {
      // All eight are sent together in one tick.
      if (++answers === connections.length) setImmediate(() => gathered[0]?.());
      return found;
    },
    domainOf: () => "",
    afterTick: (done) => gathered.push(done),
    onSent() {
      if (++sent === 1) throw new Error("The first one cannot be counted.");
    },
  });

  const statuses = await Promise.all(connections.map((connection) => ask(connection)));

  expect(statuses.toSorted()).toEqual([...Array(connections.length - 1).fill(302), 503]);
  for (const { socket } of connections) socket.destroy();
});

describe("stopping", () => {
  test("finishes the pending response and closes idle connections", async () => {
    const { publicListener, late, connect } = open();
    const waiting = await connect();
    const idle = await connect();
    await waiting.send(request.replace("/k", "/late") + request);
    await ask(idle);

    const stopped = publicListener.stop();
    await ended(idle);
    late.resolve(found);
    const [answer] = await waiting.answers(["GET"]);
    await stopped;

    expect(answer?.fields).toContainEqual(["connection", "close"]);
    expect((await waiting.closed()).toString()).toBe("");
    idle.socket.destroy();
  });

  test("answers a request that has arrived, and is not read yet", async () => {
    const { publicListener, connect } = open();
    const client = await connect();
    await ask(client);

    client.socket.write(request);
    const stopped = publicListener.stop();
    const [answer] = await client.answers(["GET"]);
    await stopped;

    expect(answer).toMatchObject({ status: 302, fields: expect.arrayContaining([["connection", "close"]]) });
    expect((await client.closed()).toString()).toBe("");
  });

  test("answers the first request of a connection that was just opened", async () => {
    const { publicListener, connect } = open();
    const client = await connect();

    const stopped = publicListener.stop();
    await client.send(request);
    const [answer] = await client.answers(["GET"]);
    await stopped;

    expect(answer).toMatchObject({ status: 302, fields: expect.arrayContaining([["connection", "close"]]) });
  });

  test("answers a request that was forwarded too late for the HTTP server with 503, and logs no error", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const port = Number(server.url.port);
    await server.stop(true);
    const lines: string[] = [];
    const { publicListener, connect } = open({
      to: { kind: "port", port },
      log: openLog("error", (line) => lines.push(line)),
    });
    const stopped = Promise.withResolvers<void>();
    publicListener.startAnswering({
      answer() {
        // While the connection to the HTTP server is opened.
        queueMicrotask(() => void publicListener.stop().then(stopped.resolve));
        return undefined;
      },
      domainOf: () => "",
      afterTick: setImmediate,
      onSent() {},
    });
    const client = await connect();

    const status = await ask(client);
    await stopped.promise;

    expect({ status, lines }).toEqual({ status: 503, lines: [] });
  });
});
