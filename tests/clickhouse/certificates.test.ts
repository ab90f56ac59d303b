/** Certificates of several nodes, from a real authority, Pebble. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minuteMs } from "../../src/base/time.ts";
import { orderDueCertificates } from "../../src/certificates/order-due-certificates.ts";
import { asLeader, becomeLeader } from "../../src/nodes/leader.ts";
import { databaseWith, openWorld, serveHttpChallenges } from "../support/certificate-world.ts";
import { type Pebble, startPebble, verifiesChain } from "../support/pebble.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";
import { eventually } from "../support/server.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { withNodesOn } from "./running-nodes.ts";

const startMsMax = 15 * minuteMs;
const testMsMax = 5 * minuteMs;
const domain = "go.example.net";

let pebble: Pebble;
let postgres: TestPostgres;
let clickHouse: TestClickHouse;
beforeAll(async () => {
  [pebble, postgres, clickHouse] = await Promise.all([startPebble(), sharedPostgres(), openClickHouse()]);
}, startMsMax);
afterAll(async () => {
  await Promise.all([pebble.close(), postgres.stop(), clickHouse.stop()]);
});

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "waypost-node-"));
}

function servesCertificate(name: string): boolean {
  const connected = Bun.spawnSync(
    [
      ...["openssl", "s_client", "-connect", `127.0.0.1:${pebble.tlsPort}`, "-servername", name],
      ...["-CAfile", pebble.rootFile, "-verify_return_error", "-verify_hostname", name],
    ],
    { stdin: new Uint8Array() },
  );
  return connected.exitCode === 0;
}

test(
  "the authority may ask a node that did not order, and all nodes serve the certificate",
  () =>
    withNodesOn({ postgres, clickHouse }, async (nodes) => {
      const common = {
        WAYPOST_URL: "https://links.example.com",
        WAYPOST_IPS: "127.0.0.1",
        WAYPOST_RESOLVERS: pebble.dns,
        WAYPOST_ACME_ACCEPT_TERMS: "true",
        WAYPOST_ACME_DIRECTORY: pebble.directory,
        WAYPOST_ACME_CA: pebble.caFile,
      };
      const ports = { WAYPOST_HTTP_PORT: String(pebble.httpPort), WAYPOST_HTTPS_PORT: String(pebble.tlsPort) };
      const leader = await nodes.start(newFolder(), { ...common, WAYPOST_HTTP_PORT: "0", WAYPOST_HTTPS_PORT: "0" });
      await nodes.start(newFolder(), { ...common, ...ports });
      const { body } = await leader.call("POST", "/domains", { body: { slug: domain } });
      const { body: dns } = await leader.call("GET", `/domains/${domain}/dns`);
      const { name, value } = Object(dns).ownership.expected;
      await pebble.setDns("set-txt", { host: `${name}.`, value });
      await leader.call("POST", `/domains-v2/${Object(body).id}/verify`);

      const certificate = await eventually(
        () => leader.call("GET", `/domains/${domain}/certificate`),
        ({ body }) => Object(body).state === "valid" || Object(body).problem !== null,
      );

      expect(certificate.body).toMatchObject({ state: "valid", problem: null });
      expect(await eventually(async () => servesCertificate(domain), Boolean)).toBe(true);
    }),
  testMsMax,
);

test(
  "a leader that is replaced during an order changes nothing more, and the next one continues the order",
  async () => {
    const database = await databaseWith([domain]);
    const world = await openWorld(pebble, database);
    const challenges = await serveHttpChallenges(pebble.httpPort, () => world.source);
    const { db, deps, stopping } = world;
    const order = (token: number) => asLeader(token, () => orderDueCertificates(deps, stopping.signal));
    const first = await becomeLeader(db, "first");
    let second: number | undefined;
    const refresh = async () => {
      await world.source.refresh();
      second ??= await becomeLeader(db, "second");
    };
    try {
      const replaced = asLeader(first, () => orderDueCertificates({ ...deps, refresh }, stopping.signal));
      await expect(replaced).rejects.toThrow("Another node runs the tasks now.");
      const pending = await world.row(domain);
      await order(second ?? first);
      const issued = await world.row(domain);

      expect(pending).toMatchObject({ chain: null, problem: null });
      expect(pending.orderUrl).toBeString();
      expect(issued.orderedAt).toBe(pending.orderedAt);
      expect(verifiesChain(pebble, issued.chain ?? "", domain)).toBe(true);
    } finally {
      challenges.close();
      world.close();
      await database.close();
    }
  },
  testMsMax,
);
