import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { addVerified, storeCertificate } from "../../tests/support/stored-certificates.ts";
import { createDomain } from "../domains/create-domain.ts";
import { ensureInstanceDomain } from "../domains/instance-domain.ts";
import { findProvenDomain, isProvenName, namesWithoutRow, needsCertificate } from "./proven-names.ts";

describe.each([...engines])("names that may have a certificate on %s", (engine) => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  async function storedNames(condition: ReturnType<typeof isProvenName>): Promise<string[]> {
    const rows = await world.db.selectFrom("certificates").select("name").where(condition).orderBy("name").execute();
    return rows.map(({ name }) => name);
  }

  test("are the instance's host, and verified domains with and without www.", async () => {
    await addVerified(world, "verified.example.com");
    await createDomain(world, await world.newOwner(), { slug: "pending.example.com" });
    const workspaceId = (await world.newOwner()).workspaceId;
    await ensureInstanceDomain(world.db, workspaceId, "links.example.net", world.now());

    const names = await namesWithoutRow(world.db, 10);
    expect(names.sort()).toEqual(["links.example.net", "verified.example.com", "www.verified.example.com"]);

    for (const name of [...names, "pending.example.com", "www.links.example.net", "gone.example.com"]) {
      await storeCertificate(world.db, name);
    }
    expect(await namesWithoutRow(world.db, 10)).toEqual([]);
    expect(await storedNames(isProvenName(world.db))).toEqual(names);
  });

  test("without a row are found after a page of domains that no authority certifies", async () => {
    await addVerified(world, "zz.example.org");
    const domain = await world.db
      .selectFrom("domains")
      .selectAll()
      .where("slug", "=", "zz.example.org")
      .executeTakeFirstOrThrow();
    const local = Array.from({ length: 2_000 }, (_, index) => ({
      ...domain,
      id: `local${index}`,
      slug: `a${index}.local`,
    }));
    for (let start = 0; start < local.length; start += 500) {
      await world.db
        .insertInto("domains")
        .values(local.slice(start, start + 500))
        .execute();
    }

    const names = await namesWithoutRow(world.db, 10);

    expect(names).toContain("zz.example.org");
    expect(names.filter((name) => name.endsWith(".local"))).toEqual([]);
  });

  test("belong to the domain with or without www.", async () => {
    await addVerified(world, "found.example.com");

    const slugs = ["found.example.com", "www.found.example.com", "www.www.found.example.com", "other.example.com"].map(
      async (name) => (await findProvenDomain(world.db, name))?.slug,
    );

    expect(await Promise.all(slugs)).toEqual(["found.example.com", "found.example.com", undefined, undefined]);
  });

  test("need none while the DNS of an optional one does not point here", async () => {
    await addVerified(world, "unrouted.example.com");
    const missing = { problemKind: "dns", problem: "No record." } as const;
    await storeCertificate(world.db, "unrouted.example.com", missing);
    await storeCertificate(world.db, "www.unrouted.example.com", missing);

    const needed = await storedNames(needsCertificate(world.db));

    expect(needed).toContain("unrouted.example.com");
    expect(needed).toContain("www.verified.example.com");
    expect(needed).not.toContain("www.unrouted.example.com");
  });
});
