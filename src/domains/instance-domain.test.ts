import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import type { Warning } from "../base/warning.ts";
import { createDomain } from "./create-domain.ts";
import { deleteDomain } from "./delete-domain.ts";
import {
  findDefaultDomain,
  findDomainForFilter,
  findUsableDomain,
  getDomain,
  listDomains,
  makeDomainPrimary,
} from "./domains.ts";
import { ensureInstanceDomain } from "./instance-domain.ts";
import { updateDomain } from "./update-domain.ts";

const everything = { archived: false, search: undefined, page: 1, pageSize: 50 };

describe.each([...engines])("the instance's domain on %s", (engine) => {
  let world: DomainWorld;
  let first: Actor;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
    first = await world.newOwner();
    await ensureInstanceDomain(world.db, first.workspaceId, "localhost", world.now());
  });
  afterAll(() => world.close());

  const ensure = (slug: string) => ensureInstanceDomain(world.db, first.workspaceId, slug, world.now());

  test("is verified, primary in its workspace and listed there alone", async () => {
    const other = await world.newOwner();

    const listed = await listDomains(world, first, everything);

    expect(listed).toMatchObject([{ slug: "localhost", status: "verified", isInstance: 1, primary: 1 }]);
    expect(await listDomains(world, other, everything)).toEqual([]);
    expect((await problemOf(getDomain(world, other, "localhost")))?.code).toBe("not_found");
    expect(await findDomainForFilter(world.db, other.workspaceId, "localhost")).toMatchObject({ isInstance: 1 });
  });

  test("is created once, even by simultaneous starts", async () => {
    const answers = await Promise.all([ensure("localhost"), ensure("localhost"), ensure("localhost")]);

    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await world.db.selectFrom("domains").select("id").where("isInstance", "=", 1).execute()).toHaveLength(1);
  });

  test("receives links that name no domain while the workspace's primary one is archived or pending", async () => {
    const other = await world.newOwner();
    const { slug } = await createDomain(world, other, { slug: "archived.example.com" });
    const warnings: Warning[] = [];
    const config = { WAYPOST_UNVERIFIED_REDIRECTS: false };
    const deps = { config, warn: (warning: Warning) => warnings.push(warning) };

    expect(await findDefaultDomain(world.db, other.workspaceId, deps)).toMatchObject({ isInstance: 1 });
    expect(warnings).toMatchObject([{ code: "domain_not_verified" }]);
    await world.db.updateTable("domains").set({ status: "verified" }).where("slug", "=", slug).execute();
    await updateDomain(world, other, { slug, changes: { archived: true } });

    expect(await findDefaultDomain(world.db, other.workspaceId, deps)).toMatchObject({ isInstance: 1 });
    expect(await findUsableDomain(world.db, other.workspaceId, slug)).toMatchObject({ slug });
    expect(warnings).toHaveLength(1);
  });

  test("cannot be deleted or renamed after its replacement while other workspaces have links on it", async () => {
    const other = await world.newOwner();
    const former = await ensure("former.example.com");
    await world.db
      .insertInto("links")
      .values({
        ...{ id: "link_foreign", workspaceId: other.workspaceId, userId: other.userId, domainId: former.id },
        ...{ key: "foreign", foldedKey: "foreign", url: "https://example.com", createdAt: 1, updatedAt: 1 },
      })
      .execute();
    await createDomain(world, first, { slug: "next.example.com" });
    await ensure("next.example.com");
    const remove = () => problemOf(deleteDomain(world, first, former.slug));
    const rename = () =>
      problemOf(updateDomain(world, first, { slug: former.slug, changes: { slug: "renamed.example.com" } }));

    expect(await remove()).toMatchObject({ code: "forbidden", message: expect.stringContaining("ther workspaces") });
    expect(await rename()).toMatchObject({ code: "forbidden", message: expect.stringContaining("ther workspaces") });
    expect(await getDomain(world, first, former.slug)).toMatchObject({ id: former.id, isInstance: 0 });

    await world.db.deleteFrom("links").where("id", "=", "link_foreign").execute();
    expect(await rename()).toBeUndefined();
    expect(await problemOf(deleteDomain(world, first, "renamed.example.com"))).toBeUndefined();
    await ensure("localhost");
  });

  test("can be edited by owners of its workspace only, and never deleted or renamed", async () => {
    const member = await world.newColleague(first, "member");
    const edit = (actor: Actor, changes: object) => updateDomain(world, actor, { slug: "localhost", changes });

    const problems = await Promise.all([
      problemOf(edit(member, { archived: false })),
      problemOf(makeDomainPrimary({ ...world, config: { WAYPOST_UNVERIFIED_REDIRECTS: false } }, member, "localhost")),
      problemOf(deleteDomain(world, first, "localhost")),
      problemOf(edit(first, { slug: "other.example.com" })),
    ]);

    expect(problems.map((problem) => problem?.code)).toEqual([
      "forbidden",
      "forbidden",
      "forbidden",
      "unprocessable_entity",
    ]);
    const answer = await edit(first, { slug: "localhost", notFoundUrl: "https://example.com/404" });
    expect(answer.notFoundUrl).toBe("https://example.com/404");
  });

  test("keeps its row and links when WAYPOST_URL's host changes, and its former host is unknown", async () => {
    const before = await ensure("before.example.com");

    const after = await ensure("after.example.com");

    expect(after).toEqual({ ...before, slug: "after.example.com", updatedAt: world.now() });
    expect((await problemOf(getDomain(world, first, "before.example.com")))?.code).toBe("not_found");
  });

  test("hands its role to a domain of its workspace with the new host's name, and stays beside it", async () => {
    const former = await ensure("former.example.com");
    const ordinary = await createDomain(world, first, { slug: "ordinary.example.com" });

    const now = await ensure("ordinary.example.com");

    expect(now).toMatchObject({ id: ordinary.id, isInstance: 1, status: "verified" });
    expect(await getDomain(world, first, former.slug)).toMatchObject({
      id: former.id,
      isInstance: 0,
      status: "verified",
    });
  });

  test("cannot be added by another workspace; a host that another workspace has verified stops the start", async () => {
    const other = await world.newOwner();
    await ensure("taken.example.com");
    const verified = await createDomain(world, other, { slug: "proven.example.com" });
    await world.db.updateTable("domains").set({ status: "verified" }).where("id", "=", verified.id).execute();

    const problems = await Promise.all([
      problemOf(createDomain(world, other, { slug: "taken.example.com" })),
      problemOf(ensure("proven.example.com")),
    ]);

    expect(problems.map((problem) => problem?.code)).toEqual(["conflict", "conflict"]);
  });
});
