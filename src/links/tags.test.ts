import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import type { Actor } from "../access/actor.ts";
import { tagColors } from "../database/schema.ts";
import { createLinks } from "./create-links.ts";
import { countFolders, createFolder, deleteFolder, findFolder, listFolders, updateFolder } from "./folders.ts";
import { countLinks } from "./list-links.ts";
import { countTags, createTag, deleteTag, listTags, updateTag } from "./tags.ts";

const page = { page: 1, pageSize: 100 };
const byName = { sortBy: "name", sortOrder: "asc", ...page } as const;

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    // More links than one part of inParts. On SQLite each part is a commit, and the server answers visitors in between.
    test("tags and folders of many links are deleted in batches, and all the links stay", async () => {
      const { actor } = await world.newWorkspace();
      const { id: tagId } = await createTag(world.deps, actor, { name: "T" });
      const folder = { name: "F", description: null, accessLevel: "write" } as const;
      const { id: folderId } = await createFolder(world.deps, actor, folder);
      const filed = Array.from({ length: 100 }, () => ({ url: "a.example", tagIds: [tagId], folderId }));
      for (let made = 0; made < 1_100; made += 100) await createLinks(world.deps, actor, [...filed]);
      const commits = () => world.database.sqlite?.commits() ?? 0;
      const before = commits();

      await deleteTag(world.deps, actor, tagId);
      const between = commits();
      await deleteFolder(world.deps, actor, folderId);

      // The check that it exists and may be deleted, two parts or more, and the deletion itself.
      if (engine === "sqlite") {
        expect(between - before).toBeGreaterThanOrEqual(4);
        expect(commits() - between).toBeGreaterThanOrEqual(4);
      }
      expect(await countLinks(world.deps, actor, { withTags: true })).toBe(0);
      expect(await countLinks(world.deps, actor, { folderId: "unsorted" })).toBe(1_101);
      expect(await world.eventsOf(folderId)).toHaveLength(2);
    });

    test("a tag is created, listed, counted, changed and deleted, and each change emits its event", async () => {
      const { actor } = await world.newWorkspace();

      const blue = await createTag(world.deps, actor, { name: "News", color: "blue" });
      const chance = await createTag(world.deps, actor, { name: "50%_off" });
      const names = async (filter: Parameters<typeof listTags>[2], order: object = {}) => {
        const tags = await listTags(world.deps, actor, filter, { ...byName, ...order });
        expect(await countTags(world.deps, actor, filter)).toBe(tags.length);
        return tags.map(({ name }) => name);
      };

      expect(blue).toEqual({ id: expect.stringMatching(/^tag_/), name: "News", color: "blue" });
      expect(tagColors).toContain(chance.color);
      expect(await names({})).toEqual(["50%_off", "News"]);
      expect(await names({}, { sortBy: "createdAt" })).toEqual(["News", "50%_off"]);
      expect(await names({}, { sortOrder: "desc" })).toEqual(["News", "50%_off"]);
      expect(await names({ search: "EW" })).toEqual(["News"]);
      expect(await names({ search: "%_" })).toEqual(["50%_off"]);
      expect(await names({ ids: [blue.id, "tag_nothing"] })).toEqual(["News"]);

      const renamed = await updateTag(world.deps, actor, blue.id, { name: "NEWS" });
      expect(renamed).toEqual({ ...blue, name: "NEWS" });
      expect(await updateTag(world.deps, actor, blue.id, {})).toEqual(renamed);
      expect(await updateTag(world.deps, actor, blue.id, { color: "red" })).toEqual({ ...renamed, color: "red" });
      expect(await updateTag(world.deps, actor, blue.id, { color: "blue" })).toEqual(renamed);
      expect(await updateTag(world.deps, actor, blue.id, { name: "NEWS", color: "blue" })).toEqual(renamed);
      expect(await deleteTag(world.deps, actor, blue.id)).toEqual({ id: blue.id });

      expect(await names({})).toEqual(["50%_off"]);
      const { userId, workspaceId } = actor;
      expect(await world.eventsOf(blue.id)).toEqual([
        { type: "tag.created", userId, workspaceId, after: blue },
        { type: "tag.updated", userId, workspaceId, before: blue, after: renamed },
        { type: "tag.updated", userId, workspaceId, before: renamed, after: { ...renamed, color: "red" } },
        { type: "tag.updated", userId, workspaceId, before: { ...renamed, color: "red" }, after: renamed },
        { type: "tag.deleted", userId, workspaceId, before: renamed },
      ]);
    });

    test("a folder is created, listed, counted, changed and deleted, and each change emits its event", async () => {
      const { actor } = await world.newWorkspace();
      const fields = { name: "Spring", description: "All of it", accessLevel: "write" } as const;

      const folder = await createFolder(world.deps, actor, fields);
      await createFolder(world.deps, actor, { ...fields, name: "Autumn" });
      const names = async (filter: Parameters<typeof listFolders>[2]) => {
        const folders = await listFolders(world.deps, actor, filter, page);
        expect(await countFolders(world.deps, actor, filter)).toBe(folders.length);
        return folders.map(({ name }) => name);
      };

      expect(folder).toMatchObject({ ...fields, updatedAt: folder.createdAt });
      expect(await findFolder(world.deps, actor, folder.id)).toEqual(folder);
      expect(await names({})).toEqual(["Spring", "Autumn"]);
      expect(await names({ search: "SPR" })).toEqual(["Spring"]);

      const changed = await updateFolder(world.deps, actor, folder.id, { description: null });
      expect(changed).toEqual({ ...folder, description: null, updatedAt: changed.updatedAt });
      expect(changed.updatedAt).toBeGreaterThan(folder.updatedAt);
      expect(await updateFolder(world.deps, actor, folder.id, { name: "Spring" })).toEqual(changed);
      expect(await deleteFolder(world.deps, actor, folder.id)).toEqual({ id: folder.id });

      expect(await names({})).toEqual(["Autumn"]);
      const { userId, workspaceId } = actor;
      const cleared = { ...fields, description: null };
      expect(await world.eventsOf(folder.id)).toEqual([
        { type: "folder.created", userId, workspaceId, after: fields },
        { type: "folder.updated", userId, workspaceId, before: fields, after: cleared },
        { type: "folder.deleted", userId, workspaceId, before: cleared },
      ]);
    });

    test("a name is unique in a workspace, in any case, even among simultaneous calls", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const fields = { description: null, accessLevel: "write" } as const;

      const tags = Array.from({ length: 8 }, (_, index) =>
        refusal(createTag(world.deps, actor, { name: index % 2 === 0 ? "Straße" : "sTRAßE" })),
      );
      const folders = Array.from({ length: 8 }, (_, index) =>
        refusal(createFolder(world.deps, actor, { ...fields, name: index % 2 === 0 ? "Same" : "sAME" })),
      );

      expect((await Promise.all(tags)).sort()).toEqual([...Array(7).fill("conflict"), "none"]);
      expect((await Promise.all(folders)).sort()).toEqual([...Array(7).fill("conflict"), "none"]);
      const tag = await createTag(world.deps, actor, { name: "Other" });
      const folder = await createFolder(world.deps, actor, { ...fields, name: "Other" });
      expect(await refusal(updateTag(world.deps, actor, tag.id, { name: "STRAßE" }))).toBe("conflict");
      expect(await refusal(updateFolder(world.deps, actor, folder.id, { name: "SAME" }))).toBe("conflict");
      expect(await refusal(createTag(world.deps, other.actor, { name: "Straße" }))).toBe("none");
      expect(await refusal(createFolder(world.deps, other.actor, { ...fields, name: "same" }))).toBe("none");
    });

    test("another workspace's tags and folders are not found", async () => {
      const [owner, stranger] = [await world.newWorkspace(), await world.newWorkspace()];
      const tag = await createTag(world.deps, owner.actor, { name: "Mine" });
      const fields = { name: "Mine", description: null, accessLevel: "write" } as const;
      const folder = await createFolder(world.deps, owner.actor, fields);

      for (const [tagId, folderId] of [
        [tag.id, folder.id],
        ["tag_nothing", "fold_nothing"],
      ] as const) {
        expect(await refusal(updateTag(world.deps, stranger.actor, tagId, { name: "x" }))).toBe("not_found");
        expect(await refusal(deleteTag(world.deps, stranger.actor, tagId))).toBe("not_found");
        expect(await refusal(findFolder(world.deps, stranger.actor, folderId))).toBe("not_found");
        expect(await refusal(updateFolder(world.deps, stranger.actor, folderId, { name: "x" }))).toBe("not_found");
        expect(await refusal(deleteFolder(world.deps, stranger.actor, folderId))).toBe("not_found");
      }
      expect(await listTags(world.deps, stranger.actor, { ids: [tag.id] }, byName)).toEqual([]);
      expect(await listFolders(world.deps, stranger.actor, {}, page)).toEqual([]);
      expect(await findFolder(world.deps, owner.actor, folder.id)).toEqual(folder);
    });

    test("only owners of the workspace can change a folder that is not open for writing", async () => {
      const { actor } = await world.newWorkspace();
      const member: Actor = { ...actor, role: "member" };
      const closed = await createFolder(world.deps, actor, { name: "C", description: null, accessLevel: "read" });
      const open = await createFolder(world.deps, actor, { name: "O", description: null, accessLevel: "write" });

      expect(await refusal(updateFolder(world.deps, member, closed.id, { name: "x" }))).toBe("forbidden");
      expect(await refusal(deleteFolder(world.deps, member, closed.id))).toBe("forbidden");
      expect(await refusal(findFolder(world.deps, member, closed.id))).toBe("none");
      expect(await refusal(updateFolder(world.deps, member, open.id, { name: "x" }))).toBe("none");
      expect(await refusal(updateFolder(world.deps, actor, closed.id, { accessLevel: "write" }))).toBe("none");
    });
  });
}
