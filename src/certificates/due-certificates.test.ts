import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { addVerified, storeCertificate } from "../../tests/support/stored-certificates.ts";
import { dueCertificates } from "./due-certificates.ts";

describe.each([...engines])("due certificates on %s", (engine) => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  const dueNames = async () => (await dueCertificates(world)).map(({ name }) => name);

  test("a workspace that took half of a window waits for the others, and has the rest without them", async () => {
    const { workspaceId } = await addVerified(world, "first.example.com");
    const first = await world.db
      .selectFrom("domains")
      .selectAll()
      .where("workspaceId", "=", workspaceId)
      .executeTakeFirstOrThrow();
    const slugs = Array.from({ length: 200 }, (_, index) => `d${String(index).padStart(3, "0")}.example.com`);
    await world.db
      .insertInto("domains")
      .values(slugs.map((slug) => ({ ...first, id: `dom_${slug}`, slug })))
      .execute();
    const now = world.now();
    for (const [index, slug] of slugs.entries()) {
      // Of the first ones, half of the orders are of names with www.
      const name = index < 70 ? `www.${slug}` : slug;
      await storeCertificate(world.db, name, index < 140 ? { orderedAt: now, nextAt: now + 1 } : { nextAt: now - 2 });
    }
    await addVerified(world, "other.example.net");
    // Below a domain of the other workspace, and as long as www. before it.
    await addVerified(world, "abc.d000.example.com");
    await storeCertificate(world.db, "abc.d000.example.com", { nextAt: now });
    await storeCertificate(world.db, "other.example.net", { nextAt: now - 1 });
    await storeCertificate(world.db, "www.other.example.net", { nextAt: now });

    const due = await dueNames();
    await world.db
      .updateTable("certificates")
      .set({ orderedAt: null })
      .where("name", "=", "d139.example.com")
      .execute();
    const withinShare = await dueNames();

    expect(due.slice(0, 4)).toEqual([
      "abc.d000.example.com",
      "other.example.net",
      "www.other.example.net",
      "d140.example.com",
    ]);
    expect(due).toHaveLength(40);
    expect(withinShare[0]).toMatch(/^d1/);
    expect(withinShare).not.toContain("other.example.net");
  });
});
