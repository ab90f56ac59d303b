import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import type { Actor } from "../access/actor.ts";
import { hourMs } from "../base/time.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { findLink, findNamedLink } from "./find-links.ts";
import { countLinks, listLinks } from "./list-links.ts";
import type { LinkDeps } from "./new-links.ts";
import { deleteExpiredReleases } from "./released-keys.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    test("a new link is on the primary domain with a random key, and every lookup finds it", async () => {
      const { actor, domain } = await world.newWorkspace();

      const link = await createLink(world.deps, actor, { url: "example.com", externalId: "ext_7" });

      expect(link).toMatchObject({ domain: domain.slug, url: "https://example.com", externalId: "7", clicks: 0 });
      expect(link.key).toMatch(/^[2-9A-Za-z]{7}$/);
      expect(await findLink(world.deps, actor, link.id)).toEqual(link);
      expect(await findLink(world.deps, actor, "ext_7")).toEqual(link);
      expect(await findNamedLink(world.deps, actor, { linkId: "ext_7" })).toEqual(link);
      expect(await findNamedLink(world.deps, actor, { externalId: "ext_7" })).toEqual(link);
      expect(await findNamedLink(world.deps, actor, { domain: domain.slug, key: link.key.toUpperCase() })).toEqual(
        link,
      );
      expect(await findNamedLink(world.deps, actor, { domain: domain.slug })).toMatchObject({ key: "_root", url: "" });
    });

    test("a creation emits an event with the whole link and no password hash", async () => {
      const { actor } = await world.newWorkspace();

      const link = await createLink(world.deps, actor, { url: "example.com", password: "secret" });

      const { domainId, foldedKey, workspaceId } = link;
      const { userId } = actor;
      expect(await world.eventsOf(link.id)).toEqual([
        { type: "link.created", userId, workspaceId, domainId, foldedKey, after: link },
      ]);
      expect(JSON.stringify(await world.eventsOf(link.id))).not.toContain("argon2");
    });

    test("bad input is refused and leaves nothing behind", async () => {
      const { actor } = await world.newWorkspace();
      const before = await countLinks(world.deps, actor, {});

      expect(await refusal(createLink(world.deps, actor, { url: "" }))).toBe("bad_request");
      expect(await refusal(createLink(world.deps, actor, { url: "nothing" }))).toBe("unprocessable_entity");
      expect(await refusal(createLink(world.deps, actor, { url: "a.example", key: "_x" }))).toBe(
        "unprocessable_entity",
      );
      expect(await refusal(createLink(world.deps, actor, { url: "a.example", tagIds: ["x"] }))).toBe(
        "unprocessable_entity",
      );
      expect(await refusal(createLink(world.deps, actor, { url: "a.example", password: "********" }))).toBe(
        "unprocessable_entity",
      );
      expect(await refusal(createLink(world.deps, actor, { url: "a.example", folderId: "x" }))).toBe("not_found");
      expect(await countLinks(world.deps, actor, {})).toBe(before);
    });

    test("a foreign domain is forbidden in the same way as an unknown one", async () => {
      const [mine, foreign] = [await world.newWorkspace(), await world.newWorkspace()];
      const link = await createLink(world.deps, mine.actor, { url: "a.example" });

      for (const domain of [foreign.domain.slug, "nobody.example.org"]) {
        expect(await refusal(createLink(world.deps, mine.actor, { url: "a.example", domain }))).toBe("forbidden");
        expect(await refusal(updateLink(world.deps, mine.actor, link.id, { domain }))).toBe("forbidden");
        expect(await refusal(listLinks(world.deps, mine.actor, { domain }, { pageSize: 1 }))).toBe("not_found");
        expect(await refusal(findNamedLink(world.deps, mine.actor, { domain, key: "x" }))).toBe("not_found");
      }
    });

    test("no verb finds another workspace's link", async () => {
      const [owner, stranger] = [await world.newWorkspace(), await world.newWorkspace()];
      const link = await createLink(world.deps, owner.actor, {
        url: "a.example",
        externalId: "x",
        domain: world.instance.slug,
        key: `hidden-${engine}`,
      });

      for (const linkId of [link.id, "ext_x", "link_nothing"]) {
        expect(await refusal(findLink(world.deps, stranger.actor, linkId))).toBe("not_found");
        expect(await refusal(updateLink(world.deps, stranger.actor, linkId, { title: "x" }))).toBe("not_found");
        expect(await refusal(deleteLink(world.deps, stranger.actor, linkId))).toBe("not_found");
      }
      const name = { domain: world.instance.slug, key: link.key };
      expect(await refusal(findNamedLink(world.deps, stranger.actor, name))).toBe("not_found");
      expect(await listLinks(world.deps, stranger.actor, { search: "hidden" }, { pageSize: 10 })).toEqual([]);
      expect(await refusal(listLinks(world.deps, stranger.actor, {}, { pageSize: 10, startingAfter: link.id }))).toBe(
        "unprocessable_entity",
      );
      expect(await findLink(world.deps, owner.actor, link.id)).toEqual(link);
    });

    test("exactly one of 20 simultaneous creations of a key wins", async () => {
      const { actor } = await world.newWorkspace();

      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          refusal(createLink(world.deps, actor, { url: "a.example", key: index % 2 === 0 ? "Same" : "sAME" })),
        ),
      );

      expect(outcomes.sort()).toEqual([...Array(19).fill("conflict"), "none"]);
    });

    test("exactly one of 20 simultaneous creations with an externalId wins", async () => {
      const { actor } = await world.newWorkspace();

      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () =>
          refusal(createLink(world.deps, actor, { url: "a.example", externalId: "same" })),
        ),
      );

      expect(outcomes.sort()).toEqual([...Array(19).fill("conflict"), "none"]);
    });

    test("a case-sensitive domain distinguishes keys by case", async () => {
      const { actor, domain } = await world.newWorkspace({ caseSensitive: 1 });

      const [upper, lower] = [
        await createLink(world.deps, actor, { url: "a.example", key: "Key" }),
        await createLink(world.deps, actor, { url: "b.example", key: "key" }),
      ];

      expect(await findNamedLink(world.deps, actor, { domain: domain.slug, key: "Key" })).toEqual(upper);
      expect(await findNamedLink(world.deps, actor, { domain: domain.slug, key: "key" })).toEqual(lower);
      expect(await refusal(findNamedLink(world.deps, actor, { domain: domain.slug, key: "KEY" }))).toBe("not_found");
    });

    test("an update changes what it names, and its event holds only the change", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "https://a.example/", title: "T", utm_source: "x" });

      const updated = await updateLink(world.deps, actor, link.id, { url: "https://b.example/", archived: true });

      const { domainId, foldedKey } = link;
      expect(updated).toEqual({
        ...link,
        url: "https://b.example/?utm_source=x",
        archived: true,
        updatedAt: updated.updatedAt,
      });
      expect(updated.updatedAt).toBeGreaterThan(link.updatedAt);
      expect(await findLink(world.deps, actor, link.id)).toEqual(updated);
      const [, event] = await world.eventsOf(link.id);
      expect(event).toMatchObject({ type: "link.updated", domainId, foldedKey });
      expect(event?.before).toEqual({ url: "https://a.example/?utm_source=x", archived: false });
      expect(event?.after).toEqual({ url: "https://b.example/?utm_source=x", archived: true });
    });

    test("an update that changes nothing keeps updatedAt and emits nothing", async () => {
      const { actor, domain } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, {
        url: "a.example",
        key: "Key",
        password: "secret",
        utm_term: "t",
      });

      for (const input of [
        {},
        { url: link.url, key: "Key", domain: domain.slug.toUpperCase(), utm_term: "t", title: null },
        { password: "********" },
        { password: "secret" },
      ]) {
        expect(await updateLink(world.deps, actor, link.id, input)).toEqual(link);
      }
      expect(await world.eventsOf(link.id)).toHaveLength(1);
    });

    test("a password is set, changed and cleared without ever being shown", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example" });
      const hash = async () =>
        (
          await world.deps.db
            .selectFrom("links")
            .select("passwordHash")
            .where("id", "=", link.id)
            .executeTakeFirstOrThrow()
        ).passwordHash;

      expect((await updateLink(world.deps, actor, link.id, { password: "one" })).password).toBe("********");
      expect(await Bun.password.verify("one", (await hash()) ?? "")).toBe(true);
      await updateLink(world.deps, actor, link.id, { password: "two" });
      expect(await Bun.password.verify("two", (await hash()) ?? "")).toBe(true);
      expect((await updateLink(world.deps, actor, link.id, { password: "" })).password).toBeNull();

      expect(await hash()).toBeNull();
      const changes = (await world.eventsOf(link.id))
        .slice(1)
        .map(({ before, after }) => [before?.password, after?.password]);
      expect(changes).toEqual([
        [null, "********"],
        ["********", "********"],
        ["********", null],
      ]);
    });

    test("renaming a link releases its old key and records both", async () => {
      const { actor, domain } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example", key: "old" });

      await updateLink(world.deps, actor, link.id, { key: "New", domain: world.instance.slug });

      const [, event] = await world.eventsOf(link.id);
      expect(event).toMatchObject({ domainId: world.instance.id, foldedKey: "new" });
      expect(event?.before).toMatchObject({ domainId: domain.id, foldedKey: "old", key: "old", domain: domain.slug });
      expect(event?.after).toMatchObject({
        domainId: world.instance.id,
        foldedKey: "new",
        key: "New",
        domain: world.instance.slug,
      });
      expect(await refusal(findNamedLink(world.deps, actor, { domain: domain.slug, key: "old" }))).toBe("not_found");
      expect(await refusal(createLink(world.deps, actor, { url: "a.example", key: "old" }))).toBe("none");
      await deleteLink(world.deps, actor, link.id);
    });

    test("an update cannot take another link's key or externalId, nor a forbidden key", async () => {
      const { actor } = await world.newWorkspace();
      await createLink(world.deps, actor, { url: "a.example", key: "taken", externalId: "taken" });
      const link = await createLink(world.deps, actor, { url: "a.example", key: "app" });

      expect(await refusal(updateLink(world.deps, actor, link.id, { key: "TAKEN" }))).toBe("conflict");
      expect(await refusal(updateLink(world.deps, actor, link.id, { externalId: "taken" }))).toBe("conflict");
      expect(await refusal(updateLink(world.deps, actor, link.id, { domain: world.instance.slug }))).toBe(
        "unprocessable_entity",
      );
      expect(await findLink(world.deps, actor, link.id)).toEqual(link);
    });

    test("deleting a link returns its id and records all of it", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example", externalId: "e" });

      const answer = await deleteLink(world.deps, actor, "ext_e");

      expect(answer).toEqual({ id: link.id });
      expect(await refusal(findLink(world.deps, actor, link.id))).toBe("not_found");
      expect(await refusal(deleteLink(world.deps, actor, link.id))).toBe("not_found");
      const [, event] = await world.eventsOf(link.id);
      const { domainId, foldedKey } = link;
      expect(event).toMatchObject({ type: "link.deleted", domainId, foldedKey, before: link });
    });

    test("exactly one of 10 simultaneous deletions deletes, and emits one event", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example" });

      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => refusal(deleteLink(world.deps, actor, link.id))),
      );

      expect(outcomes.sort()).toEqual(["none", ...Array(9).fill("not_found")]);
      expect((await world.eventsOf(link.id)).map(({ type }) => type)).toEqual(["link.created", "link.deleted"]);
    });

    test("simultaneous renames hand a key on one after the other", async () => {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: "a.example", key: "key-start" });

      await Promise.all(
        Array.from({ length: 8 }, (_, index) => updateLink(world.deps, actor, link.id, { key: `key-${index}` })),
      );

      const events = (await world.eventsOf(link.id)).slice(1);
      const befores = events.map(({ before }) => before?.key);
      const afters = events.map(({ after }) => after?.key);
      expect(befores).toEqual(["key-start", ...afters.slice(0, -1)]);
      expect((await findLink(world.deps, actor, link.id)).key).toBe(String(afters.at(-1)));
    });

    test("a root link can be edited, but keeps its key and cannot be deleted", async () => {
      const { actor, domain } = await world.newWorkspace();
      const root = await findNamedLink(world.deps, actor, { domain: domain.slug });

      expect((await updateLink(world.deps, actor, root.id, { url: "a.example", key: "_root" })).url).toBe(
        "https://a.example",
      );
      expect((await updateLink(world.deps, actor, root.id, { url: "" })).url).toBe("");
      expect(await refusal(updateLink(world.deps, actor, root.id, { key: "x" }))).toBe("forbidden");
      expect(await refusal(updateLink(world.deps, actor, root.id, { domain: world.instance.slug }))).toBe("forbidden");
      expect(await refusal(deleteLink(world.deps, actor, root.id))).toBe("forbidden");
      expect(await refusal(deleteLink(world.deps, (await world.newWorkspace()).actor, root.id))).toBe("not_found");
    });

    test("a released key stays with its workspace for 24 hours", async () => {
      const [former, other] = [(await world.newWorkspace()).actor, (await world.newWorkspace()).actor];
      const input = { url: "a.example", domain: world.instance.slug, key: `held-${engine}` };
      const take = (actor: Actor) => refusal(createLink(world.deps, actor, input));
      const first = await createLink(world.deps, former, input);
      await deleteLink(world.deps, former, first.id);

      expect(await take(other)).toBe("conflict");
      const moving = await createLink(world.deps, other, { url: "a.example" });
      expect(await refusal(updateLink(world.deps, other, moving.id, { domain: input.domain, key: input.key }))).toBe(
        "conflict",
      );
      expect(await take(former)).toBe("none");
      await deleteLink(world.deps, former, (await findNamedLink(world.deps, former, input)).id);
      world.advance(24 * hourMs - 60_000);
      expect(await take(other)).toBe("conflict");
      world.advance(60_000);
      expect(await take(other)).toBe("none");
    });

    test("releases of renamed links expire, those of deleted links do not", async () => {
      const { actor, domain } = await world.newWorkspace();
      const heldKeys = () =>
        world.deps.db.selectFrom("releasedKeys").select("foldedKey").where("domainId", "=", domain.id).execute();
      for (const key of ["one", "two"]) {
        const { id } = await createLink(world.deps, actor, { url: "a.example", key });
        await updateLink(world.deps, actor, id, { key: `${key}-renamed` });
        await deleteLink(world.deps, actor, id);
      }
      await deleteExpiredReleases(world.deps);
      expect(await heldKeys()).toHaveLength(4);

      world.advance(24 * hourMs);

      expect(await deleteExpiredReleases(world.deps)).toBeGreaterThanOrEqual(2);
      expect((await heldKeys()).map(({ foldedKey }) => foldedKey).sort()).toEqual(["one-renamed", "two-renamed"]);
    });

    test("a taken random key is replaced, at last by a longer one", async () => {
      const workspace = await world.newWorkspace();
      await takeEveryShortKey(world.deps, workspace);

      const link = await createLink(world.deps, workspace.actor, { url: "a.example", keyLength: 3 });

      expect(link.key).toHaveLength(4);
    });
  });
}

/** Every key of three characters that randomReadable can make, in its folded form. */
async function takeEveryShortKey({ db }: LinkDeps, { actor, domain }: LinkWorkspace): Promise<void> {
  const characters = sql.join(Array.from("23456789abcdefghijklmnpqrstuvwxyz", (character) => sql`(${character})`));
  await sql`
    with c(x) as (values ${characters}),
      keys(k) as (select a.x || b.x || d.x from c as a cross join c as b cross join c as d)
    insert into links (id, "workspaceId", "domainId", key, "foldedKey", url, "createdAt", "updatedAt")
    select ${domain.id} || k, cast(${actor.workspaceId} as integer), ${domain.id}, k, k, 'https://a.example', 0, 0 from keys
  `.execute(db);
}
