import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type DnsServer, startDnsServer } from "../../tests/support/dns-server.ts";
import { openResolver } from "./dns.ts";
import { judge, ownershipRecord } from "./domain.ts";
import { askNameServers } from "./name-servers.ts";

/**
 * Two real servers: a resolver with an older answer, and the name server of the zone on another address of loopback. The
 * latter is also a configured resolver, which is why it may be asked; the first one answers before it.
 */
let resolving: DnsServer;
let authority: DnsServer;

const slug = "go.zone.example";
const claim = { slug, token: "t0ken", status: "pending", failingSince: null } as const;
const { name, value } = ownershipRecord(slug, claim.token);
const now = Date.UTC(2026, 10, 20);

beforeEach(async () => {
  resolving = await startDnsServer();
  authority = await startDnsServer({ host: "127.0.0.2", isAuthoritative: true });
  resolving.answer("zone.example", { kind: "name-servers", servers: ["ns1.dns.example"] });
  resolving.answer("ns1.dns.example", { kind: "address", type: "A", addresses: ["127.0.0.2"] });
});
afterEach(async () => {
  await Promise.all([resolving.close(), authority.close()]);
});

const open = (servers = [resolving.address, authority.address]) => openResolver({ servers, budgetMs: 5_000 });
const asked = (server: DnsServer) => server.queries.filter((query) => query.name === name);

async function check(resolver = open()) {
  const lookup = await resolver.lookupTxt(name);
  return judge(claim, lookup, now, await askNameServers(resolver, { slug, name }));
}

test("a record that only the name server has yet proves the ownership", async () => {
  resolving.answer(name, { kind: "txt", records: ["waypost-verify=old"], ttlSeconds: 1_800 });
  authority.answer(name, { kind: "txt", records: ["other", value] });

  const { success, message } = await check();

  expect({ success, message }).toEqual({
    success: true,
    message:
      "go.zone.example is verified: its name server ns1.dns.example has the TXT record. Other DNS servers see it within 1800 seconds.",
  });
});

test("without a record, the message says which name server was asked", async () => {
  authority.answer(name, { kind: "txt", records: ["waypost-verify=new"] });

  const { success, message } = await check();

  expect(success).toBe(false);
  expect(message).toEndWith('but found "waypost-verify=new" (asked its name server ns1.dns.example).');
});

test("the zone is the closest one, and an alias leads to none", async () => {
  resolving.answer("go.zone.example", { kind: "alias", target: "other.example" });
  resolving.answer("other.example", { kind: "name-servers", servers: ["ns.other.example"] });
  authority.answer(name, { kind: "empty" });

  expect(await askNameServers(open(), { slug, name })).toEqual([
    { nameServer: "ns1.dns.example", lookup: { kind: "absent", reason: "empty" } },
  ]);
});

describe("no answer counts", () => {
  test("of a server that is not authoritative", async () => {
    resolving.answer("ns1.dns.example", { kind: "address", type: "A", addresses: ["127.0.0.1"] });
    resolving.answer(name, { kind: "txt", records: [value] });

    expect(await askNameServers(open(), { slug, name })).toEqual([]);
  });

  test("of an address that is neither public nor configured, which gets no query", async () => {
    authority.answer(name, { kind: "txt", records: [value] });

    expect(await askNameServers(open([resolving.address]), { slug, name })).toEqual([]);
    expect(asked(authority)).toEqual([]);
  });

  test("of a server that refuses", async () => {
    authority.answer(name, { kind: "refused" });

    expect(await askNameServers(open(), { slug, name })).toEqual([]);
  });
});

test("at most three name servers are asked", async () => {
  const servers = [1, 2, 3, 4, 5].map((number) => `ns${number}.dns.example`);
  resolving.answer("zone.example", { kind: "name-servers", servers });
  for (const server of servers) {
    resolving.answer(server, { kind: "address", type: "A", addresses: ["127.0.0.2"] });
  }

  const answers = await askNameServers(open(), { slug, name });

  expect(answers.map(({ nameServer }) => nameServer)).toEqual(servers.slice(0, 3));
  expect(asked(authority)).toHaveLength(3);
});
