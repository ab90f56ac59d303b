import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DnsServer, startDnsServer } from "../../tests/support/dns-server.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import { dayMs, hourMs } from "../base/time.ts";
import { createDomain } from "./create-domain.ts";
import { deleteDomain } from "./delete-domain.ts";
import { openResolver, type Resolver } from "./dns.ts";
import { failingGraceMs, ownershipRecord } from "./domain.ts";
import { type DomainRow, getDomain } from "./domains.ts";
import { ensureInstanceDomain } from "./instance-domain.ts";
import { reportDns } from "./report-dns.ts";
import { updateDomain } from "./update-domain.ts";
import { recheckDomain, verifyDomain } from "./verify-domain.ts";

describe.each([...engines])("verification on %s", (engine) => {
  let world: DomainWorld;
  let dns: DnsServer;
  let resolver: Resolver;
  let sequence = 0;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
    dns = await startDnsServer();
    resolver = openResolver({ servers: [dns.address], budgetMs: 1_000 });
  });
  afterAll(async () => {
    await dns.close();
    await world.close();
  });

  const deps = () => ({ db: world.db, now: world.now, resolver });
  const newSlug = () => `go${++sequence}.example.com`;
  const create = (actor: Actor, slug = newSlug()) => createDomain(world, actor, { slug });
  const reread = (domain: DomainRow) =>
    world.db.selectFrom("domains").selectAll().where("id", "=", domain.id).executeTakeFirstOrThrow();
  const statusEvents = async (actor: Actor) =>
    (await world.domainEvents(actor.workspaceId)).filter(({ type }) => type === "domain.statusChanged");

  /** The instance's domain, which all tests share, and an owner of its workspace. */
  async function instanceDomain(slug: string): Promise<{ owner: Actor; domain: DomainRow }> {
    const owner = await world.newOwner();
    const domain = await ensureInstanceDomain(world.db, owner.workspaceId, slug, world.now());
    return { owner: { ...owner, workspaceId: domain.workspaceId }, domain };
  }

  /** Publishes the ownership records of these domains, which share a slug. */
  function publish(...domains: [DomainRow, ...DomainRow[]]): void {
    const records = domains.map(({ slug, token }) => ownershipRecord(slug, token));
    dns.answer(`_waypost.${domains[0].slug}`, { kind: "txt", records: records.map(({ value }) => value) });
  }
  const unpublish = ({ slug }: DomainRow) => dns.answer(`_waypost.${slug}`, { kind: "nxdomain" });

  /** A resolver that runs `work` before it returns its answer. */
  function interrupted(work: () => Promise<unknown>): Resolver {
    return {
      ...resolver,
      lookupTxt: async (name) => {
        const answer = await resolver.lookupTxt(name);
        await work();
        return answer;
      },
    };
  }

  test("a domain whose record is found is verified, and that is recorded", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    publish(domain);
    world.advance(1_000);

    const answer = await verifyDomain(deps(), owner, domain.id);

    expect(answer).toEqual({ success: true, message: expect.stringContaining(`${domain.slug} is verified`) });
    const now = world.now();
    const { nextCheckAt, ...checked } = await reread(domain);
    expect(checked).toMatchObject({ status: "verified", checkedAt: now, updatedAt: now, unansweredChecks: 0 });
    expect(nextCheckAt).toBeWithin(now + 5 * hourMs, now + 7 * hourMs);
    expect(await statusEvents(owner)).toMatchObject([
      {
        objectId: domain.id,
        userId: owner.userId,
        data: { slug: domain.slug, before: { status: "pending" }, after: { status: "verified" } },
      },
    ]);
  });

  test("without the record the result names it, the domain stays pending and nothing is recorded", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);

    const { success, message } = await verifyDomain(deps(), owner, domain.id);

    expect(success).toBe(false);
    expect(message).toContain(`_waypost.${domain.slug}`);
    expect(message).toContain(`waypost-verify=${domain.token}`);
    const { nextCheckAt } = await reread(domain);
    expect(await reread(domain)).toEqual({ ...domain, checkedAt: world.now(), nextCheckAt });
    expect(await statusEvents(owner)).toEqual([]);
  });

  test("an unreachable resolver changes no state", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    publish(domain);
    await verifyDomain(deps(), owner, domain.id);
    dns.answer(`_waypost.${domain.slug}`, { kind: "servfail" });

    const { success, message } = await verifyDomain(deps(), owner, domain.id);

    expect({ success, message }).toEqual({ success: false, message: expect.stringContaining("Nothing was changed") });
    expect((await reread(domain)).status).toBe("verified");
  });

  test("an unknown id, a foreign one and garbage are not found, without a DNS query", async () => {
    const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
    const foreign = await create(other);
    publish(foreign);
    const questionsBefore = dns.queries.length;

    for (const id of [foreign.id, "dom_01JD4X0Q3M8Y7RZ5V2K6T9W1AB", "", "../x"]) {
      await expectNotFound(verifyDomain(deps(), owner, id));
    }

    expect(dns.queries).toHaveLength(questionsBefore);
    expect(await reread(foreign)).toEqual(foreign);
  });

  test("the instance's domain is verified without a DNS query", async () => {
    const { owner, domain } = await instanceDomain("localhost");
    const other = await world.newOwner();
    const questionsBefore = dns.queries.length;

    const answer = await verifyDomain(deps(), owner, domain.id);

    expect(answer).toEqual({ success: true, message: expect.stringContaining("this service's own domain") });
    expect(dns.queries).toHaveLength(questionsBefore);
    await expectNotFound(verifyDomain(deps(), other, domain.id));
  });

  test("exactly one of two workspaces that verify a slug simultaneously gets it", async () => {
    const owners = [await world.newOwner(), await world.newOwner()] as const;
    const slug = newSlug();
    const domains = [await create(owners[0], slug), await create(owners[1], slug)] as const;
    publish(...domains);

    const answers = await Promise.all([
      verifyDomain(deps(), owners[0], domains[0].id),
      verifyDomain(deps(), owners[1], domains[1].id),
    ]);

    const statuses = [(await reread(domains[0])).status, (await reread(domains[1])).status];
    expect(statuses.toSorted()).toEqual(["pending", "verified"]);
    expect(answers.map(({ success }) => success)).toEqual(statuses.map((status) => status === "verified"));
    expect(answers.find(({ success }) => !success)?.message).toContain("already verified in another workspace");
    expect([...(await statusEvents(owners[0])), ...(await statusEvents(owners[1]))]).toHaveLength(1);
  });

  test("two simultaneous checks by one workspace get the same result, recorded once", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    publish(domain);

    const answers = await Promise.all([1, 2, 3].map(() => verifyDomain(deps(), owner, domain.id)));

    expect(answers.map(({ success }) => success)).toEqual([true, true, true]);
    expect(await statusEvents(owner)).toHaveLength(1);
  });

  test("a domain renamed during its check stays pending under its new name", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    publish(domain);
    const rename = () => updateDomain(world, owner, { slug: domain.slug, changes: { slug: `new.${domain.slug}` } });

    const answer = await verifyDomain({ ...deps(), resolver: interrupted(rename) }, owner, domain.id);

    expect(answer).toEqual({ success: false, message: expect.stringContaining("was changed during this check") });
    expect((await reread(domain)).status).toBe("pending");
    expect(await statusEvents(owner)).toEqual([]);
  });

  test("a domain deleted during its check is not found", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    const remove = () => deleteDomain(world, owner, domain.slug);

    await expectNotFound(verifyDomain({ ...deps(), resolver: interrupted(remove) }, owner, domain.id));
  });

  test("re-checks move a domain to failing, back, and to pending after the grace period", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    const recheck = async () => {
      await recheckDomain(deps(), await reread(domain));
      const { status, failingSince } = await reread(domain);
      return { status, failingSince };
    };
    publish(domain);
    await recheck();

    unpublish(domain);
    const missedAt = world.now();
    expect(await recheck()).toEqual({ status: "failing", failingSince: missedAt });
    world.advance(dayMs);
    expect(await recheck()).toEqual({ status: "failing", failingSince: missedAt });
    publish(domain);
    expect(await recheck()).toEqual({ status: "verified", failingSince: null });
    unpublish(domain);
    await recheck();
    world.advance(failingGraceMs);
    expect(await recheck()).toEqual({ status: "pending", failingSince: null });

    const moves = (await statusEvents(owner)).map(({ userId, data }) => ({ userId, data }));
    const move = (before: string, after: string) => ({
      userId: null,
      data: { slug: domain.slug, before: { status: before }, after: { status: after } },
    });
    expect(moves).toEqual([
      move("pending", "verified"),
      move("verified", "failing"),
      move("failing", "verified"),
      move("verified", "failing"),
      move("failing", "pending"),
    ]);
  });

  describe("the report", () => {
    const target = { cnameTarget: "Links.example.net.", ips: ["192.0.2.10", "2001:db8::10"] };

    test("shows correct records with TTL and the server that answered", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner);
      publish(domain);
      dns.answer(domain.slug, { kind: "alias", target: "links.example.net", ttlSeconds: 60 });
      dns.answer("links.example.net", { kind: "address", type: "A", addresses: ["192.0.2.99"] });

      const report = await reportDns(deps(), owner, { slug: domain.slug, target });

      const proof = ownershipRecord(domain.slug, domain.token);
      expect(report.ownership).toEqual({
        expected: proof,
        found: [{ ...proof, ttlSeconds: 300, server: dns.address }],
        matches: true,
      });
      expect(report.routing).toMatchObject({ conflicts: [], matches: true });
      expect(report.routing.found[0]).toEqual({
        type: "CNAME",
        name: domain.slug,
        value: "links.example.net",
        ttlSeconds: 60,
        server: dns.address,
      });
      expect(report.routing.expected).toEqual([
        { type: "CNAME", name: domain.slug, value: "links.example.net" },
        { type: "A", name: domain.slug, value: "192.0.2.10" },
        { type: "AAAA", name: domain.slug, value: "2001:db8::10" },
      ]);
      expect(await getDomain(world, owner, domain.slug)).toEqual(domain);
    });

    test("distinguishes addresses that point elsewhere from those that point here", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner);
      dns.answer(domain.slug, { kind: "address", type: "A", addresses: ["192.0.2.10", "203.0.113.5"] });

      const { routing } = await reportDns(deps(), owner, { slug: domain.slug, target });

      expect(routing.conflicts.map(({ value }) => value)).toEqual(["203.0.113.5"]);
      expect(routing.matches).toBe(false);
    });

    test("names the authorities that may issue a certificate", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner, "go.caa.example");
      dns.answer("caa.example", { kind: "caa", flags: 0, tag: "issue", value: "ca.example.net; policy=ev" });

      const { certificate } = await reportDns(deps(), owner, { slug: domain.slug, target });

      expect(certificate.allowedIssuers).toEqual(["ca.example.net"]);
      expect(certificate.found).toMatchObject([{ type: "CAA", name: "caa.example", tag: "issue" }]);
    });

    test("names the closest zone and its name servers, in alphabetical order", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner, "a.go.zone.example");
      dns.answer("zone.example", { kind: "name-servers", servers: ["ns2.dns.example", "NS1.dns.example"] });
      // The servers at the end of an alias are those of another zone.
      dns.answer("go.zone.example", { kind: "alias", target: "other.example" });
      dns.answer("other.example", { kind: "name-servers", servers: ["ns.other.example"] });

      const { zone } = await reportDns(deps(), owner, { slug: domain.slug, target });

      expect(zone).toEqual({ name: "zone.example", nameServers: ["ns1.dns.example", "ns2.dns.example"] });
    });

    test("shows the routing of www. for a domain at the top of its zone", async () => {
      const owner = await world.newOwner();
      const [top, below] = [await create(owner, "top.example"), await create(owner, "go.top.example")];
      dns.answer("top.example", { kind: "name-servers", servers: ["ns1.dns.example"] });
      dns.answer("www.top.example", { kind: "address", type: "A", addresses: ["203.0.113.5"] });

      const { www } = await reportDns(deps(), owner, { slug: top.slug, target });
      const { www: none } = await reportDns(deps(), owner, { slug: below.slug, target });

      expect(www?.expected[0]).toEqual({ type: "CNAME", name: "www.top.example", value: "links.example.net" });
      expect(www?.conflicts).toMatchObject([{ value: "203.0.113.5" }]);
      expect(none).toBe(null);
    });

    test("names no zone when no name server is found", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner);

      expect((await reportDns(deps(), owner, { slug: domain.slug, target })).zone).toBe(null);
    });

    test("names the queries that no server answered", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner);
      dns.answer(domain.slug, { kind: "refused" });

      const report = await reportDns(deps(), owner, { slug: domain.slug, target });

      expect(report.failedLookups).toContainEqual({ type: "CNAME", name: domain.slug, reason: "refused" });
      expect(report.routing).toMatchObject({ found: [], conflicts: [], matches: false });
    });

    test("expects no ownership record of the instance's domain, and sends no query about an address", async () => {
      const { owner, domain } = await instanceDomain("192.0.2.1");
      const self = { cnameTarget: "192.0.2.1", ips: [] };

      const report = await reportDns(deps(), owner, { slug: domain.slug, target: self });

      expect(report.ownership).toEqual({ expected: null, found: [], matches: true });
      expect(report.routing.expected).toEqual([{ type: "A", name: "192.0.2.1", value: "192.0.2.1" }]);
      expect(report.failedLookups).toEqual([]);
    });

    test("hides another workspace's domain", async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const foreign = await create(other);

      await expectNotFound(reportDns(deps(), owner, { slug: foreign.slug, target }));
    });
  });
});

async function expectNotFound(work: Promise<unknown>): Promise<void> {
  expect((await problemOf(work))?.code).toBe("not_found");
}
