import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { txtResolver } from "../../tests/support/domains.ts";
import { copyLink, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createDomain } from "../domains/create-domain.ts";
import { deleteDomain, eraseNextDomainPart, linksPerPartMax } from "../domains/delete-domain.ts";
import { listDomains } from "../domains/domains.ts";
import { domainsDueForRecheck } from "../domains/recheck-domains.ts";
import { verifyDomain } from "../domains/verify-domain.ts";
import { createLink } from "./create-link.ts";
import { findLink, findNamedLink } from "./find-links.ts";
import { findShownLinks } from "./link-set.ts";
import { countLinkGroups, countLinks, listLinks } from "./list-links.ts";
import { updateLink } from "./update-link.ts";
import { upsertLink } from "./upsert-link.ts";

const copies = 2 * linksPerPartMax + 50;

describe.each([...engines])("a deleted domain of many links on %s", (engine) => {
  const world = openLinks(engine);

  /** A workspace whose domain has many links with one url, and whose other domain has one. */
  async function newDomains() {
    const { actor, domain } = await world.newWorkspace();
    const other = await createDomain(world.deps, actor, { slug: `other.${domain.slug}` });
    const first = await createLink(world.deps, actor, { url: "a.example", domain: domain.slug, key: "first" });
    await copyLink(world.deps.db, first.id, copies);
    const kept = await createLink(world.deps, actor, { url: "b.example", domain: other.slug });
    return { actor, domain, other, first, kept };
  }
  const rowsOf = async (domainId: string) =>
    (await world.deps.db.selectFrom("links").select("id").where("domainId", "=", domainId).execute()).length;
  const isThere = async (id: string) =>
    (await world.deps.db.selectFrom("domains").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
  const eraseAll = async () => {
    while ((await eraseNextDomainPart(world.deps)) === "again");
  };

  test("disappears at once, while its links are deleted in batches", async () => {
    const { actor, domain, other, first, kept } = await newDomains();
    const before = await rowsOf(domain.id);

    await deleteDomain(world.deps, actor, domain.slug);

    const remaining = [await rowsOf(domain.id)];
    const page = { archived: false, search: undefined, page: 1, pageSize: 50 };
    expect(await listDomains(world.deps, actor, page)).toMatchObject([{ id: other.id, primary: 1 }]);
    expect(await refusal(findLink(world.deps, actor, first.id))).toBe("not_found");
    expect(await refusal(updateLink(world.deps, actor, first.id, { title: "T" }))).toBe("not_found");
    expect(await refusal(findNamedLink(world.deps, actor, { domain: domain.slug, key: "copy249" }))).toBe("not_found");
    expect(await listLinks(world.deps, actor, { search: "a.example" }, { pageSize: 100 })).toEqual([]);
    expect(await listLinks(world.deps, actor, {}, { pageSize: 100 })).toMatchObject([
      { id: kept.id },
      { key: "_root" },
    ]);
    expect(await countLinks(world.deps, actor, {})).toBe(2);
    expect(await countLinkGroups(world.deps, actor, {}, "domain")).toEqual([{ value: other.slug, count: 2 }]);
    expect([...(await findShownLinks(world.deps.db, actor.workspaceId, [first.id, kept.id])).keys()]).toEqual([
      kept.id,
    ]);
    const resolver = txtResolver(async () => ({ kind: "absent", reason: "empty" }));
    expect(await refusal(verifyDomain({ ...world.deps, resolver }, actor, domain.id))).toBe("not_found");
    const due = await domainsDueForRecheck(world.deps.db, {
      ...{ group: "answered", now: world.deps.now(), limit: 1_000 },
    });
    expect(due.map(({ id }) => id)).not.toContain(domain.id);

    for (let part = 0; part < 2; part++) {
      await eraseNextDomainPart(world.deps);
      remaining.push(await rowsOf(domain.id));
    }
    expect(remaining).toEqual([before - linksPerPartMax, before - 2 * linksPerPartMax, 0]);
    expect(await isThere(domain.id)).toBe(false);
    expect(await eraseNextDomainPart(world.deps)).toBe("idle");
    expect(await findLink(world.deps, actor, kept.id)).toEqual(kept);
  });

  test("can be added again before its former links are deleted, with the same keys and URLs", async () => {
    const { actor, domain } = await newDomains();
    await deleteDomain(world.deps, actor, domain.slug);

    const again = await createDomain(world.deps, actor, { slug: domain.slug });
    const copy = await upsertLink(world.deps, actor, { url: "a.example", domain: domain.slug, key: "copy249" });
    await eraseAll();

    expect(await findNamedLink(world.deps, actor, { domain: domain.slug, key: "copy249" })).toEqual(copy);
    expect([await rowsOf(again.id), await rowsOf(domain.id), await isThere(domain.id)]).toEqual([2, 0, false]);
  });

  test("deletes its released keys too", async () => {
    const { actor, domain } = await newDomains();
    const released = (key: number) => ({
      domainId: domain.id,
      foldedKey: `gone${key}`,
      workspaceId: actor.workspaceId,
    });
    const keys = Array.from({ length: 1_500 }, (_, key) => ({ ...released(key), releasedAt: world.deps.now() }));
    await world.deps.db.insertInto("releasedKeys").values(keys).execute();

    await deleteDomain(world.deps, actor, domain.slug);
    await eraseAll();

    const remaining = world.deps.db.selectFrom("releasedKeys").select("foldedKey").where("domainId", "=", domain.id);
    expect(await remaining.execute()).toEqual([]);
    expect(await isThere(domain.id)).toBe(false);
  });

  test("is gone when the call returns, if its links fit into a batch", async () => {
    const { actor, domain } = await world.newWorkspace();
    await createLink(world.deps, actor, { url: "a.example", domain: domain.slug });

    await deleteDomain(world.deps, actor, domain.slug);

    expect([await rowsOf(domain.id), await isThere(domain.id)]).toEqual([0, false]);
  });
});
