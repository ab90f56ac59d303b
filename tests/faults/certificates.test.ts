/** Certificates from a real authority, Pebble. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { Agent } from "node:https";
import { axios, Client } from "acme-client";
import { hourMs, minuteMs } from "../../src/base/time.ts";
import { accountPause } from "../../src/certificates/acme-account.ts";
import type { CertificateSource } from "../../src/certificates/certificate-source.ts";
import { orderDueCertificates } from "../../src/certificates/order-due-certificates.ts";
import {
  addProven,
  addProvenTo,
  databaseWith,
  openDirectoryProxy,
  openWorld,
  serveHttpChallenges,
} from "../support/certificate-world.ts";
import type { TestDatabase } from "../support/databases.ts";
import { type Pebble, startPebble, verifiesChain } from "../support/pebble.ts";

const startMsMax = 15 * minuteMs;
const dayMs = 24 * hourMs;

type World = Awaited<ReturnType<typeof openWorld>>;
type Options = Parameters<typeof openWorld>[2];

/** A source without certificates: each handshake gets an alert. */
const noCertificates: CertificateSource = {
  find: () => undefined,
  findChallenge: () => undefined,
  httpChallengeResponse: () => undefined,
};

/** The source that the authority asks for challenges: that of the last world. */
let source: CertificateSource = noCertificates;

async function withAuthority(options: Parameters<typeof startPebble>[0], use: (pebble: Pebble) => Promise<void>) {
  const pebble = await startPebble(options);
  const http = await serveHttpChallenges(pebble.httpPort, () => source);
  try {
    await use(pebble);
  } finally {
    http.close();
    await pebble.close();
  }
}

async function withWorld(
  pebble: Pebble,
  database: TestDatabase,
  options: Options,
  use: (world: World) => Promise<void>,
) {
  const world = await openWorld(pebble, database, options);
  source = world.source;
  try {
    await use(world);
  } finally {
    world.close();
  }
}

async function withNames(
  pebble: Pebble,
  names: readonly string[],
  use: (world: World, database: TestDatabase) => Promise<void>,
  options: Options = {},
) {
  const database = await databaseWith(names);
  try {
    await withWorld(pebble, database, options, (world) => use(world, database));
  } finally {
    await database.close();
  }
}

function expectIssued(pebble: Pebble, world: World, name: string): void {
  const chain = world.source.find(name)?.chain;
  expect(chain ?? world.lines.join("")).toContain("-----BEGIN CERTIFICATE-----");
  expect(verifiesChain(pebble, chain ?? "", name)).toBe(true);
}

describe("the authority", () => {
  let pebble: Pebble;
  let http: Server;
  beforeAll(async () => {
    pebble = await startPebble({ blockedNames: ["blocked.example.com"] });
    http = await serveHttpChallenges(pebble.httpPort, () => source);
  }, startMsMax);
  afterAll(async () => {
    http.close();
    await pebble.close();
  });

  test("issues a certificate for a verified domain, which its chain proves", async () => {
    await withNames(pebble, ["go.example.com"], async (world) => {
      await world.order();

      expectIssued(pebble, world, "go.example.com");
      const row = await world.row("go.example.com");
      expect(row).toMatchObject({ problem: null, failures: 0, orderUrl: null, orderKey: null, challenge: null });
      expect(row.sealedKey).not.toContain("PRIVATE KEY");
    });
  });

  test("renews a certificate when a third of its lifetime remains, and not before", async () => {
    await withNames(pebble, ["renewed.example.com"], async (world) => {
      await world.order();
      const first = world.source.find("renewed.example.com");

      world.clock.aheadMs = 57 * dayMs;
      await world.order();
      expect(world.source.find("renewed.example.com")).toBe(first);

      world.clock.aheadMs = 61 * dayMs;
      await world.order();
      expect(world.source.find("renewed.example.com")?.chain).not.toBe(first?.chain);
      expectIssued(pebble, world, "renewed.example.com");
    });
  });

  test("refuses a challenge without an answer, and its words are kept for the owner", async () => {
    await withNames(pebble, ["refused.example.com"], async (world) => {
      source = noCertificates;

      await world.order();

      const row = await world.row("refused.example.com");
      expect(row).toMatchObject({ problemKind: "authority", failures: 1, orderUrl: null, challenge: null });
      expect(row.problem).toContain("refused.example.com");
      expect(row.nextAt - world.now()).toBeGreaterThan(4 * minuteMs);

      source = world.source;
      world.clock.aheadMs = 10 * minuteMs;
      await world.order();
      expectIssued(pebble, world, "refused.example.com");
    });
  });

  test("refuses one name without delaying the others", async () => {
    await withNames(pebble, ["blocked.example.com", "other.example.com"], async (world) => {
      await world.order();

      expect(await world.row("blocked.example.com")).toMatchObject({ problemKind: "authority", failures: 1 });
      expectIssued(pebble, world, "other.example.com");
    });
  });

  test("is not asked while DNS does not route here", async () => {
    await pebble.setDns("add-a", { host: "elsewhere.example.com", addresses: ["192.0.2.7"] });
    await withNames(pebble, ["elsewhere.example.com"], async (world) => {
      await world.order();

      const row = await world.row("elsewhere.example.com");
      expect(row).toMatchObject({ problemKind: "dns", orderedAt: null });
      expect(row.problem).toContain("points to 192.0.2.7, not to this server");
    });
  });

  test("is not asked while a CAA record forbids it", async () => {
    const proxy = await openDirectoryProxy(pebble);
    proxy.answers.caaIdentities = ["pebble.example"];
    const policies = [{ tag: "issue", value: "other.example" }];
    await pebble.setDns("add-caa", { host: "caa.example.com", policies });

    await withNames(
      pebble,
      ["caa.example.com"],
      async (world) => {
        await world.order();

        expect(await world.row("caa.example.com")).toMatchObject({
          problemKind: "caa",
          problem:
            "A CAA record of caa.example.com allows only other.example. Add one for pebble.example, or remove it.",
          orderedAt: null,
        });
      },
      { directory: proxy.directory },
    );
    await proxy.close();
  });

  test("issues a second certificate for www. when its DNS routes here", async () => {
    const name = "second.example.com";
    await withNames(
      pebble,
      [name],
      async (world) => {
        await world.order();

        expectIssued(pebble, world, name);
        expectIssued(pebble, world, `www.${name}`);
        expect(verifiesChain(pebble, world.source.find(name)?.chain ?? "", `www.${name}`)).toBe(false);
      },
      { routesWww: true },
    );
  });

  test("issues the certificate of a domain whose www. name has no DNS, which waits for it", async () => {
    const name = "alone.example.com";
    const database = await databaseWith([name]);
    await withWorld(pebble, database, {}, async (world) => {
      await world.order();

      expectIssued(pebble, world, name);
      expect(await world.row(`www.${name}`)).toMatchObject({ problemKind: "dns", orderedAt: null });
    });
    await withWorld(pebble, database, { routesWww: true }, async (world) => {
      world.clock.aheadMs = hourMs;
      await world.order();

      expectIssued(pebble, world, `www.${name}`);
    });
    await database.close();
  });

  test("is asked again after Retry-After when it limits orders, first with one name", async () => {
    const proxy = await openDirectoryProxy(pebble);
    const problem = { type: "urn:ietf:params:acme:error:rateLimited", detail: "Too many new orders recently." };
    const limit = { status: 429, headers: { "Retry-After": "3600" }, body: JSON.stringify(problem) };

    await withNames(
      pebble,
      ["limited.example.com", "waiting.example.com"],
      async (world) => {
        proxy.answers.newOrder = limit;
        await world.order();
        const row = await world.row("limited.example.com");
        expect(row).toMatchObject({ problemKind: "authority", problem: problem.detail });
        expect(row.nextAt - world.now()).toBeGreaterThan(59 * minuteMs);

        world.clock.aheadMs = 5 * minuteMs;
        delete proxy.answers.newOrder;
        await world.order();
        expect(world.source.find("waiting.example.com")).toBeUndefined();

        world.clock.aheadMs = 61 * minuteMs;
        await world.order();
        expectIssued(pebble, world, "limited.example.com");
        expectIssued(pebble, world, "waiting.example.com");
      },
      { directory: proxy.directory },
    );
    await proxy.close();
  });

  test("issues a certificate after it has refused more nonces of a request than the client repeats", async () => {
    const proxy = await openDirectoryProxy(pebble);
    const problem = { type: "urn:ietf:params:acme:error:badNonce", detail: "This nonce was used." };
    await withNames(
      pebble,
      ["nonces.example.com"],
      async (world) => {
        const headers = { "Content-Type": "application/problem+json", "Replay-Nonce": "cmVmdXNlZA" };
        proxy.answers.newOrder = { status: 400, headers, body: JSON.stringify(problem) };
        proxy.answers.newOrderTimes = 6;
        await world.order();

        expect(await world.row("nonces.example.com")).toMatchObject({ problem: null, failures: 0 });
        expectIssued(pebble, world, "nonces.example.com");
      },
      { directory: proxy.directory },
    );
    await proxy.close();
  });

  test("that limits the names of one workspace does not keep those of another one waiting", async () => {
    const proxy = await openDirectoryProxy(pebble);
    const problem = {
      type: "urn:ietf:params:acme:error:rateLimited",
      detail: "Too many certificates for example.com.",
    };
    const names = Array.from({ length: 12 }, (_, index) => `n${index}.example.com`);

    await withNames(
      pebble,
      names,
      async (world, database) => {
        proxy.answers.newOrder = {
          ...{ status: 429, headers: { "Retry-After": "36000" } },
          body: JSON.stringify(problem),
        };
        await world.order();
        delete proxy.answers.newOrder;
        // The proxy's answer does not depend on the name, so this one is added after it.
        await addProven(database, ["other.example.net"]);

        world.clock.aheadMs = 11 * minuteMs;
        await world.order();

        expectIssued(pebble, world, "other.example.net");
        expect((await world.row("n11.example.com")).nextAt - world.now()).toBeGreaterThan(9 * hourMs);
      },
      { directory: proxy.directory },
    );
    await proxy.close();
  });

  test("pauses the orders of all workspaces once for a limit of one, also when that one adds names", async () => {
    const proxy = await openDirectoryProxy(pebble);
    const problem = {
      type: "urn:ietf:params:acme:error:rateLimited",
      detail: "Too many certificates for example.com.",
    };

    await withNames(
      pebble,
      ["first.example.com"],
      async (world, database) => {
        const { workspaceId } = await world.db.selectFrom("domains").select("workspaceId").executeTakeFirstOrThrow();
        proxy.answers.newOrder = {
          ...{ status: 429, headers: { "Retry-After": "36000" } },
          body: JSON.stringify(problem),
        };
        await world.order();
        const isPaused = async () =>
          (await accountPause(world.deps, world.deps.authority.directory)).until > world.now();
        const atFirst = await isPaused();
        world.clock.aheadMs = 11 * minuteMs;
        await addProvenTo(workspaceId, database, ["second.example.com"]);
        await world.order();

        expect([atFirst, await isPaused()]).toEqual([true, false]);
        expect(await world.row("second.example.com")).toMatchObject({ problem: problem.detail, failures: 0 });
      },
      { directory: proxy.directory },
    );
    await proxy.close();
  });

  test("gets the one order after a pause in the next step, however many names before it wait for their DNS", async () => {
    const waiting = Array.from({ length: 5 }, (_, index) => `far${index}.example.com`);
    for (const host of waiting) await pebble.setDns("add-a", { host, addresses: ["192.0.2.7"] });
    await withNames(pebble, waiting, async (world, database) => {
      await world.order();
      await world.db.updateTable("acmeAccounts").set({ failures: 1 }).execute();
      await addProven(database, ["ready.example.net"]);
      world.clock.aheadMs = hourMs;

      await orderDueCertificates(world.deps, world.stopping.signal);

      expectIssued(pebble, world, "ready.example.net");
    });
  });

  test("gets a new account after it has closed the former one", async () => {
    await withNames(pebble, ["before.example.com"], async (world, database) => {
      await world.order();
      const account = () => world.db.selectFrom("acmeAccounts").selectAll().executeTakeFirstOrThrow();
      const former = await account();
      axios.defaults.httpsAgent = new Agent({ ca: readFileSync(pebble.caFile) });
      const accountKey = world.deps.keys.open(former.sealedKey, "acmeAccounts.sealedKey", former.directory);
      const client = new Client({ directoryUrl: former.directory, accountKey, accountUrl: former.url ?? "" });
      await client.updateAccount({ status: "deactivated" });

      await addProven(database, ["after.example.com"]);
      world.clock.aheadMs = 2 * hourMs;
      await world.order();
      await world.order();

      expectIssued(pebble, world, "after.example.com");
      expect((await account()).url).not.toBe(former.url);
    });
  });

  test("continues an order that a restart interrupted", async () => {
    const database = await databaseWith(["restart.example.com"]);
    await withWorld(pebble, database, {}, async (world) => {
      const { refresh } = world.deps;
      world.deps.refresh = async () => {
        world.stopping.abort();
        await refresh();
      };
      await world.order();
      expect(world.source.find("restart.example.com")).toBeUndefined();
    });

    await withWorld(pebble, database, {}, async (world) => {
      const { orderUrl, orderedAt } = await world.row("restart.example.com");
      expect(orderUrl).not.toBeNull();
      await world.order();

      expectIssued(pebble, world, "restart.example.com");
      expect((await world.row("restart.example.com")).orderedAt).toBe(orderedAt);
    });
    await database.close();
  });

  test("is not asked with another secret, and no key is lost", async () => {
    const database = await databaseWith(["secret.example.com"]);
    await withWorld(pebble, database, {}, (world) => world.order());

    await withWorld(pebble, database, { secret: "another secret, which did not seal the keys" }, async (world) => {
      await addProven(database, ["new.example.com"]);
      await world.order();

      expect(world.source.find("secret.example.com")).toBeUndefined();
      const { problemKind, problem } = await world.row("new.example.com");
      expect({ problemKind, problem }).toMatchObject({
        problemKind: "secret",
        problem: expect.stringContaining("Set WAYPOST_SECRET"),
      });
      expect(world.lines.join("")).toContain("A certificate cannot be used.");
    });

    await withWorld(pebble, database, {}, async (world) => expectIssued(pebble, world, "secret.example.com"));
    await database.close();
  });

  test("issues certificates for two hundred domains at once", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `d${index}.many.example.com`);
    await withNames(pebble, names, async (world) => {
      await world.order();

      const missing = names.filter((name) => world.source.find(name) === undefined);
      expect(missing).toEqual([]);
      expect(names.filter((name) => !verifiesChain(pebble, world.source.find(name)?.chain ?? "", name))).toEqual([]);
    });
  }, 600_000);
});

// An order takes 13 signed requests. An attempt that fails continues its order in the next one.
test("an authority that refuses most nonces issues a certificate", async () => {
  await withAuthority({ rejectedNonces: 60 }, async (pebble) => {
    await withNames(pebble, ["nonce.example.com"], async (world) => {
      for (let tries = 0; tries < 5 && world.source.find("nonce.example.com") === undefined; tries++) {
        await world.order();
        world.clock.aheadMs += hourMs;
      }

      expectIssued(pebble, world, "nonce.example.com");
    });
  });
}, 300_000);

test("an authority that refuses every nonce pauses all orders, and is no failure of the name", async () => {
  await withAuthority({ rejectedNonces: 100 }, async (pebble) => {
    await withNames(pebble, ["nonces.example.com"], async (world) => {
      await world.order();

      const row = await world.row("nonces.example.com");
      expect(row).toMatchObject({ problemKind: "unreachable", failures: 0 });
      expect(row.problem).toBe("The authority refused every nonce.");
    });
  });
});

test("an authority that requires an external account gets one, and refuses to register without", async () => {
  const hmacKey = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";
  await withAuthority({ externalAccounts: { "kid-1": hmacKey } }, async (pebble) => {
    await withNames(pebble, ["without.example.com"], async (world) => {
      await world.order();

      const { problem, failures } = await world.row("without.example.com");
      expect(problem).toContain("externalAccountBinding");
      expect(failures).toBe(0);
    });

    const externalAccount = { keyId: "kid-1", hmacKey };
    await withNames(
      pebble,
      ["with.example.com"],
      async (world) => {
        await world.order();

        expectIssued(pebble, world, "with.example.com");
      },
      { externalAccount },
    );
  });
});

test("an authority that is down pauses all orders, and gets a new account when it has forgotten the former one", async () => {
  await withAuthority({}, async (pebble) => {
    await withNames(pebble, ["first.example.com"], async (world, database) => {
      await world.order();
      await pebble.stop();
      await addProven(database, ["down.example.com", "later.example.com"]);

      await world.order();
      const row = await world.row("down.example.com");
      expect(row).toMatchObject({ problemKind: "unreachable", failures: 0 });

      await pebble.start();
      world.clock.aheadMs = 2 * hourMs;
      await world.order();
      await world.order();
      await world.order();
      expectIssued(pebble, world, "down.example.com");
      expectIssued(pebble, world, "later.example.com");
    });
  });
});
