import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { addVerified, storeCertificate } from "../../tests/support/stored-certificates.ts";
import type { Actor } from "../access/actor.ts";
import { dayMs } from "../base/time.ts";
import { createDomain } from "../domains/create-domain.ts";
import { ensureInstanceDomain } from "../domains/instance-domain.ts";
import type { CertificateRow } from "./certificate.ts";
import { dueCertificates } from "./due-certificates.ts";

describe.each([...engines])("due certificates on %s", (engine) => {
  let world: DomainWorld;
  beforeEach(async () => {
    world = await openDomainWorld(engine);
  });
  afterEach(() => world.close());

  const dueNames = async () => (await dueCertificates(world)).map(({ name }) => name);

  /** Adds verified domains to the owner's workspace, below one that it has, with a certificate each. */
  async function addBelow(owner: Actor, names: readonly string[], changes: Partial<CertificateRow>): Promise<void> {
    const { workspaceId } = owner;
    const first = await world.db
      .selectFrom("domains")
      .selectAll()
      .where("workspaceId", "=", workspaceId)
      .where("status", "=", "verified")
      .executeTakeFirstOrThrow();
    await world.db
      .insertInto("domains")
      .values(names.map((slug) => ({ ...first, id: `dom_${slug}`, slug })))
      .execute();
    for (const name of names) await storeCertificate(world.db, name, changes);
  }

  const numbered = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, "0")}.example.com`);

  /** Stores names that the workspace has ordered in this window. */
  async function addOrdered(owner: Actor, count: number): Promise<void> {
    const now = world.now();
    const ordered = { orderedAt: now, orderedFor: owner.workspaceId, nextAt: now + dayMs };
    await addBelow(owner, numbered("ordered", count), ordered);
  }

  test("a workspace that adds many names delays the only one of another workspace by no step", async () => {
    const now = world.now();
    const many = await addVerified(world, "many.example.com");
    await addBelow(many, numbered("a", 60), { nextAt: now - 2 });
    await addVerified(world, "z.example.net");
    await storeCertificate(world.db, "z.example.net", { nextAt: now - 1 });

    const due = await dueNames();

    expect(due.slice(0, 3)).toEqual(["a000.example.com", "z.example.net", "a001.example.com"]);
    expect(due).toHaveLength(40);
  });

  test("a workspace that had orders comes after all names of the others, also with domains that it has deleted", async () => {
    const now = world.now();
    const many = await addVerified(world, "many.example.com");
    await addOrdered(many, 140);
    await addBelow(many, numbered("a", 60), { nextAt: now - 9 });
    await world.db.deleteFrom("domains").where("slug", "like", "ordered%").execute();
    await addVerified(world, "z.example.net");
    await storeCertificate(world.db, "www.z.example.net", { nextAt: now - 2 });
    await storeCertificate(world.db, "z.example.net", { nextAt: now - 1 });

    const due = await dueNames();

    expect(due.slice(0, 3)).toEqual(["z.example.net", "www.z.example.net", "a000.example.com"]);
  });

  test("a workspace alone leaves the last orders of a window to others", async () => {
    const now = world.now();
    const many = await addVerified(world, "many.example.com");
    await addOrdered(many, 239);
    await addBelow(many, numbered("a", 60), { nextAt: now - 2 });

    const alone = await dueNames();
    await addVerified(world, "z.example.net");
    await storeCertificate(world.db, "z.example.net", { nextAt: now });
    const withOther = await dueNames();

    expect(alone).toEqual(["a000.example.com"]);
    expect(withOther).toEqual(["z.example.net"]);
  });

  test("a name belongs to the workspace that has proven it", async () => {
    const now = world.now();
    const many = await addVerified(world, "many.example.com");
    await createDomain(world, many, { slug: "claimed.example.net" });
    await addBelow(many, ["x.example.com"], { nextAt: now + dayMs });
    await addOrdered(many, 140);
    await addBelow(many, numbered("a", 60), { nextAt: now - 2 });
    // Without its first four characters, one of the names is a domain of the other workspace.
    for (const name of ["claimed.example.net", "abc.x.example.com"]) {
      await addVerified(world, name);
      await storeCertificate(world.db, name, { nextAt: now - 1 });
    }

    const due = await dueNames();

    expect(due.slice(0, 2).sort()).toEqual(["abc.x.example.com", "claimed.example.net"]);
  });

  test("orders that were made while the clock was ahead do not use up the window", async () => {
    const many = await addVerified(world, "many.example.com");
    await addOrdered(many, 280);
    await world.db
      .updateTable("certificates")
      .set({ orderedAt: world.now() + 365 * dayMs })
      .execute();
    await addBelow(many, ["due.example.com"], { nextAt: world.now() });

    const due = await dueNames();

    expect(due).toEqual(["due.example.com"]);
  });

  test("the host of the instance comes first, also when its workspace has had its share", async () => {
    const now = world.now();
    const many = await addVerified(world, "many.example.com");
    await addOrdered(many, 140);
    await ensureInstanceDomain(world.db, many.workspaceId, "links.example.com", now);
    await addVerified(world, "z.example.net");
    await storeCertificate(world.db, "z.example.net", { nextAt: now - 2 });
    await storeCertificate(world.db, "links.example.com", { nextAt: now - 1 });

    const due = await dueNames();

    expect(due).toEqual(["links.example.com", "z.example.net"]);
  });
});
