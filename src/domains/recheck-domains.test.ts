import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld, txtResolver } from "../../tests/support/domains.ts";
import type { Actor } from "../access/actor.ts";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import { createDomain } from "./create-domain.ts";
import { deleteDomain } from "./delete-domain.ts";
import type { TxtLookup } from "./domain.ts";
import type { DomainRow } from "./domains.ts";
import { domainsDueForRecheck, recheckDueDomains } from "./recheck-domains.ts";

const empty: TxtLookup = { kind: "absent", reason: "empty" };
const timeout: TxtLookup = { kind: "unreachable", reason: "timeout" };

describe.each([...engines])("re-checks on %s", (engine) => {
  let world: DomainWorld;
  let sequence = 0;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  const create = (actor: Actor) => createDomain(world, actor, { slug: `go${++sequence}.example.net` });
  const reread = ({ id }: DomainRow) =>
    world.db.selectFrom("domains").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const depsWith = (lookupTxt: (name: string) => Promise<TxtLookup>) => ({
    ...{ db: world.db, now: world.now, resolver: txtResolver(lookupTxt) },
  });
  const due = async (group: "answered" | "unanswered") =>
    (await domainsDueForRecheck(world.db, { group, now: world.now(), limit: 1_000 })).map(({ id }) => id);

  test("a new domain is due at once, and after a check only when its time has come", async () => {
    const domain = await create(await world.newOwner());
    const dueBefore = await due("answered");

    await recheckDueDomains(
      depsWith(async () => empty),
      "answered",
    );

    expect(dueBefore).toContain(domain.id);
    expect(await due("answered")).not.toContain(domain.id);
    world.advance(6 * minuteMs);
    expect(await due("answered")).toContain(domain.id);
  });

  test("a domain that was checked while the clock was a year ahead is due at once", async () => {
    const domain = await create(await world.newOwner());
    const yearAhead = { ...depsWith(async () => empty), now: () => world.now() + 365 * dayMs };

    await recheckDueDomains(yearAhead, "answered");

    expect((await reread(domain)).nextCheckAt).toBeGreaterThan(world.now() + 364 * dayMs);
    expect(await due("answered")).toContain(domain.id);
  });

  test("a deleted domain is not due", async () => {
    const owner = await world.newOwner();
    const domain = await create(owner);
    await world.db.insertInto("links").values(manyLinks(owner, domain)).execute();

    await deleteDomain(world, owner, domain.slug);

    expect(await due("answered")).not.toContain(domain.id);
  });

  test("domains without an answer leave the group of the others, and return with the first answer", async () => {
    const domain = await create(await world.newOwner());

    await recheckDueDomains(
      depsWith(async () => timeout),
      "answered",
    );
    const first = await reread(domain);
    world.advance(hourMs);
    const groups = [await due("answered"), await due("unanswered")].map((ids) => ids.includes(domain.id));
    await recheckDueDomains(
      depsWith(async () => timeout),
      "unanswered",
    );
    const second = await reread(domain);
    world.advance(hourMs);
    await recheckDueDomains(
      depsWith(async () => empty),
      "unanswered",
    );

    expect(groups).toEqual([false, true]);
    expect([first.unansweredChecks, second.unansweredChecks]).toEqual([1, 2]);
    expect((await reread(domain)).unansweredChecks).toBe(0);
    expect(first.nextCheckAt - (first.checkedAt ?? 0)).toBeWithin(2.5 * minuteMs, 7.5 * minuteMs + 1);
  });

  test("a name server that never answers does not keep other domains from being checked", async () => {
    const owner = await world.newOwner();
    const slow = await create(owner);
    const others = await Promise.all(Array.from({ length: 40 }, () => create(owner)));
    const { promise: never, resolve: end } = Promise.withResolvers<TxtLookup>();
    let checked = 0;
    const { promise: allOthers, resolve: othersDone } = Promise.withResolvers<void>();
    const lookupTxt = async (name: string) => {
      if (name === `_waypost.${slow.slug}`) return await never;
      if (others.some(({ slug }) => name === `_waypost.${slug}`) && ++checked === others.length) othersDone();
      return empty;
    };

    const step = recheckDueDomains(depsWith(lookupTxt), "answered");
    await allOthers;

    expect((await reread(slow)).checkedAt).toBe(null);
    end(timeout);
    await step;
    expect((await reread(slow)).unansweredChecks).toBe(1);
  });

  test("checks run at the same time, but never more than sixteen", async () => {
    const owner = await world.newOwner();
    await Promise.all(Array.from({ length: 40 }, () => create(owner)));
    let running = 0;
    let most = 0;
    const lookupTxt = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return empty;
    };

    await recheckDueDomains(depsWith(lookupTxt), "answered");

    expect(most).toBe(16);
  });

  test("workspaces take turns, the longest waiting domain of each first", async () => {
    const [many, one] = [await world.newOwner(), await world.newOwner()];
    const [first, second] = [await create(many), await create(many)];
    world.advance(1_000);
    const other = await create(one);
    const mine = [first.id, second.id, other.id];

    const order = (await due("answered")).filter((id) => mine.includes(id));

    expect(order).toEqual([first.id, other.id, second.id]);
  });

  test("a stop ends a step between two checks", async () => {
    const domain = await create(await world.newOwner());

    await recheckDueDomains(
      depsWith(async () => empty),
      "answered",
      AbortSignal.abort(),
    );

    expect((await reread(domain)).checkedAt).toBe(null);
  });
});

function manyLinks(owner: Actor, { id: domainId }: DomainRow) {
  const { workspaceId, userId } = owner;
  const shared = { workspaceId, userId, domainId, url: "https://example.com/", createdAt: 0, updatedAt: 0 };
  return Array.from({ length: 150 }, (_, index) => ({
    ...{ ...shared, id: `link_${domainId}_${index}`, key: `k${index}`, foldedKey: `k${index}` },
  }));
}
