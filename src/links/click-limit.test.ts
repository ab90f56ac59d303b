import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { connect, type Database } from "../database/database.ts";
import { type ClickLimits, openClickLimits } from "./click-limit.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import type { NewLink } from "./link.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    let world: LinkWorld;
    /** Another connection, as another process has one. */
    let others: Database;
    let limits: ClickLimits;
    let othersLimits: ClickLimits;

    beforeAll(async () => {
      world = await openLinkWorld(engine);
      others = connect(world.location, "full");
      limits = openClickLimits(world.database.db);
      othersLimits = openClickLimits(others.db);
    });
    afterAll(async () => {
      await others.close();
      await world.close();
    });

    const newLink = async (input: Partial<NewLink>) => {
      const { actor, domain } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "a.example", domain: domain.slug, ...input });
      return { id, update: (changes: Partial<NewLink>) => updateLink(world.deps, actor, id, changes), actor };
    };
    const takeMany = async (id: string, maxClicks: number, times: number) => {
      const taken = await Promise.all(
        Array.from({ length: times }, (_, time) => (time % 2 === 0 ? limits : othersLimits).take(id, maxClicks)),
      );
      return taken.filter(Boolean).length;
    };

    test("exactly the available clicks are taken, by simultaneous visitors over two connections", async () => {
      const { id } = await newLink({ maxClicks: 20 });

      expect(await takeMany(id, 20, 60)).toBe(20);
      expect(await limits.isUsedUp(id, 20)).toBe(true);
    });

    test("reading takes no click", async () => {
      const { id } = await newLink({ maxClicks: 1 });

      expect([await limits.isUsedUp(id, 1), await limits.isUsedUp(id, 1)]).toEqual([false, false]);
      expect([await limits.take(id, 1), await limits.take(id, 1)]).toEqual([true, false]);
    });

    test("while the database is away, visitors are refused or, by option, redirected and counted when it is back", async () => {
      const { id } = await newLink({ maxClicks: 5 });
      let failure: Error | undefined;
      const db = world.database.db.withPlugin({
        transformQuery({ node }) {
          if (failure !== undefined) throw failure;
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const redirecting = openClickLimits(db, "redirect");
      const taken = [await redirecting.take(id, 5)];
      failure = Object.assign(new Error("The connection was refused."), { code: "ECONNREFUSED" });
      await expect(openClickLimits(db).take(id, 5)).rejects.toThrow("refused");
      taken.push(await redirecting.take(id, 5), await redirecting.take(id, 5));
      const usedUp = await redirecting.isUsedUp(id, 5);
      failure = new Error("Another failure keeps the clicks in mind.");
      await expect(redirecting.take(id, 5)).rejects.toThrow("Another failure");
      failure = undefined;
      taken.push(await redirecting.take(id, 5), await redirecting.take(id, 5), await redirecting.take(id, 5));

      expect(taken).toEqual([true, true, true, true, true, false]);
      expect(usedUp).toBe(false);
      expect(await redirecting.isUsedUp(id, 5)).toBe(true);
    });

    test("a raised limit adds clicks", async () => {
      const { id } = await newLink({ maxClicks: 2 });
      await takeMany(id, 2, 4);

      expect(await takeMany(id, 5, 10)).toBe(3);
      expect(await takeMany(id, 4, 10)).toBe(0);
    });

    test("clicks count from before the limit, and from between two limits", async () => {
      const { id, update } = await newLink({});
      const clicked = (clicks: number) =>
        world.database.db.updateTable("links").set({ clicks }).where("id", "=", id).execute();
      await clicked(7);
      await update({ maxClicks: 10 });
      const first = await takeMany(id, 10, 10);
      await update({ maxClicks: null });
      await clicked(15);
      await update({ maxClicks: 16 });

      expect([first, await takeMany(id, 16, 10)]).toEqual([3, 1]);
      expect(await limits.isUsedUp(id, 15)).toBe(true);
    });

    test("a link with more clicks than its new limit is used up at once", async () => {
      const { id, update } = await newLink({});
      await world.database.db.updateTable("links").set({ clicks: 7 }).where("id", "=", id).execute();
      await update({ maxClicks: 7 });

      expect([await limits.isUsedUp(id, 7), await limits.take(id, 7)]).toEqual([true, false]);
    });

    test("the count is deleted with its link", async () => {
      const { id, actor } = await newLink({ maxClicks: 2 });
      await limits.take(id, 2);

      await deleteLink(world.deps, actor, id);

      const rows = await world.database.db.selectFrom("linkUses").where("linkId", "=", id).selectAll().execute();
      expect(rows).toEqual([]);
      expect(await limits.take(id, 2)).toBe(false);
    });
  });
}
