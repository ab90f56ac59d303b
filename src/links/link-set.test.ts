import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { copyLink } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { type LinkSet, linkIdsOf } from "./link-set.ts";
import { createTag } from "./tags.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    test("each link of several tags is returned once, even over several batches", async () => {
      const { actor } = await world.newWorkspace();
      const stranger = (await world.newWorkspace()).actor;
      const [red, blue] = [
        await createTag(world.deps, actor, { name: "R" }),
        await createTag(world.deps, actor, { name: "B" }),
      ];
      const both = await createLink(world.deps, actor, { url: "a.example", tagIds: [red.id, blue.id] });
      const copies = await copyLink(world.deps.db, both.id, 10_001, red.id);
      const one = await createLink(world.deps, actor, { url: "a.example", tagIds: [blue.id] });
      const idsOf = async (values: string[], { workspaceId } = actor) => {
        const set: LinkSet = { by: "tagId", values };
        return (await linkIdsOf(world.deps.db, workspaceId, set))?.sort();
      };

      expect(await idsOf([red.id])).toEqual([...copies, both.id]);
      expect(await idsOf([red.id, blue.id])).toEqual([...copies, both.id, one.id]);
      expect(await idsOf([blue.id])).toEqual([both.id, one.id]);
      expect(await idsOf([red.id], stranger)).toEqual([]);
    });

    test("a set beyond the limit has no ids", async () => {
      const { actor } = await world.newWorkspace();
      const first = await createLink(world.deps, actor, { url: "a.example", tenantId: "t" });
      const second = await createLink(world.deps, actor, { url: "a.example", tenantId: "t" });
      const set: LinkSet = { by: "tenantId", values: ["t"] };
      const idsWithin = (linksMax: number) => linkIdsOf(world.deps.db, actor.workspaceId, set, linksMax);

      expect(await idsWithin(2)).toEqual([first.id, second.id]);
      expect(await idsWithin(1)).toBeUndefined();
    });
  });
}
