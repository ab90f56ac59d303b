import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import type { LinkWorkspace } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { searchedNoteCharactersMax } from "../database/link-search.ts";
import { createLink } from "./create-link.ts";
import { createFolder, deleteFolder } from "./folders.ts";
import { countLinkGroups, countLinks, type LinkPage, listLinks } from "./list-links.ts";
import { createTag, updateTag } from "./tags.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    async function keysFound({ actor }: LinkWorkspace, search: string): Promise<string[]> {
      const links = await listLinks(world.deps, actor, { search }, { pageSize: 100 });
      expect(await countLinks(world.deps, actor, { search })).toBe(links.length);
      return links.map(({ key }) => key);
    }

    test("a search finds links by title and comments, in any case and in every script", async () => {
      const workspace = await world.newWorkspace();
      const make = (key: string, fields: { title?: string; comments?: string }) =>
        createLink(world.deps, workspace.actor, { key, url: "https://example.org", ...fields });
      await make("one", { title: "Sommerfest für Ärzte" });
      await make("two", { title: "Привет Мир", comments: "Ask Nora before you change_it" });
      await make("three", { comments: `${"x".repeat(searchedNoteCharactersMax - 5)}quartz` });
      await make("four", { title: "春季促销活动" });
      const cases: [search: string, keys: string[]][] = [
        ["sommerFEST", ["one"]],
        ["ärzte", ["one"]],
        ["FÜR ÄRZTE", ["one"]],
        ["привет", ["two"]],
        ["привет мир", ["two"]],
        ["ask nora", ["two"]],
        ["change_", ["two"]],
        ["change-", []],
        ["мир Ask", []],
        ["quart", ["three"]],
        ["quartz", []],
        ["促销活", ["four"]],
      ];

      for (const [search, keys] of cases) {
        expect({ search, keys: await keysFound(workspace, search) }).toEqual({ search, keys });
      }
    });

    test("a search finds a changed title and no longer the one before", async () => {
      const workspace = await world.newWorkspace();
      const { id } = await createLink(world.deps, workspace.actor, {
        key: "k",
        url: "https://a.example",
        title: "Autumn",
      });

      await updateLink(world.deps, workspace.actor, id, { title: "Winter" });

      expect(await keysFound(workspace, "autumn")).toEqual([]);
      expect(await keysFound(workspace, "winter")).toEqual(["k"]);
      await updateLink(world.deps, workspace.actor, id, { title: null, comments: "harvest" });
      expect(await keysFound(workspace, "winter")).toEqual([]);
      expect(await keysFound(workspace, "harvest")).toEqual(["k"]);
    });

    test("a search finds links by the names of their tags and folder, also after these change", async () => {
      const workspace = await world.newWorkspace();
      const { actor } = workspace;
      const tag = await createTag(world.deps, actor, { name: "Newsletter" });
      const folder = await createFolder(world.deps, actor, { name: "Letters", description: null, accessLevel: null });
      await createLink(world.deps, actor, { key: "by-tag", url: "https://a.example", tagIds: [tag.id] });
      await createLink(world.deps, actor, { key: "by-folder", url: "https://a.example", folderId: folder.id });
      await createLink(world.deps, actor, {
        key: "letter",
        url: "https://a.example/letter",
        title: "Letter",
        tagIds: [tag.id],
        folderId: folder.id,
      });
      await createLink(world.deps, actor, { key: "other", url: "https://a.example" });

      expect(await keysFound(workspace, "LETTER")).toEqual(["letter", "by-folder", "by-tag"]);
      expect(await keysFound(workspace, "newsl")).toEqual(["letter", "by-tag"]);
      expect(await keysFound(workspace, "Ne")).toEqual(["letter", "by-tag"]);
      await updateTag(world.deps, actor, tag.id, { name: "Mailing" });
      await deleteFolder(world.deps, actor, folder.id);
      expect(await keysFound(workspace, "newsl")).toEqual([]);
      expect(await keysFound(workspace, "letters")).toEqual([]);
      expect(await keysFound(workspace, "mailing")).toEqual(["letter", "by-tag"]);
    });

    test("pages, cursors, orders and groups of a search hold the links found by text and by tag once", async () => {
      const workspace = await world.newWorkspace();
      const { actor } = workspace;
      const tag = await createTag(world.deps, actor, { name: "Spring" });
      for (const index of [1, 2, 3, 4, 5, 6]) {
        await createLink(world.deps, actor, {
          key: index % 2 === 0 ? `spring-${index}` : `plain-${index}`,
          url: "https://a.example",
          tagIds: index % 3 === 0 || index === 1 ? [tag.id] : [],
        });
      }
      const filter = { search: "spring" };
      const keys = async (page: Partial<LinkPage>) =>
        (await listLinks(world.deps, actor, filter, { pageSize: 2, ...page })).map(({ key }) => key);
      const [first, second] = await listLinks(world.deps, actor, filter, { pageSize: 2 });

      expect(await keys({})).toEqual(["spring-6", "spring-4"]);
      expect(await keys({ page: 2 })).toEqual(["plain-3", "spring-2"]);
      expect(await keys({ page: 3 })).toEqual(["plain-1"]);
      expect(await keys({ startingAfter: second?.id })).toEqual(["plain-3", "spring-2"]);
      expect(await keys({ endingBefore: second?.id })).toEqual(["spring-6"]);
      expect(await keys({ sortOrder: "asc" })).toEqual(["plain-1", "spring-2"]);
      expect(await keys({ sortBy: "clicks", page: 3 })).toHaveLength(1);
      expect(first?.key).toBe("spring-6");
      expect(await countLinkGroups(world.deps, actor, filter, "tagId")).toEqual([{ value: tag.id, count: 3 }]);
      expect(await countLinkGroups(world.deps, actor, filter, "userId")).toEqual([{ value: actor.userId, count: 5 }]);
      expect(await countLinks(world.deps, actor, { ...filter, tagIds: [tag.id] })).toBe(3);
    });

    test("a search finds nothing by the name of another workspace's tag", async () => {
      const [mine, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const tag = await createTag(world.deps, other.actor, { name: "Secretive" });
      await createLink(world.deps, other.actor, { key: "k", url: "https://a.example", tagIds: [tag.id] });

      expect(await keysFound(mine, "secretive")).toEqual([]);
      expect(await keysFound(other, "secretive")).toEqual(["k"]);
    });

    test("root links are left out, or listed alone, when the filter says so", async () => {
      const workspace = await world.newWorkspace();
      await createLink(world.deps, workspace.actor, { key: "spring", url: "https://a.example" });
      const keys = async (root: boolean | undefined, search = "") =>
        (await listLinks(world.deps, workspace.actor, { root, search }, { pageSize: 9 })).map(({ key }) => key);

      expect(await keys(undefined)).toEqual(["spring", "_root"]);
      expect(await keys(false)).toEqual(["spring"]);
      expect(await keys(true)).toEqual(["_root"]);
      expect(await keys(false, workspace.domain.slug)).toEqual(["spring"]);
      expect(await countLinks(world.deps, workspace.actor, { root: false })).toBe(1);
    });
  });
}
