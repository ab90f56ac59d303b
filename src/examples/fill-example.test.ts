import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { ReadWriteLock } from "../base/read-write-lock.ts";
import type { SyntheticPlan } from "../clicks/insert-synthetic.ts";
import { createFolder } from "../links/folders.ts";
import { listLinkChanges } from "../links/link-history.ts";
import { listLinks } from "../links/list-links.ts";
import { createTag } from "../links/tags.ts";
import { createExample, exampleDomain, getExample } from "./create-example.ts";
import { fillNextExample } from "./fill-example.ts";

for (const engine of engines) {
  describe(`examples that their owner changes before they are filled, on ${engine}`, () => {
    const world = openLinks(engine);

    /** An example, and what fills it. The click store is not needed. */
    async function newExample() {
      const owner = (await world.newWorkspace()).actor;
      const { id } = await createExample(world.deps, owner);
      const knownSpoolIds: string[] = [];
      const pipeline = {
        async insertSynthetic({ links, spoolId }: SyntheticPlan) {
          const known = await world.deps.db
            .selectFrom("counterCursors")
            .select("spoolId")
            .where("spoolId", "=", spoolId)
            .execute();
          knownSpoolIds.push(...known.map((row) => row.spoolId));
          const none = links.map(() => 0);
          return { clicks: none, lastClicked: none };
        },
      };
      const fill = () => fillNextExample({ ...world.deps, pipeline, readersLock: new ReadWriteLock() });
      const countLinks = async () => {
        const rows = await world.deps.db.selectFrom("links").select("key").where("workspaceId", "=", id).execute();
        return rows.filter(({ key }) => key !== "_root").length;
      };
      return { owner, actor: { ...owner, workspaceId: id }, id, fill, countLinks, knownSpoolIds };
    }

    test("an example with a tag and a folder of the same names in capitals is filled", async () => {
      const { owner, actor, fill, countLinks } = await newExample();
      await createTag(world.deps, actor, { name: "CAMPAIGN" });
      await createFolder(world.deps, actor, { name: "SHOP", description: null, accessLevel: null });

      const filled = await fill();

      expect([filled, await getExample(world.deps, owner)]).toMatchObject(["again", { isReady: true }]);
      expect(await countLinks()).toBe(24);
    });

    test("the database knows the spool of an example before the store does, and when the example is gone", async () => {
      const { db } = world.deps;
      const { id, fill, knownSpoolIds } = await newExample();

      await fill();
      await db.deleteFrom("examples").where("workspaceId", "=", id).execute();

      const cursors = await db.selectFrom("counterCursors").select("spoolId").execute();
      expect(knownSpoolIds).toHaveLength(1);
      expect(cursors.map(({ spoolId }) => spoolId)).toEqual(expect.arrayContaining(knownSpoolIds));
    });

    test("its links are listed newest first by their creation times, which their histories name too", async () => {
      const { actor, fill } = await newExample();
      await fill();

      const first = await listLinks(world.deps, actor, { root: false }, { pageSize: 12 });
      const second = await listLinks(
        world.deps,
        actor,
        { root: false },
        { pageSize: 13, startingAfter: first.at(-1)?.id },
      );

      const links = [...first, ...second];
      const times = links.map(({ createdAt }) => createdAt);
      const changes = await Promise.all(
        links.map(({ id }) => listLinkChanges(world.deps, actor, id, { page: 1, pageSize: 2 })),
      );
      expect(changes.flat().map(({ at }) => at)).toEqual(times);
      expect(times).toEqual(times.toSorted((one, other) => other - one));
      expect(new Set(times).size).toBe(24);
    });

    test("an example whose domain was deleted gets no links, and other examples follow", async () => {
      const { owner, id, fill, countLinks } = await newExample();
      const { db } = world.deps;
      await db.updateTable("domains").set({ slug: "other.example" }).where("slug", "=", exampleDomain(id)).execute();

      const filled = await fill();

      expect([filled, await getExample(world.deps, owner)]).toMatchObject(["again", { isReady: true }]);
      expect([await countLinks(), await fill()]).toEqual([0, "idle"]);
    });
  });
}
