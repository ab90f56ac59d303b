import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ClickedWorld, openClickedWorld } from "../../tests/support/clicked-links.ts";
import { engines } from "../../tests/support/databases.ts";
import { listEvents } from "./list-events.ts";

for (const engine of engines) {
  describe(engine, () => {
    let clicked: ClickedWorld;

    beforeAll(async () => {
      clicked = await openClickedWorld(engine);
    });
    afterAll(() => clicked.close());

    const deps = () => ({ db: clicked.world.db, now: clicked.world.now, pipeline: clicked.store });
    const list = (question: Partial<Parameters<typeof listEvents>[2]> = {}, actor = clicked.owner) =>
      listEvents(deps(), actor, {
        ...{ event: "clicks", interval: "30d", page: 1, limit: 100, order: "newestFirst", ...question },
      });
    const ordered = () =>
      [...clicked.clicks].sort((one, other) => other.time - one.time || (one.id < other.id ? 1 : -1));

    test("pages hold every click once, newest or oldest first", async () => {
      for (const [order, expected] of [
        ["newestFirst", ordered()],
        ["oldestFirst", ordered().reverse()],
      ] as const) {
        const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ order, page, limit: 400 })));

        expect(pages.map((page) => page.length)).toEqual([400, 400, 400, 300]);
        expect(pages.flat().map(({ click }) => click)).toEqual(expected);
      }
    });

    test("a page has the clicks that match its filters, with their current link and domain", async () => {
      const { links, domain } = clicked;
      const [link] = links;
      const events = await list({ linkId: link?.id ?? "", country: "DE", limit: 10 });

      const expected = ordered().filter(({ linkId, country }) => linkId === link?.id && country === "DE");
      expect(events.map(({ click }) => click)).toEqual(expected.slice(0, 10));
      for (const { click, link: shown, domain: slug } of events) {
        expect([shown?.id, slug]).toEqual([
          link?.id,
          click.domainId === domain.id ? "go.example.com" : "old.example.com",
        ]);
      }
    });

    test("a click of a deleted link has no link, and leads, sales and foreign clicks are not listed", async () => {
      const { deleted, stranger } = clicked;

      const events = await list({ limit: 1_000 });

      const deletedEvents = events.filter(({ click }) => click.linkId === deleted.id);
      expect(deletedEvents.length).toBeGreaterThan(0);
      expect(deletedEvents.filter(({ link }) => link !== undefined)).toEqual([]);
      expect(await list({ event: "leads" })).toEqual([]);
      expect(await list({ event: "sales" })).toEqual([]);
      expect(await list({}, stranger)).toHaveLength(50);
      expect((await list({}, stranger)).filter(({ link }) => link !== undefined)).toEqual([]);
    });
  });
}
