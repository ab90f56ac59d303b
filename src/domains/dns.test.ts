import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { type DnsAnswer, type DnsServer, startDnsServer } from "../../tests/support/dns-server.ts";
import { type DnsLookup, type DnsType, openResolver } from "./dns.ts";
import type { TxtLookup, UnreachableReason } from "./domain.ts";

const name = "_waypost.go.example.com";
const ampleMs = 30_000; // never used up, except by a test that hangs
const shortMs = 200; // for servers that never respond
const sharedMs = 3_000; // for tests in which some servers never respond, and others must respond within their share

let server: DnsServer;
let other: DnsServer;

beforeEach(async () => {
  [server, other] = await Promise.all([startDnsServer(), startDnsServer()]);
});

afterEach(async () => {
  await Promise.all([server.close(), other.close()]);
});

describe("a TXT lookup distinguishes found from absent", () => {
  const long = "x".repeat(255);
  const many = Array.from({ length: 40 }, (_, index) => `record ${index} ${"y".repeat(60)}`);
  const cases: [string, DnsAnswer, TxtLookup][] = [
    ["one record", txt("a=b"), found("a=b")],
    ["several records", txt("a", "b", "c"), found("a", "b", "c")],
    [
      "strings of one record are joined",
      txt(["waypost-", "verify=", "t0ken"], "b"),
      found("waypost-verify=t0ken", "b"),
    ],
    ["a value longer than one string", txt([long, long, "end"]), found(`${long}${long}end`)],
    ["more than a datagram holds", txt(...many), found(...many)],
    ["a record of an empty string", txt(""), found("")],
    ["letters beyond ASCII", txt("übel"), found("übel")],
    ["the name does not exist", { kind: "nxdomain" }, { kind: "absent", reason: "nxdomain" }],
    ["the name has no TXT record", { kind: "empty" }, { kind: "absent", reason: "empty" }],
    [
      "the name has only other records",
      { kind: "address", type: "A", addresses: ["192.0.2.1"] },
      { kind: "absent", reason: "empty" },
    ],
    ["the answer comes over TCP", { kind: "truncated", next: txt("a=b") }, found("a=b")],
    ["absence comes over TCP", { kind: "truncated", next: { kind: "empty" } }, { kind: "absent", reason: "empty" }],
    ["forged answers come first", { kind: "forged-first", forged: txt("forged"), next: txt("true") }, found("true")],
    ["a lost datagram is sent again", { kind: "silence-first", count: 1, next: txt("a=b") }, found("a=b")],
    ["a server from before EDNS", { kind: "before-edns", next: txt("a=b") }, found("a=b")],
  ];
  test.each(cases)("%s", async (_, answer, expected) => {
    server.answer(name, answer);
    const isRetried = answer.kind === "silence-first";
    const resolver = openResolver({ servers: [server.address], budgetMs: isRetried ? sharedMs : ampleMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual(expected);
  });
});

describe("a response that is not credible is unreachable, never absent", () => {
  const cases: [string, DnsAnswer, UnreachableReason][] = [
    ["SERVFAIL", { kind: "servfail" }, "servfail"],
    ["REFUSED", { kind: "refused" }, "refused"],
    ["silence", { kind: "silence" }, "timeout"],
    ["only forged answers", { kind: "forged-first", forged: txt("forged"), next: { kind: "silence" } }, "timeout"],
    ["silence over TCP", { kind: "truncated", next: { kind: "silence" } }, "timeout"],
    ["a connection closed over TCP", { kind: "truncated-then-closed" }, "network"],
    ["FORMERR with EDNS and without", { kind: "format-error" }, "unusable"],
    ["an EDNS version the server does not know", { kind: "bad-version" }, "unusable"],
    ["a referral", { kind: "referral" }, "unusable"],
    // Decoding this one took 600 ms.
    [
      "long chains of pointers",
      { kind: "truncated", next: { kind: "pointer-chains", count: 3_400, next: txt("a=b") } },
      "unusable",
    ],
  ];
  test.each(cases)("%s", async (_, answer, reason) => {
    server.answer(name, answer);
    const resolver = openResolver({ servers: [server.address], budgetMs: reason === "timeout" ? shortMs : ampleMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual({ kind: "unreachable", reason, server: server.address });
  });

  test("many datagrams with the right id that answer nothing", async () => {
    const flooding = createSocket("udp4");
    // A query is no response.
    flooding.on("message", (query, { port }) => {
      for (let count = 0; count < 20; count++) flooding.send(query, port, "127.0.0.1", () => {});
    });
    await new Promise<void>((resolve) => flooding.bind(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${flooding.address().port}`;
    const resolver = openResolver({ servers: [address], budgetMs: ampleMs });

    const lookup = await resolver.lookupTxt(name);
    flooding.close();

    expect(lookup).toEqual({ kind: "unreachable", reason: "unusable", server: address });
  });

  test("a server that is not running", async () => {
    const stopped = await startDnsServer();
    await stopped.close();
    const resolver = openResolver({ servers: [stopped.address], budgetMs: ampleMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual({ kind: "unreachable", reason: "network", server: stopped.address });
  });
});

describe("the resolver queries the next server when one does not answer", () => {
  const dead: [string, DnsAnswer, number][] = [
    ["silence", { kind: "silence" }, sharedMs],
    ["SERVFAIL", { kind: "servfail" }, ampleMs],
    ["REFUSED", { kind: "refused" }, ampleMs],
    ["a referral", { kind: "referral" }, ampleMs],
    ["a connection closed over TCP", { kind: "truncated-then-closed" }, ampleMs],
  ];
  test.each(dead)("after %s", async (_, answer, budgetMs) => {
    server.answer(name, answer);
    other.answer(name, txt("a=b"));
    const resolver = openResolver({ servers: [server.address, other.address], budgetMs });

    const lookup = await resolver.lookup(name, "TXT");

    expect(lookup).toEqual(foundOne({ type: "TXT", name, value: "a=b", ttlSeconds: 300 }, other));
    expect(server.queries.length).toBeGreaterThan(0);
  });

  test("but not when one reports the record as absent", async () => {
    server.answer(name, { kind: "empty" });
    other.answer(name, txt("a=b"));
    const resolver = openResolver({ servers: [server.address, other.address], budgetMs: ampleMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual({ kind: "absent", reason: "empty" });
    expect(other.queries).toEqual([]);
  });

  test("a reported failure takes precedence over another server's silence", async () => {
    server.answer(name, { kind: "silence" });
    other.answer(name, { kind: "servfail" });
    const resolver = openResolver({ servers: [server.address, other.address], budgetMs: sharedMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual({ kind: "unreachable", reason: "servfail", server: other.address });
  });
});

test("one lookup queries at most three servers, and silent ones twice", async () => {
  server.answer(name, { kind: "silence" });
  other.answer(name, { kind: "refused" });
  const servers = [server.address, other.address, server.address, server.address];
  const resolver = openResolver({ servers, budgetMs: sharedMs });

  const lookup = await resolver.lookupTxt(name);

  expect(lookup.kind).toBe("unreachable");
  expect({ silent: server.queries.length, refusing: other.queries.length }).toEqual({ silent: 4, refusing: 1 });
});

test("a process exits once its lookups have settled, with no socket or timer left", async () => {
  server.answer("found.example.com", { kind: "truncated", next: txt("a=b") });
  server.answer("silent.example.com", { kind: "silence" });
  server.answer("silent-tcp.example.com", { kind: "truncated", next: { kind: "silence" } });
  const script = `
    import { openResolver } from "./dns.ts";
    const ample = openResolver({ servers: ["${server.address}"], budgetMs: ${ampleMs} });
    const short = openResolver({ servers: ["${server.address}"], budgetMs: ${shortMs} });
    const silent = ["silent.example.com", "silent-tcp.example.com"].map((name) => short.lookupTxt(name));
    const lookups = await Promise.all([ample.lookupTxt("found.example.com"), ...silent]);
    console.log(lookups.map((lookup) => lookup.kind).join(" "));
  `;

  const child = Bun.spawn([process.execPath, "-e", script], { cwd: import.meta.dir, timeout: ampleMs - 1_000 });
  const output = await new Response(child.stdout).text();

  expect(output.trim()).toBe("found unreachable unreachable");
  expect({ code: await child.exited, signal: child.signalCode }).toEqual({ code: 0, signal: null });
});

test("a repeated lookup queries again, so that it finds a new record", async () => {
  const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });
  server.answer(name, { kind: "nxdomain" });
  const before = await resolver.lookupTxt(name);
  server.answer(name, txt("a=b"));

  const after = await resolver.lookupTxt(name);

  expect([before, after]).toEqual([{ kind: "absent", reason: "nxdomain" }, found("a=b")]);
});

test("lookups running at once get their own answers", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `_waypost.n${index}.example.com`);
  for (const each of names) server.answer(each, txt(each));
  const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

  const lookups = await Promise.all(names.map((each) => resolver.lookupTxt(each)));

  expect(lookups).toEqual(names.map((each) => found(each)));
});

test("names match regardless of case", async () => {
  server.answer("Go.Example.com", { kind: "address", type: "A", addresses: ["192.0.2.1"] });
  const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

  const lookup = await resolver.lookup("GO.EXAMPLE.COM", "A");

  expect(lookup).toEqual(foundOne({ type: "A", name: "go.example.com", value: "192.0.2.1", ttlSeconds: 300 }, server));
});

describe("records come with their owner, TTL and the server that answered", () => {
  const cases: [DnsType, DnsAnswer, object][] = [
    [
      "A",
      { kind: "address", type: "A", addresses: ["192.0.2.1"], ttlSeconds: 60 },
      { name, ttlSeconds: 60, value: "192.0.2.1" },
    ],
    [
      "AAAA",
      { kind: "address", type: "AAAA", addresses: ["2001:db8::1"], ttlSeconds: 0 },
      { name, ttlSeconds: 0, value: "2001:db8::1" },
    ],
    [
      "CNAME",
      { kind: "alias", target: "Links.Example.net", ttlSeconds: 3_600 },
      { name, ttlSeconds: 3_600, value: "links.example.net" },
    ],
    [
      "CAA",
      { kind: "caa", flags: 128, tag: "issue", value: "letsencrypt.org", ttlSeconds: 86_400 },
      { name, ttlSeconds: 86_400, tag: "issue", value: "letsencrypt.org", isCritical: true },
    ],
    [
      "CAA",
      { kind: "caa", flags: 0, tag: "issuewild", value: ";" },
      { name, ttlSeconds: 300, tag: "issuewild", value: ";", isCritical: false },
    ],
    [
      "TXT",
      { kind: "txt", records: [["a", "b"]], ttlSeconds: 2_147_483_647 },
      { name, ttlSeconds: 2_147_483_647, value: "ab" },
    ],
  ];
  test.each(cases)("%s from %j", async (type, answer, record) => {
    server.answer(name, answer);
    const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

    const lookup = await resolver.lookup(name, type);

    expect(lookup).toEqual({ kind: "found", records: [expect.objectContaining(record)], server: server.address });
  });
});

describe("aliases are followed as far as the response gives them", () => {
  const alias = (target: string): DnsAnswer => ({ kind: "alias", target });

  test("to the records at the end, under the last name", async () => {
    server.answer(name, alias("one.example.net"));
    server.answer("one.example.net", alias("two.example.net"));
    server.answer("two.example.net", txt("a=b"));
    const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

    const lookup = await resolver.lookup(name, "TXT");

    expect(lookup).toEqual(foundOne({ type: "TXT", name: "two.example.net", value: "a=b", ttlSeconds: 300 }, server));
    expect(server.queries).toEqual([{ name, type: "TXT", transport: "udp" }]);
  });

  test("and an alias to nothing is absent", async () => {
    server.answer(name, alias("nowhere.example.net"));
    const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

    const lookup = await resolver.lookupTxt(name);

    expect(lookup).toEqual({ kind: "absent", reason: "empty" });
  });

  test("a CNAME lookup returns only the first alias", async () => {
    server.answer(name, alias("one.example.net"));
    server.answer("one.example.net", alias("two.example.net"));
    const resolver = openResolver({ servers: [server.address], budgetMs: ampleMs });

    const lookup = await resolver.lookup(name, "CNAME");

    expect(lookup).toEqual(foundOne({ type: "CNAME", name, value: "one.example.net", ttlSeconds: 300 }, server));
  });
});

test("a resolver accepts only addresses of servers", () => {
  expect(() => openResolver({ servers: ["dns.example.com"], budgetMs: ampleMs })).toThrow('"dns.example.com"');
});

function txt(...records: (string | string[])[]): DnsAnswer {
  return { kind: "txt", records };
}

function found(...records: string[]): TxtLookup {
  return { kind: "found", records, ttlSeconds: 300 };
}

function foundOne(record: Extract<DnsLookup, { kind: "found" }>["records"][number], by: DnsServer): DnsLookup {
  return { kind: "found", records: [record], server: by.address };
}
