import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { deleteLinks } from "./delete-links.ts";
import { findLink, findNamedLink } from "./find-links.ts";
import { countLinks } from "./list-links.ts";
import { createTag } from "./tags.ts";
import { updateLink } from "./update-link.ts";
import { updateLinks } from "./update-links.ts";
import { upsertLink } from "./upsert-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    const count = (actor: Parameters<typeof countLinks>[1]) => countLinks(world.deps, actor, { showArchived: true });

    test("a batch creates a hundred links just like single creations", async () => {
      const { actor, domain } = await world.newWorkspace();
      const tag = await createTag(world.deps, actor, { name: "T", color: "red" });

      const { links, refusals } = await createLinks(
        world.deps,
        actor,
        Array.from({ length: 100 }, (_, index) => ({
          url: `a.example/${index}`,
          tagNames: ["t"],
          externalId: `e${index}`,
        })),
      );

      expect(refusals).toEqual([]);
      expect(links.map(({ url }) => url)).toEqual(
        Array.from({ length: 100 }, (_, index) => `https://a.example/${index}`),
      );
      expect(new Set(links.map(({ key }) => key)).size).toBe(100);
      const last = links.at(-1) ?? fail();
      expect(last).toMatchObject({ domain: domain.slug, tags: [tag], externalId: "e99" });
      expect(await findLink(world.deps, actor, "ext_e99")).toEqual(last);
      expect(links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).sort());
      const { domainId, foldedKey, workspaceId, id } = last;
      expect(await world.eventsOf(id)).toEqual([
        { type: "link.created", userId: actor.userId, workspaceId, domainId, foldedKey, after: last },
      ]);
    });

    test("a bad link of a batch does not affect the others", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      await createLink(world.deps, actor, { url: "a.example", key: "taken", externalId: "taken" });
      const held = await createLink(world.deps, other.actor, {
        ...{ url: "a.example", domain: world.instance.slug, key: `held-${engine}` },
      });
      await deleteLink(world.deps, other.actor, held.id);
      const inputs = [
        { url: "a.example/1", key: "TAKEN" },
        { url: "a.example/2", key: "free" },
        { url: "a.example/3", externalId: "taken" },
        { url: "a.example/4", domain: other.domain.slug },
        { url: "a.example/5", key: "robots.txt" },
        { url: "a.example/6", tagIds: ["tag_nothing"] },
        { url: "a.example/7", folderId: "fold_nothing" },
        { url: "nothing" },
        { url: "" },
        { url: "a.example/10", externalId: "twice" },
        { url: "a.example/11", externalId: "twice" },
        { url: "a.example/12", key: held.key, domain: world.instance.slug },
        { url: "a.example/13" },
      ];

      const positionOf = (input: object) => inputs.findIndex((candidate) => candidate === input);

      const { links, refusals } = await createLinks(world.deps, actor, inputs);

      expect(links.map(({ url }) => url)).toEqual([
        "https://a.example/2",
        "https://a.example/10",
        "https://a.example/13",
      ]);
      expect(refusals.map(({ input, problem }) => `${positionOf(input)} ${problem.code}`)).toEqual([
        "0 conflict",
        "2 conflict",
        "3 forbidden",
        "4 forbidden",
        "5 unprocessable_entity",
        "6 not_found",
        "7 unprocessable_entity",
        "8 bad_request",
        "10 conflict",
        "11 conflict",
      ]);
      expect(await count(actor)).toBe(1 + 1 + links.length); // The root link and the one that had the key.
    });

    test("one domain and key twice refuses the whole batch", async () => {
      const { actor, domain } = await world.newWorkspace();
      const before = await count(actor);

      const twice = createLinks(world.deps, actor, [
        { url: "a.example", key: "same" },
        { url: "b.example", key: "Same", domain: domain.slug },
      ]);

      expect(await refusal(twice)).toBe("bad_request");
      expect(await count(actor)).toBe(before);
    });

    test("each key goes to one of several simultaneous batches", async () => {
      const { actor } = await world.newWorkspace();
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);

      const outcomes = await Promise.all(
        [keys, keys.toReversed(), keys].map((requested) =>
          createLinks(
            world.deps,
            actor,
            requested.map((key) => ({ url: "a.example", key })),
          ),
        ),
      );

      const made = outcomes.flatMap(({ links }) => links.map(({ key }) => key));
      expect(made.sort()).toEqual(keys.toSorted());
      expect(outcomes.flatMap(({ refusals }) => refusals).map(({ problem }) => problem.code)).toEqual(
        Array(40).fill("conflict"),
      );
    });

    test("a bulk update changes links, names those not found, and records nothing for unchanged ones", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const one = await createLink(world.deps, actor, { url: "a.example", externalId: "one" });
      const two = await createLink(world.deps, actor, { url: "b.example", archived: true, title: "T" });
      const foreign = await createLink(world.deps, other.actor, { url: "c.example", externalId: "foreign" });

      const { links, missing } = await updateLinks(
        world.deps,
        actor,
        [two.id, "ext_one", foreign.id, "ext_foreign", two.id, one.id],
        { archived: true, title: "T" },
      );

      expect(missing).toEqual([foreign.id, "ext_foreign"]);
      expect(links).toEqual([two, { ...one, archived: true, title: "T", updatedAt: links[1]?.updatedAt ?? 0 }]);
      expect(await findLink(world.deps, actor, one.id)).toEqual(links[1] ?? fail());
      expect(await world.eventsOf(two.id)).toHaveLength(1);
      expect((await world.eventsOf(one.id))[1]).toMatchObject({
        type: "link.updated",
        before: { archived: false, title: null },
        after: { archived: true, title: "T" },
      });
      expect(await findLink(world.deps, other.actor, foreign.id)).toEqual(foreign);
    });

    test("no externalId matches a link without one", async () => {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "a.example" });

      const { links, missing } = await updateLinks(world.deps, actor, ["ext_null", id], { title: "T" });

      expect(links).toMatchObject([{ id, title: "T" }]);
      expect(missing).toEqual(["ext_null"]);
    });

    test("links that are too large together cannot be changed at once, but each of them can", async () => {
      const { actor } = await world.newWorkspace();
      const geo = Object.fromEntries(["DE", "FR"].map((code) => [code, `https://a.example/${"x".repeat(31_000)}`]));
      const inputs = Array.from({ length: 40 }, (_, index) => ({ url: `a.example/${index}`, geo }));
      const { links, refusals } = await createLinks(world.deps, actor, inputs);
      expect(refusals).toEqual([]);
      const ids = links.map(({ id }) => id);

      expect(await refusal(updateLinks(world.deps, actor, ids, { title: "T" }))).toBe("payload_too_large");
      const { links: fewer } = await updateLinks(world.deps, actor, ids.slice(0, 30), { title: "T" });

      expect(fewer.map(({ title }) => title)).toEqual(Array(30).fill("T"));
      expect(await findLink(world.deps, actor, ids[39] ?? "")).toEqual(links[39] ?? fail());
    });

    test("a change that one link refuses changes none of them", async () => {
      const { actor } = await world.newWorkspace();
      const one = await createLink(world.deps, actor, { url: "a.example" });
      const two = await createLink(world.deps, actor, { url: "a.example" });
      const ids = [one.id, two.id];

      expect(await refusal(updateLinks(world.deps, actor, ids, { tagIds: ["x"] }))).toBe("unprocessable_entity");
      expect(await refusal(updateLinks(world.deps, actor, ids, { folderId: "x" }))).toBe("not_found");
      const root = await findNamedLink(world.deps, world.owner, { domain: world.instance.slug });
      const member = { ...world.owner, role: "member" } as const;
      expect(await refusal(updateLinks(world.deps, member, [root.id], { title: "x" }))).toBe("forbidden");
      expect(await findLink(world.deps, actor, one.id)).toEqual(one);
      expect(await findLink(world.deps, actor, two.id)).toEqual(two);
    });

    test("a bulk deletion skips root links and foreign links", async () => {
      const [{ actor, domain }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const one = await createLink(world.deps, actor, { url: "a.example", externalId: "one" });
      const two = await createLink(world.deps, actor, { url: "b.example", key: "two" });
      const root = await findNamedLink(world.deps, actor, { domain: domain.slug });
      const foreign = await createLink(world.deps, other.actor, { url: "c.example" });

      const names = ["ext_one", one.id, two.id, root.id, foreign.id, "link_nothing"];
      expect(await deleteLinks(world.deps, actor, names)).toBe(2);
      expect(await deleteLinks(world.deps, actor, names)).toBe(0);

      expect(await refusal(findLink(world.deps, actor, one.id))).toBe("not_found");
      expect(await findLink(world.deps, other.actor, foreign.id)).toEqual(foreign);
      expect((await world.eventsOf(two.id))[1]).toMatchObject({ type: "link.deleted", before: two });
      expect(await refusal(createLink(world.deps, actor, { url: "b.example", key: "two" }))).toBe("none");
    });

    test("a deletion of several batches deletes each link once", async () => {
      const { actor } = await world.newWorkspace();
      const inputs = Array.from({ length: 100 }, (_, index) => ({ url: "a.example", externalId: `e${index}` }));
      const { links } = await createLinks(world.deps, actor, inputs);

      const names = [...links.map(({ id }) => id), ...inputs.map(({ externalId }) => `ext_${externalId}`)];
      expect(await deleteLinks(world.deps, actor, names.toReversed())).toBe(100);

      expect(await count(actor)).toBe(1);
    });

    test("50 simultaneous upserts of one URL create one link", async () => {
      const { actor } = await world.newWorkspace();
      const before = await count(actor);

      for (const input of [{ url: "a.example/x" }, { url: "https://b.example/", utm_source: "mail", ref: "r" }]) {
        const links = await Promise.all(Array.from({ length: 50 }, () => upsertLink(world.deps, actor, input)));

        for (const link of links) expect(link).toEqual(links[0] ?? link);
        expect(await world.eventsOf(links[0]?.id ?? "")).toHaveLength(1);
      }
      expect(await count(actor)).toBe(before + 2);
    });

    test("an upsert changes the oldest link with exactly this URL, and nothing when repeated", async () => {
      const [{ actor, domain }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const root = await findNamedLink(world.deps, actor, { domain: domain.slug });
      await updateLink(world.deps, actor, root.id, { url: "https://a.example/" });
      await createLink(world.deps, other.actor, { url: "https://a.example/" });
      const oldest = await createLink(world.deps, actor, { url: "https://a.example/", key: "one" });
      await createLink(world.deps, actor, { url: "https://a.example/" });
      const before = await count(actor);

      const input = { url: "https://a.example/", title: "T", password: "secret", utm_source: "s" };
      const updated = await upsertLink(world.deps, actor, input);
      const [, ...changes] = await world.eventsOf(oldest.id);

      expect(updated).toMatchObject({ id: oldest.id, key: "one", title: "T", url: "https://a.example/?utm_source=s" });
      expect(changes).toHaveLength(1);
      expect(await upsertLink(world.deps, actor, { url: updated.url, title: "T", password: "secret" })).toEqual(
        updated,
      );
      expect(await count(actor)).toBe(before);
      expect(await world.eventsOf(oldest.id)).toHaveLength(2);
    });

    test("an upsert with an empty key keeps the link's random key", async () => {
      const { actor } = await world.newWorkspace();
      const input = { url: "https://a.example/", key: "" };

      const made = await upsertLink(world.deps, actor, input);

      expect(await upsertLink(world.deps, actor, input)).toEqual(made);
    });

    test("an upsert finds URLs of the maximum length again", async () => {
      const { actor } = await world.newWorkspace();
      const url = `https://a.example/${"ä".repeat(31_900)}`;

      const [one, two] = [await upsertLink(world.deps, actor, { url }), await upsertLink(world.deps, actor, { url })];
      const other = await upsertLink(world.deps, actor, { url: `${url}x` });

      expect(two).toEqual(one);
      expect(other.id).not.toBe(one.id);
    });
  });
}

function fail(): never {
  throw new Error("There are fewer links than were made.");
}
