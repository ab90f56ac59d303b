import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { findNamedLink } from "./find-links.ts";
import { countLinks, listLinks } from "./list-links.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    test("a list is newest first, in pages by number and by cursor", async () => {
      const { actor } = await world.newWorkspace();
      const ids: string[] = [];
      for (let index = 0; index < 5; index++)
        ids.unshift((await createLink(world.deps, actor, { url: "a.example" })).id);
      const [, second = "", , fourth = ""] = ids;
      const list = async (page: Parameters<typeof listLinks>[3]) =>
        (await listLinks(world.deps, actor, { search: "a.example" }, page)).map(({ id }) => id);

      expect(await list({ pageSize: 100 })).toEqual(ids);
      expect(await list({ pageSize: 2, page: 2 })).toEqual(ids.slice(2, 4));
      expect(await list({ pageSize: 2, page: 9 })).toEqual([]);
      expect(await list({ pageSize: 2, startingAfter: second })).toEqual(ids.slice(2, 4));
      expect(await list({ pageSize: 2, endingBefore: fourth })).toEqual(ids.slice(1, 3));
      expect(await countLinks(world.deps, actor, { search: "a.example" })).toBe(5);
    });

    test("contradicting and unknown cursors are refused", async () => {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "a.example" });

      for (const page of [
        { startingAfter: id, endingBefore: id },
        { startingAfter: id, page: 1 },
        { endingBefore: id, sortBy: "clicks" as const },
        { startingAfter: "link_nothing" },
      ]) {
        expect(await refusal(listLinks(world.deps, actor, {}, { pageSize: 10, ...page }))).toBe("unprocessable_entity");
      }
    });

    test("a list sorts by clicks or by the last click, links without a click last", async () => {
      const { actor, domain } = await world.newWorkspace();
      for (const [key, clicks, lastClicked] of [
        ["a", 2, 10],
        ["b", 9, 5],
        ["c", 0, null],
      ] as const) {
        const { id } = await createLink(world.deps, actor, { url: "a.example", key });
        await world.deps.db.updateTable("links").set({ clicks, lastClicked }).where("id", "=", id).execute();
      }
      const list = async (sortBy: "clicks" | "lastClicked" | "saleAmount") =>
        (
          await listLinks(world.deps, actor, { domain: domain.slug, search: "a.example" }, { pageSize: 10, sortBy })
        ).map(({ key }) => key);

      expect(await list("clicks")).toEqual(["b", "a", "c"]);
      expect(await list("lastClicked")).toEqual(["a", "b", "c"]);
      expect(await list("saleAmount")).toEqual(["c", "b", "a"]);
    });

    test("filters choose links", async () => {
      const { actor, domain } = await world.newWorkspace();
      const from = world.deps.now() + 1;
      await createLink(world.deps, actor, { url: "https://Example.org/50%_off", key: "Straße", tenantId: "t1" });
      const until = world.deps.now();
      await createLink(world.deps, actor, { url: "https://example.org/50xxoff", key: "two", archived: true });
      const keys = async (filter: Parameters<typeof countLinks>[2]) => {
        const links = await listLinks(world.deps, actor, filter, { pageSize: 10 });
        expect(await countLinks(world.deps, actor, filter)).toBe(links.length);
        return links.map(({ key }) => key);
      };

      expect(await keys({})).toEqual(["Straße", "_root"]);
      expect(await keys({ showArchived: true })).toEqual(["two", "Straße", "_root"]);
      expect(await keys({ showArchived: true, search: "50%_OFF" })).toEqual(["Straße"]);
      expect(await keys({ showArchived: true, search: "\\" })).toEqual([]);
      expect(await keys({ search: `https://${domain.slug}:8080/STRASSE`.replace("SS", "ß") })).toEqual(["Straße"]);
      expect(await keys({ search: "example.ORG" })).toEqual(["Straße"]);
      expect(await keys({ tenantId: "t1" })).toEqual(["Straße"]);
      expect(await keys({ userId: "nobody" })).toEqual([]);
      expect(await keys({ userId: actor.userId, domain: domain.slug })).toEqual(["Straße", "_root"]);
      expect(await keys({ createdAfter: from, createdBefore: until })).toEqual(["Straße"]);
      expect(await keys({ withTags: true })).toEqual([]);
      expect(await keys({ tagNames: ["x"] })).toEqual([]);
      expect(await keys({ tagIds: [], folderId: "unsorted" })).toEqual(["Straße", "_root"]);
      expect(await refusal(countLinks(world.deps, actor, { folderId: "fold_1" }))).toBe("not_found");
      expect(await refusal(countLinks(world.deps, actor, { search: "x".repeat(1_001) }))).toBe("unprocessable_entity");
    });

    test("an empty name is distinguished from a missing link", async () => {
      const { actor } = await world.newWorkspace();

      expect(await refusal(findNamedLink(world.deps, actor, {}))).toBe("bad_request");
      expect(await refusal(findNamedLink(world.deps, actor, { key: "x" }))).toBe("bad_request");
      expect(await refusal(findNamedLink(world.deps, actor, { externalId: "x" }))).toBe("bad_request");
      expect(await refusal(findNamedLink(world.deps, actor, { externalId: "ext_x" }))).toBe("not_found");
    });
  });
}
