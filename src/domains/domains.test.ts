import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import { createDomain } from "./create-domain.ts";
import { deleteDomain } from "./delete-domain.ts";
import {
  countDomainsByStatus,
  countMatchingDomains,
  type DomainRow,
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

describe.each([...engines])("domains on %s", (engine) => {
  let world: DomainWorld;
  let sequence = 0;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  /** Each test uses unique names, because all tests share the database. */
  const newSlug = () => `go${++sequence}.example.com`;
  const create = (actor: Actor, slug = newSlug()) => createDomain(world, actor, { slug });
  const primaryDeps = (isUnverifiedAllowed = false) => ({
    ...world,
    config: { WAYPOST_UNVERIFIED_REDIRECTS: isUnverifiedAllowed },
  });
  const createVerified = async (actor: Actor) => {
    const domain = await create(actor);
    await world.db.updateTable("domains").set({ status: "verified" }).where("id", "=", domain.id).execute();
    return domain;
  };
  const primarySlugs = async (actor: Actor) =>
    (await listDomains(world, actor, everything)).filter((domain) => domain.primary === 1).map(({ slug }) => slug);
  const verify = (domain: DomainRow, status: "verified" | "failing" = "verified") =>
    world.db
      .updateTable("domains")
      .set({ status, failingSince: status === "failing" ? world.now() : null })
      .where("id", "=", domain.id)
      .execute();

  describe("creating", () => {
    test("a new domain is pending and has a slug in stored form, its own token and a root link", async () => {
      const owner = await world.newOwner();

      const domain = await createDomain(world, owner, {
        slug: " GO.MÜNCHEN.example. ",
        notFoundUrl: "example.com/404",
        expiredUrl: "",
        assetLinks: '[{"relation": []}]',
        honorDoNotTrack: true,
        hstsMaxAgeSeconds: 86_400,
        caseSensitive: true,
      });

      expect(domain).toMatchObject({
        slug: "go.xn--mnchen-3ya.example",
        status: "pending",
        primary: 1,
        archived: 0,
        isInstance: 0,
        notFoundUrl: "https://example.com/404",
        expiredUrl: null,
        assetLinks: '[{"relation": []}]',
        honorDoNotTrack: 1,
        httpsRedirect: 1,
        hstsMaxAgeSeconds: 86_400,
        caseSensitive: 1,
        createdAt: world.now(),
      });
      expect(domain.id).toMatch(/^dom_[0-9A-Z]{26}$/);
      expect(domain.token).toMatch(/^[0-9A-Za-z]{32}$/);
      expect(await getDomain(world, owner, domain.slug)).toEqual(domain);
      const links = await world.db.selectFrom("links").selectAll().where("domainId", "=", domain.id).execute();
      expect(links).toHaveLength(1);
      expect(links[0]).toMatchObject({ key: "_root", foldedKey: "_root", url: "", userId: owner.userId, clicks: 0 });
    });

    test("is recorded once, without the token", async () => {
      const owner = await world.newOwner();

      const domain = await createDomain(world, owner, { slug: newSlug(), placeholder: "https://a.example" });

      const events = await world.domainEvents(owner.workspaceId);
      expect(events).toMatchObject([
        {
          type: "domain.created",
          objectId: domain.id,
          userId: owner.userId,
          data: { slug: domain.slug, status: "pending", primary: true, placeholder: "https://a.example" },
        },
      ]);
      expect(JSON.stringify(events)).not.toContain(domain.token);
    });

    const refused: [name: string, input: object, field: string][] = [
      ["www. in front", { slug: "www.example.com" }, "slug"],
      ["a slug without a dot", { slug: "localhost" }, "slug"],
      ["a slug with spaces", { slug: "not a domain" }, "slug"],
      ["an empty slug", { slug: "" }, "slug"],
      ["a long placeholder", { placeholder: "x".repeat(101) }, "placeholder"],
      ["a url that is a word", { expiredUrl: "nonsense" }, "expiredUrl"],
      ["a url that is a script", { notFoundUrl: "javascript:alert(1)" }, "notFoundUrl"],
      ["a url of two lines", { notFoundUrl: "https://example.com/a\nb" }, "notFoundUrl"],
      ["a long url", { notFoundUrl: `https://example.com/${"x".repeat(32_000)}` }, "notFoundUrl"],
      ["a logo that is a page", { logo: "data:text/html;base64,AAAA" }, "logo"],
      ["a large logo", { logo: `data:image/png;base64,${"A".repeat(64 * 1024)}` }, "logo"],
      ["an association file that is no JSON", { assetLinks: "{not json" }, "assetLinks"],
      ["a large one", { appleAppSiteAssociation: `"${"x".repeat(128 * 1024)}"` }, "appleAppSiteAssociation"],
    ];
    test.each(refused)("refuses %s", async (_, input, field) => {
      const owner = await world.newOwner();

      const problem = await problemOf(createDomain(world, owner, { slug: newSlug(), ...input }));

      expect(problem?.code).toBe("unprocessable_entity");
      expect(problem?.message).toStartWith(`${field}: `);
      expect(await listDomains(world, owner, everything)).toEqual([]);
    });

    test("a slug that the workspace already has is a conflict, however it is written", async () => {
      const owner = await world.newOwner();
      const { slug } = await create(owner);

      const problem = await problemOf(createDomain(world, owner, { slug: `${slug.toUpperCase()}.` }));

      expect(problem?.code).toBe("conflict");
    });

    test("several workspaces hold a slug pending, each with its own token", async () => {
      const [first, second] = await Promise.all([world.newOwner(), world.newOwner()]);
      const slug = newSlug();

      const [one, other] = await Promise.all([create(first, slug), create(second, slug)]);

      expect(one.token).not.toBe(other.token);
    });

    test.each(["verified", "failing"] as const)(
      "a slug %s elsewhere is a conflict that names no workspace",
      async (status) => {
        const [first, second] = await Promise.all([world.newOwner(), world.newOwner()]);
        const existing = await create(first);
        await verify(existing, status);

        const problem = await problemOf(create(second, existing.slug));

        expect(problem).toMatchObject({ code: "conflict", message: `slug: the domain ${existing.slug} is in use.` });
      },
    );

    test("exactly one of several simultaneously created domains is primary", async () => {
      const owner = await world.newOwner();

      await Promise.all(Array.from({ length: 8 }, () => create(owner)));

      expect(await primarySlugs(owner)).toHaveLength(1);
    });
  });

  describe("listing", () => {
    test("lists the workspace's own domains by age, archived state, part of the slug and page", async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const [a, b, c] = [
        await create(owner, "a1.list.example"),
        await create(owner),
        await create(owner, "ä1.list.example"),
      ];
      await create(other);
      await updateDomain(world, owner, { slug: b.slug, changes: { archived: true } });

      const list = async (filter: object) =>
        (await listDomains(world, owner, { ...everything, ...filter })).map(({ slug }) => slug);

      expect(await list({})).toEqual([a.slug, c.slug]);
      expect(await list({ archived: true })).toEqual([b.slug]);
      expect(await list({ search: "A1.LIST" })).toEqual([a.slug]);
      expect(await list({ search: "ä1.list.example" })).toEqual([c.slug]);
      expect(await list({ search: "a_.list" })).toEqual([]);
      expect(await list({ search: "%" })).toEqual([]);
      expect(await list({ page: 2, pageSize: 1 })).toEqual([c.slug]);
      const count = (filter: object) => countMatchingDomains(world, owner, { ...everything, ...filter });
      expect([await count({}), await count({ archived: true }), await count({ search: "A1" })]).toEqual([2, 1, 1]);
    });
  });

  test("domains are counted by status, in all workspaces", async () => {
    const before = await countDomainsByStatus(world.db);
    const owner = await world.newOwner();
    const domains = await Promise.all(
      ["one", "two", "three"].map((name) => createDomain(world, owner, { slug: `${name}.counted.example` })),
    );
    const set = (id: string | undefined, status: "verified" | "failing") =>
      world.db
        .updateTable("domains")
        .set({ status })
        .where("id", "=", id ?? "")
        .execute();
    await set(domains[0]?.id, "verified");
    await set(domains[1]?.id, "failing");
    const { pending, verified, failing } = await countDomainsByStatus(world.db);

    expect({ pending, verified, failing }).toEqual({
      ...{ pending: before.pending + 1, verified: before.verified + 1, failing: before.failing + 1 },
    });
  });

  describe("finding", () => {
    test("a new link's domain is the named one, else the usable primary one, else the instance's", async () => {
      const [first, owner, newcomer] = [await world.newOwner(), await world.newOwner(), await world.newOwner()];
      const instance = await ensureInstanceDomain(world.db, first.workspaceId, "localhost", world.now());
      const [primary, second] = [await create(owner), await create(owner)];

      const findDefault = async (actor: Actor, isUnverifiedAllowed?: boolean) =>
        (await findDefaultDomain(world.db, actor.workspaceId, primaryDeps(isUnverifiedAllowed))).id;
      const find = async (actor: Actor, slug: string) => (await findUsableDomain(world.db, actor.workspaceId, slug)).id;

      expect(await findDefault(owner)).toBe(instance.id);
      expect(await findDefault(owner, true)).toBe(primary.id);
      for (const status of ["verified", "failing"] as const) {
        await world.db.updateTable("domains").set({ status }).where("id", "=", primary.id).execute();
        expect(await findDefault(owner)).toBe(primary.id);
      }
      expect(await find(owner, second.slug.toUpperCase())).toBe(second.id);
      expect(await findDefault(newcomer)).toBe(instance.id);
      expect(await find(owner, "LOCALHOST:3000")).toBe(instance.id);
    });

    test("a foreign domain, an unknown one and garbage are forbidden with the same message", async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const foreign = await create(other);
      const slugs = [foreign.slug, "nowhere.example.com", "", "not a domain", "a/b", "http://", "\0", "\ud800", "%00"];

      const problems = await Promise.all(
        slugs.map((slug) => problemOf(findUsableDomain(world.db, owner.workspaceId, slug))),
      );

      expect(new Set(problems.map((problem) => `${problem?.code} ${problem?.message}`)).size).toBe(1);
      expect(problems[0]?.code).toBe("forbidden");
    });

    test('the same names are "not found" in paths and filters', async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const foreign = await create(other);

      for (const slug of [foreign.slug, "nowhere.example.com", "", "not a domain", "\0"]) {
        const problem = await problemOf(findDomainForFilter(world.db, owner.workspaceId, slug));

        expect(problem?.code).toBe("not_found");
      }
    });

    test("another workspace's domain is hidden from every verb", async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const { slug } = await create(other);

      const problems = await Promise.all([
        problemOf(getDomain(world, owner, slug)),
        problemOf(updateDomain(world, owner, { slug, changes: { archived: true } })),
        problemOf(deleteDomain(world, owner, slug)),
        problemOf(makeDomainPrimary(primaryDeps(), owner, slug)),
      ]);

      expect(problems.map((problem) => problem?.code)).toEqual(Array(4).fill("not_found"));
      expect(await getDomain(world, other, slug)).toMatchObject({ archived: 0, primary: 1 });
    });
  });

  describe("updating", () => {
    test("changes the given fields, clears those given as null or empty text, and keeps the others", async () => {
      const owner = await world.newOwner();
      const before = await createDomain(world, owner, {
        slug: newSlug(),
        placeholder: "https://a.example",
        expiredUrl: "https://expired.example",
        appleAppSiteAssociation: "{}",
        honorDoNotTrack: true,
        httpsRedirect: false,
        hstsMaxAgeSeconds: 86_400,
      });
      world.advance(1_000);

      const after = await updateDomain(world, owner, {
        slug: before.slug,
        changes: {
          archived: true,
          notFoundUrl: "https://gone.example",
          placeholder: null,
          appleAppSiteAssociation: "",
          honorDoNotTrack: null,
          httpsRedirect: null,
          hstsMaxAgeSeconds: null,
        },
      });

      const changes = {
        archived: 1,
        notFoundUrl: "https://gone.example",
        placeholder: null,
        appleAppSiteAssociation: null,
        httpsRedirect: 1,
        hstsMaxAgeSeconds: null,
      } as const;
      expect(after).toEqual({ ...before, ...changes, archived: 1, honorDoNotTrack: 0, updatedAt: world.now() });
      expect(await getDomain(world, owner, before.slug)).toEqual(after);
    });

    test("is recorded with the changed fields before and after, and not at all when nothing changed", async () => {
      const owner = await world.newOwner();
      const { slug } = await createDomain(world, owner, { slug: newSlug(), placeholder: "https://a.example" });

      await updateDomain(world, owner, {
        slug,
        changes: { placeholder: "https://b.example", archived: true, logo: null },
      });
      await updateDomain(world, owner, { slug, changes: { slug, placeholder: "https://b.example", archived: true } });

      const [, ...updates] = await world.domainEvents(owner.workspaceId);
      expect(updates).toMatchObject([{ type: "domain.updated", userId: owner.userId }]);
      expect(updates[0]?.data).toEqual({
        slug,
        before: { placeholder: "https://a.example", archived: false },
        after: { placeholder: "https://b.example", archived: true },
      });
    });

    test("another slug makes the domain pending with another token, and keeps its links", async () => {
      const owner = await world.newOwner();
      const before = await create(owner);
      await verify(before);
      const slug = newSlug();

      const after = await updateDomain(world, owner, { slug: before.slug, changes: { slug: slug.toUpperCase() } });

      expect(after).toMatchObject({ id: before.id, slug, status: "pending", failingSince: null, primary: 1 });
      expect(after.token).not.toBe(before.token);
      expect((await problemOf(getDomain(world, owner, before.slug)))?.code).toBe("not_found");
      expect(await world.db.selectFrom("links").select("id").where("domainId", "=", after.id).execute()).toHaveLength(
        1,
      );
      const events = await world.domainEvents(owner.workspaceId);
      expect(events.at(-1)?.data).toEqual({
        slug,
        before: { slug: before.slug, status: "verified" },
        after: { slug, status: "pending" },
      });
    });

    test("another slug that is in use, here or verified elsewhere, is a conflict", async () => {
      const [owner, other] = await Promise.all([world.newOwner(), world.newOwner()]);
      const [domain, sibling, foreign] = [await create(owner), await create(owner), await create(other)];
      await verify(foreign);

      const codes = [sibling, foreign].map(
        async ({ slug }) =>
          (await problemOf(updateDomain(world, owner, { slug: domain.slug, changes: { slug } })))?.code,
      );

      expect(await Promise.all(codes)).toEqual(["conflict", "conflict"]);
      expect(await getDomain(world, owner, domain.slug)).toEqual(domain);
    });

    test("caseSensitive is fixed at creation", async () => {
      const owner = await world.newOwner();
      const domain = await create(owner);

      const same = await updateDomain(world, owner, { slug: domain.slug, changes: { caseSensitive: false } });
      const problem = await problemOf(
        updateDomain(world, owner, { slug: domain.slug, changes: { caseSensitive: true } }),
      );

      expect(same).toEqual(domain);
      expect(problem).toMatchObject({
        code: "unprocessable_entity",
        message: expect.stringContaining("caseSensitive"),
      });
    });
  });

  describe("deleting", () => {
    test("deletes the links, is recorded, and makes the oldest other domain primary", async () => {
      const owner = await world.newOwner();
      const [first, second] = [await create(owner), await create(owner), await create(owner)];

      const answer = await deleteDomain(world, owner, first.slug);

      expect(answer).toEqual({ slug: first.slug });
      expect(await world.db.selectFrom("links").select("id").where("domainId", "=", first.id).execute()).toEqual([]);
      expect(await primarySlugs(owner)).toEqual([second.slug]);
      expect((await problemOf(deleteDomain(world, owner, first.slug)))?.code).toBe("not_found");
      expect((await world.domainEvents(owner.workspaceId)).slice(3)).toMatchObject([
        { type: "domain.deleted", objectId: first.id, userId: owner.userId, data: { slug: first.slug } },
        { type: "domain.updated", objectId: second.id, data: { before: { primary: false }, after: { primary: true } } },
      ]);
    });
  });

  describe("making primary", () => {
    test("replaces the former primary domain", async () => {
      const owner = await world.newOwner();
      const [first, second] = [await createVerified(owner), await createVerified(owner)];

      const answer = await makeDomainPrimary(primaryDeps(), owner, second.slug);
      await makeDomainPrimary(primaryDeps(), owner, second.slug);

      expect(answer).toMatchObject({ id: second.id, primary: 1 });
      expect(await primarySlugs(owner)).toEqual([second.slug]);
      expect((await world.domainEvents(owner.workspaceId)).slice(2)).toMatchObject([
        { objectId: first.id, data: { after: { primary: false } } },
        { objectId: second.id, data: { after: { primary: true } } },
      ]);
    });

    test("refuses a pending domain, whose links do not work, unless unverified domains redirect", async () => {
      const owner = await world.newOwner();
      const [first, second] = [await create(owner), await create(owner)];

      const problem = await problemOf(makeDomainPrimary(primaryDeps(), owner, second.slug));

      expect(problem?.code).toBe("conflict");
      expect(problem?.message).toContain(`${second.slug} is not verified, so new links on it would not redirect.`);
      expect(await primarySlugs(owner)).toEqual([first.slug]);
      await makeDomainPrimary(primaryDeps(true), owner, second.slug);
      expect(await primarySlugs(owner)).toEqual([second.slug]);
    });

    test("leaves exactly one primary domain after simultaneous calls", async () => {
      const owner = await world.newOwner();
      const domains = [];
      for (let index = 0; index < 4; index++) domains.push(await createVerified(owner));

      await Promise.all(domains.map(({ slug }) => makeDomainPrimary(primaryDeps(), owner, slug)));

      expect(await primarySlugs(owner)).toHaveLength(1);
    });

    test("the deletion of the primary domain prefers a verified domain to an older pending one", async () => {
      const owner = await world.newOwner();
      const first = await create(owner);
      await create(owner);
      const verified = await createVerified(owner);

      await deleteDomain(world, owner, first.slug);

      expect(await primarySlugs(owner)).toEqual([verified.slug]);
    });
  });
});
