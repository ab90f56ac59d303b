import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld, txtResolver } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import { dayMs, hourMs } from "../base/time.ts";
import { createDomain } from "./create-domain.ts";
import { ownershipRecord, type TxtLookup } from "./domain.ts";
import { checksPerDomainMax, listDomainChecks } from "./domain-checks.ts";
import { updateDomain } from "./update-domain.ts";
import { verifyDomain } from "./verify-domain.ts";

describe.each([...engines])("the history of checks on %s", (engine) => {
  let world: DomainWorld;
  let sequence = 0;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  const empty: TxtLookup = { kind: "absent", reason: "empty" };
  const timeout: TxtLookup = { kind: "unreachable", reason: "timeout" };

  /** A new domain, and a function that checks it with an answer of DNS. */
  async function newDomain() {
    const owner = await world.newOwner();
    const domain = await createDomain(world, owner, { slug: `go${++sequence}.example.org` });
    const check = (lookup: TxtLookup) => {
      const resolver = txtResolver(async () => lookup);
      return verifyDomain({ db: world.db, now: world.now, resolver }, owner, domain.id);
    };
    const { value } = ownershipRecord(domain.slug, domain.token);
    const proof: TxtLookup = { kind: "found", records: [value] };
    return { owner, domain, check, proof };
  }
  const outcomes = async (owner: Actor, slug: string) =>
    (await listDomainChecks(world, owner, { slug })).map(({ outcome, status, checks }) => ({
      ...{ outcome, status, checks },
    }));

  test("checks in a row with the same outcome are one entry, the newest first", async () => {
    const { owner, domain, check, proof } = await newDomain();
    const other: TxtLookup = { kind: "found", records: ["other"] };

    for (const lookup of [empty, empty, other, proof, timeout, empty, empty]) await check(lookup);

    expect(await outcomes(owner, domain.slug)).toEqual([
      { outcome: "missing", status: "failing", checks: 2 },
      { outcome: "unanswered", status: "verified", checks: 1 },
      { outcome: "found", status: "verified", checks: 1 },
      { outcome: "different", status: "pending", checks: 1 },
      { outcome: "missing", status: "pending", checks: 2 },
    ]);
  });

  test("an entry says when its checks ran, and what the newest found", async () => {
    const { owner, domain, check } = await newDomain();
    const firstAt = world.now();
    await check(empty);
    world.advance(hourMs);

    const { message } = await check({ kind: "absent", reason: "nxdomain" });

    expect(await listDomainChecks(world, owner, { slug: domain.slug })).toMatchObject([
      { firstAt, lastAt: firstAt + hourMs, message, checks: 2 },
    ]);
  });

  test("the number and the age of the entries are bounded", async () => {
    const { owner, domain, check } = await newDomain();

    for (let round = 0; round < checksPerDomainMax; round++) {
      await check(empty);
      await check(timeout);
    }
    expect(await outcomes(owner, domain.slug)).toHaveLength(checksPerDomainMax);
    world.advance(366 * dayMs);
    await check(empty);

    expect(await outcomes(owner, domain.slug)).toEqual([{ outcome: "missing", status: "pending", checks: 1 }]);
  });

  test("a domain that another workspace has verified says so", async () => {
    const [first, second] = [await newDomain(), await world.newOwner()];
    const domain = await createDomain(world, second, { slug: first.domain.slug });
    await first.check(first.proof);
    const { value } = ownershipRecord(domain.slug, domain.token);
    const resolver = txtResolver(async () => ({ kind: "found", records: [value] }));

    await verifyDomain({ db: world.db, now: world.now, resolver }, second, domain.id);

    expect(await outcomes(second, domain.slug)).toEqual([{ outcome: "taken", status: "pending", checks: 1 }]);
  });

  test("a new name begins a new history", async () => {
    const { owner, domain, check } = await newDomain();
    await check(empty);

    await updateDomain(world, owner, { slug: domain.slug, changes: { slug: `new.${domain.slug}` } });

    expect(await outcomes(owner, `new.${domain.slug}`)).toEqual([]);
  });

  test("another workspace's domain is not found", async () => {
    const { domain } = await newDomain();
    const other = await world.newOwner();

    const problem = await problemOf(listDomainChecks(world, other, { slug: domain.slug }));

    expect(problem?.code).toBe("not_found");
  });
});
