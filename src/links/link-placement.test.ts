import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import type { Actor } from "../access/actor.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { findLink } from "./find-links.ts";
import { createFolder, deleteFolder } from "./folders.ts";
import { listLinks } from "./list-links.ts";
import { createTag, deleteTag } from "./tags.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    async function newShelf(actor: Actor) {
      const tags = [];
      for (const name of ["a", "b", "c"]) tags.push(await createTag(world.deps, actor, { name, color: "red" }));
      const [a, b, c] = tags;
      if (a === undefined || b === undefined || c === undefined) throw new Error("Three tags were made.");
      const fields = { description: null, accessLevel: "write" } as const;
      const folder = await createFolder(world.deps, actor, { ...fields, name: "F" });
      return { a, b, c, folder };
    }

    test("every response shows the tags in the order they were assigned", async () => {
      const { actor } = await world.newWorkspace();
      const { a, b, c, folder } = await newShelf(actor);

      const link = await createLink(world.deps, actor, {
        url: "a.example",
        tagIds: [c.id, a.id, c.id],
        tagNames: ["B", "A"],
        folderId: folder.id,
      });

      expect(link).toMatchObject({ tags: [c, a, b], folderId: folder.id });
      expect(await findLink(world.deps, actor, link.id)).toEqual(link);
      expect((await listLinks(world.deps, actor, { search: "a.example" }, { pageSize: 9 }))[0]).toEqual(link);
      expect((await world.eventsOf(link.id))[0]?.after).toMatchObject({ tags: [c, a, b], folderId: folder.id });
    });

    test("an update replaces all tags, in the new order, and keeps them when it names none", async () => {
      const { actor } = await world.newWorkspace();
      const { a, b, c, folder } = await newShelf(actor);
      const { id } = await createLink(world.deps, actor, { url: "a.example", tagIds: [a.id, b.id] });
      const tagsAfter = async (input: Parameters<typeof updateLink>[3]) =>
        (await updateLink(world.deps, actor, id, input)).tags.map(({ name }) => name).join("");

      expect(await tagsAfter({ tagIds: [b.id, a.id] })).toBe("ba");
      expect(await tagsAfter({ title: "T" })).toBe("ba");
      expect(await tagsAfter({ tagId: b.id })).toBe("ba");
      expect(await tagsAfter({ tagId: c.id })).toBe("c");
      expect(await tagsAfter({ tagNames: ["A", "B"] })).toBe("ab");
      expect(await tagsAfter({ tagIds: [a.id, b.id] })).toBe("ab");
      expect(await tagsAfter({ tagIds: [] })).toBe("");
      expect(await tagsAfter({ tagNames: ["c"] })).toBe("c");
      expect(await tagsAfter({ tagId: "" })).toBe("");
      expect((await updateLink(world.deps, actor, id, { folderId: folder.id })).folderId).toBe(folder.id);
      expect((await updateLink(world.deps, actor, id, { folderId: "" })).folderId).toBeNull();

      // Two of the nine updates changed nothing about tags or anything else.
      expect(await world.eventsOf(id)).toHaveLength(1 + 7 + 2);
      const changed = (await world.eventsOf(id))[1];
      expect([changed?.before, changed?.after]).toEqual([{ tags: [a, b] }, { tags: [b, a] }]);
    });

    test("unknown and foreign tags and folders are refused without a change", async () => {
      const [{ actor }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const { a, folder } = await newShelf(other.actor);
      const link = await createLink(world.deps, actor, { url: "a.example" });

      const cases: [Parameters<typeof updateLink>[3], string][] = [
        [{ tagIds: [a.id] }, "unprocessable_entity"],
        [{ tagNames: ["a"] }, "unprocessable_entity"],
        [{ tagId: a.id }, "unprocessable_entity"],
        [{ folderId: folder.id }, "not_found"],
        [{ folderId: "fold_nothing" }, "not_found"],
      ];
      for (const [fields, code] of cases) {
        expect(await refusal(createLink(world.deps, actor, { ...fields, url: "a.example" }))).toBe(code);
        expect(await refusal(updateLink(world.deps, actor, link.id, fields))).toBe(code);
      }
      expect(await findLink(world.deps, actor, link.id)).toEqual(link);
    });

    test("the deletion of a tag or folder removes it from its links", async () => {
      const { actor } = await world.newWorkspace();
      const { a, b, folder } = await newShelf(actor);
      const fields = { tagIds: [a.id, b.id], folderId: folder.id };
      const link = await createLink(world.deps, actor, { url: "a.example", ...fields });
      const gone = await createLink(world.deps, actor, { url: "a.example", ...fields });

      await deleteLink(world.deps, actor, gone.id);
      await deleteTag(world.deps, actor, a.id);
      await deleteFolder(world.deps, actor, folder.id);

      expect(await findLink(world.deps, actor, link.id)).toEqual({ ...link, tags: [b], folderId: null });
    });

    test("a tag that is deleted while links take it is on no link afterwards", async () => {
      const { actor } = await world.newWorkspace();
      const { a } = await newShelf(actor);

      const outcomes = await Promise.all([
        ...Array.from({ length: 10 }, () =>
          refusal(createLink(world.deps, actor, { url: "a.example", tagIds: [a.id] })),
        ),
        refusal(deleteTag(world.deps, actor, a.id)),
      ]);

      expect(outcomes.filter((outcome) => outcome !== "none" && outcome !== "unprocessable_entity")).toEqual([]);
      const links = await listLinks(world.deps, actor, {}, { pageSize: 100 });
      expect(links.flatMap(({ tags }) => tags)).toEqual([]);
    });
  });
}
