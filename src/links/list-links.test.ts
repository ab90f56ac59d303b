import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { copyLink, type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { createFolder } from "./folders.ts";
import type { LinkFilter } from "./link-filter.ts";
import { countLinkGroups, countLinks, listLinks } from "./list-links.ts";
import { createTag } from "./tags.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    /** The keys of the links that match. Fails unless a count returns their number. */
    async function keys({ actor }: LinkWorkspace, filter: LinkFilter): Promise<string[]> {
      const links = await listLinks(world.deps, actor, filter, { pageSize: 100 });
      expect(await countLinks(world.deps, actor, filter)).toBe(links.length);
      return links.map(({ key }) => key);
    }

    /** A workspace with links a, b, c and d; a has tag red, b has red and blue, c blue; b and c are in a folder. */
    async function filedWorkspace() {
      const workspace = await world.newWorkspace();
      const { actor } = workspace;
      const red = (await createTag(world.deps, actor, { name: "Red Ä" })).id;
      const blue = (await createTag(world.deps, actor, { name: "Blue" })).id;
      const folder = (await createFolder(world.deps, actor, { name: "F", description: null, accessLevel: "write" })).id;
      const rows = [
        { key: "a", tags: [red], folderId: null },
        { key: "b", tags: [red, blue], folderId: folder },
        { key: "c", tags: [blue], folderId: folder },
        { key: "d", tags: [], folderId: null },
      ];
      for (const { key, tags, folderId } of rows) {
        const { id } = await createLink(world.deps, actor, { key, url: "https://filed.example" });
        await world.deps.db.updateTable("links").set({ folderId }).where("id", "=", id).execute();
        for (const [position, tagId] of tags.entries()) {
          await world.deps.db.insertInto("linkTags").values({ linkId: id, tagId, position }).execute();
        }
      }
      return { workspace, red, blue, folder };
    }

    test("tags find links with one of them or with all, by id and by name in any case", async () => {
      const { workspace, red, blue } = await filedWorkspace();
      const foreign = (await filedWorkspace()).red;

      expect(await keys(workspace, { tagId: red })).toEqual(["b", "a"]);
      expect(await keys(workspace, { tagIds: [red, blue] })).toEqual(["c", "b", "a"]);
      expect(await keys(workspace, { tagIds: [red, blue], tagMatch: "all" })).toEqual(["b"]);
      expect(await keys(workspace, { tagNames: ["red ä"] })).toEqual(["b", "a"]);
      expect(await keys(workspace, { tagIds: [blue], tagNames: ["RED Ä"], tagMatch: "all" })).toEqual(["b"]);
      expect(await keys(workspace, { withTags: true })).toEqual(["c", "b", "a"]);
      expect(await keys(workspace, { tagIds: [red, "tag_none"] })).toEqual(["b", "a"]);
      expect(await keys(workspace, { tagIds: [red, "tag_none"], tagMatch: "all" })).toEqual([]);
      expect(await keys(workspace, { tagIds: [foreign] })).toEqual([]);
      expect(await keys(workspace, { tagNames: ["none"] })).toEqual([]);
    });

    test('a folder filter finds the links in it, "unsorted" those in none', async () => {
      const { workspace, folder } = await filedWorkspace();
      const foreign = (await filedWorkspace()).folder;

      expect(await keys(workspace, { folderId: folder })).toEqual(["c", "b"]);
      expect(await keys(workspace, { folderId: "unsorted" })).toEqual(["d", "a", "_root"]);
      expect(await keys(workspace, { folderId: "" })).toEqual(["d", "c", "b", "a", "_root"]);
      expect(await refusal(keys(workspace, { folderId: foreign }))).toBe("not_found");
    });

    test("several filters find the links that match all of them", async () => {
      const { workspace, red, blue, folder } = await filedWorkspace();
      const { actor, domain } = workspace;

      const all = { domain: domain.slug, userId: actor.userId, createdAfter: 0, createdBefore: world.deps.now() };
      expect(await keys(workspace, { ...all, folderId: folder, tagId: red, search: "filed" })).toEqual(["b"]);
      expect(await keys(workspace, { ...all, folderId: folder, search: "c" })).toEqual(["c"]);
      expect(await keys(workspace, { ...all, folderId: "unsorted", tagIds: [red, blue] })).toEqual(["a"]);
      expect(await keys(workspace, { ...all, tenantId: "t" })).toEqual([]);
      expect(await keys(workspace, { ...all, createdAfter: world.deps.now() })).toEqual([]);
    });

    test("a tag on very many links finds the same links link by link", async () => {
      const { workspace, red, blue } = await filedWorkspace();
      const { actor } = workspace;
      const [first] = await listLinks(world.deps, actor, { search: "filed" }, { pageSize: 1 });
      await copyLink(world.deps.db, first?.id ?? "", 5_001, red);

      expect(await countLinks(world.deps, actor, { tagId: red })).toBe(5_003);
      expect(await countLinks(world.deps, actor, { tagIds: [red, blue], tagMatch: "all" })).toBe(1);
      const links = await listLinks(world.deps, actor, { tagId: red, search: "copy5000" }, { pageSize: 5 });
      expect(links.map(({ key }) => key)).toEqual(["copy5000"]);
      const last = await listLinks(world.deps, actor, { tagId: red }, { pageSize: 100, page: 51 });
      expect(last.map(({ key }) => key)).toEqual(["copy2", "copy1", "copy0"]);
    });

    test("a count can be grouped by domain, tag, user or folder, largest first", async () => {
      const { workspace, red, blue, folder } = await filedWorkspace();
      const { actor, domain } = workspace;
      await createLink(world.deps, actor, { key: "e", url: "https://e.example", domain: world.instance.slug });
      const groups = (by: Parameters<typeof countLinkGroups>[3], filter: LinkFilter = {}) =>
        countLinkGroups(world.deps, actor, filter, by);

      expect(await groups("domain")).toEqual([
        { value: domain.slug, count: 5 },
        { value: world.instance.slug, count: 1 },
      ]);
      expect(await groups("tagId")).toEqual([red, blue].toSorted().map((value) => ({ value, count: 2 })));
      expect(await groups("userId")).toEqual([{ value: actor.userId, count: 6 }]);
      expect(await groups("folderId")).toEqual([
        { value: null, count: 4 },
        { value: folder, count: 2 },
      ]);
      // Both groups have the same size: on both engines, links without a folder are first.
      expect(await groups("folderId", { tagMatch: "any", tagIds: [red] })).toEqual([
        { value: null, count: 1 },
        { value: folder, count: 1 },
      ]);
      expect(await groups("domain", { search: "filed", tagId: blue })).toEqual([{ value: domain.slug, count: 2 }]);
      expect(await groups("tagId", { search: "nothing" })).toEqual([]);
    });

    test("sortOrder reverses a list, except that links without a click stay last", async () => {
      const workspace = await world.newWorkspace();
      for (const [key, lastClicked] of [
        ["a", 10],
        ["b", null],
        ["c", 5],
      ] as const) {
        const { id } = await createLink(world.deps, workspace.actor, { url: "a.example", key });
        await world.deps.db.updateTable("links").set({ lastClicked }).where("id", "=", id).execute();
      }
      const list = async (page: Partial<Parameters<typeof listLinks>[3]>) =>
        (await listLinks(world.deps, workspace.actor, { search: "a.example" }, { pageSize: 9, ...page })).map(
          ({ key }) => key,
        );

      expect(await list({ sortOrder: "asc" })).toEqual(["a", "b", "c"]);
      expect(await list({ sortBy: "lastClicked", sortOrder: "asc" })).toEqual(["c", "a", "b"]);
      expect(await list({ sortBy: "lastClicked" })).toEqual(["a", "c", "b"]);
      expect(await refusal(list({ startingAfter: "link_x", sortOrder: "asc" }))).toBe("unprocessable_entity");
    });
  });
}
