/** Sockets that a service manager such as systemd opens, so that visits wait for a restart: sd_listen_fds(3). */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "../../src/base/log.ts";
import { openPublicListener } from "../../src/http1/public-listener.ts";
import { createAuthority, openTestCertificates } from "../support/certificates.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { type Handing, openIdleSocket, openListeningSocket, serveWithSockets } from "../support/handed-socket.ts";
import { found } from "../support/open-listener.ts";
import { childrenOf } from "../support/processes.ts";
import { askRaw } from "../support/raw-connection.ts";
import { browser, clientOf } from "../support/server.ts";

const linuxTest = test.skipIf(process.platform !== "linux");
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function openSocket() {
  const socket = openListeningSocket();
  ends.push(() => socket.close());
  return socket;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waypost-sockets-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function serve(handing: Handing) {
  const server = serveWithSockets(handing);
  ends.push(() => server.kill());
  return server;
}

/** Visits a link again and again, each time on a new connection and never twice, until the end. */
async function visitUntil(ended: AbortSignal, url: string): Promise<{ redirected: number; others: string[] }> {
  const visits = { redirected: 0, others: [] as string[] };
  const options = { redirect: "manual", headers: { ...browser, Connection: "close" }, keepalive: false } as const;
  while (!ended.aborted) {
    try {
      const { status } = await fetch(`${url}/there`, options);
      if (status === 302) visits.redirected++;
      else visits.others.push(String(status));
    } catch (error) {
      visits.others.push(String(error));
    }
  }
  return visits;
}

linuxTest(
  "no visit is refused while the service restarts, and each is counted",
  async () => {
    const socket = openSocket();
    const handing = { data: newFolder(), sockets: [socket], environment: { WAYPOST_PORT: String(socket.port) } };
    const url = `http://127.0.0.1:${socket.port}`;
    const client = clientOf(url);
    let server = serve(handing);
    await server.ready();
    await client.call("POST", "/links", { body: { url: "https://example.com/there", key: "there" } });

    const end = new AbortController();
    const visitors = Array.from({ length: 4 }, () => visitUntil(end.signal, url));
    for (let restarts = 0; restarts < 2; restarts++) {
      await Bun.sleep(300);
      server.stop();
      expect(await server.exited()).toBe(0);
      server = serve(handing);
      await server.ready();
    }
    await Bun.sleep(300);
    end.abort();
    const visits = await Promise.all(visitors);

    expect(server.output()).toContain(`"ports":[${socket.port}]`);
    expect(visits.flatMap(({ others }) => others)).toEqual([]);
    const redirected = visits.reduce((sum, each) => sum + each.redirected, 0);
    expect(redirected).toBeGreaterThan(visitors.length);
    const service = { ...client, url, data: handing.data, environment: {}, output: server.output, async remove() {} };
    await waitUntilDrained(service);
    const report = await client.call("GET", "/analytics/clicks?interval=24h");
    expect(report.body).toMatchObject({ clicks: redirected });

    // The store process, which runs by now, has no part of the socket.
    const ofSocket = readlinkSync(`/proc/self/fd/${socket.fd}`);
    const holders = [server.pid, ...descendantsOf(server.pid)].filter((pid) => descriptorsOf(pid).includes(ofSocket));
    expect(descendantsOf(server.pid).length).toBeGreaterThan(1);
    expect(holders).toEqual([server.pid, ...childrenOf(server.pid)]);
  },
  60_000,
);

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
}

linuxTest("sockets that are meant for another process are left alone", async () => {
  const [socket, other] = [openSocket(), openSocket()];
  other.close();
  const environment = { WAYPOST_PORT: String(other.port) };
  const server = serve({ data: newFolder(), sockets: [socket], environment, listenPid: "1" });
  await server.ready();

  const answer = await fetch(`http://127.0.0.1:${other.port}/healthz`);

  expect(answer.status).toBe(200);
  server.stop();
  expect(await server.exited()).toBe(0);
});

linuxTest("a start says which socket it cannot use, and why", async () => {
  const [one, two, idle] = [openSocket(), openSocket(), openIdleSocket()];
  ends.push(idle.close);
  const refusal = async (handing: Omit<Handing, "data">) => {
    const server = serve({ data: newFolder(), ...handing });
    expect(await server.exited()).toBe(1);
    return server.output().trimEnd();
  };
  const port = { WAYPOST_PORT: String(one.port) };

  const [unknown, twice, workers, notListening, noSocket, tooMany, noNumber] = await Promise.all([
    refusal({ sockets: [one, two], environment: { ...port, WAYPOST_HTTPS_PORT: "8443" } }),
    refusal({ sockets: [one, one], environment: port }),
    refusal({ sockets: [one], environment: { ...port, WAYPOST_WORKERS: "2" } }),
    refusal({ sockets: [one, idle], environment: port }),
    refusal({ sockets: [one, { fd: 0 }], environment: port }),
    refusal({ sockets: [one], environment: port, listenFds: "6" }),
    refusal({ sockets: [one], environment: port, listenFds: "two" }),
  ]);

  expect(unknown).toBe(
    `waypost: The service manager hands over a socket on port ${two.port}, which is the port of no option (WAYPOST_PORT=${one.port}, WAYPOST_HTTP_PORT=, WAYPOST_HTTPS_PORT=8443). Change ListenStream= in the socket unit, or the option.`,
  );
  expect(twice).toContain(`hands over two sockets on port ${one.port}, and Waypost uses one.`);
  expect(workers).toStartWith("waypost: WAYPOST_WORKERS: redirect workers cannot use the sockets");
  expect(notListening).toContain("hands over descriptor 4, which is no listening TCP socket.");
  expect(noSocket).toBe("waypost: LISTEN_FDS: 2 sockets are announced, but descriptor 4 is none.");
  expect(tooMany).toBe("waypost: LISTEN_FDS: 6 sockets are announced, but descriptor 4 is none.");
  expect(noNumber).toBe('waypost: LISTEN_FDS: "two" is not a number of sockets, such as 2.');
});

linuxTest("a listener with TLS answers on a socket that was handed over; its connections outlast a stop", async () => {
  const name = "go.example.com";
  const socket = openSocket();
  const authority = createAuthority();
  const certificates = openTestCertificates();
  certificates.byName.set(name, authority.issue([name]));
  const listen = () => {
    const listener = openPublicListener({
      ...{ port: 0, httpsPort: socket.port, hostname: "127.0.0.1", log: openLog("error") },
      ...{ handedOver: { https: socket.duplicate() }, to: { kind: "port", port: 9 } },
    });
    ends.push(() => listener.close());
    const handler = { domainOf: () => "", afterTick: setImmediate, onSent() {}, answer: () => found };
    listener.startAnswering(handler, { certificates });
    return listener;
  };
  const visit = () =>
    askRaw(`https://127.0.0.1:${socket.port}`, `GET /x HTTP/1.1\r\nHost: ${name}\r\n\r\n`, {
      tls: { servername: name, ca: authority.root },
    });

  const former = listen();
  const answer = await visit();
  await former.stop();
  const waiting = visit();
  await Bun.sleep(50);
  listen();

  expect(former.httpsPort).toBe(socket.port);
  expect(answer.status).toBe(302);
  expect((await waiting).status).toBe(302);
});
