import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { createLink } from "./create-link.ts";
import { findNamedLink } from "./find-links.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    test("a link to its own URL is refused, however it is written, on creation and update", async () => {
      const { actor, domain } = await world.newWorkspace();
      const createLoop = (key: string, path: string) =>
        refusal(createLink(world.deps, actor, { url: `http://${domain.slug}${path}`, key }));

      expect(await createLoop("sale", "/sale")).toBe("unprocessable_entity");
      expect(await createLoop("sale", "/SALE?a=1#top")).toBe("unprocessable_entity");
      expect(await createLoop("größe/😀", "/gr%C3%B6%C3%9Fe/%F0%9F%98%80")).toBe("unprocessable_entity");
      const next = await createLink(world.deps, actor, { url: `https://${domain.slug}/sale/now`, key: "sale" });
      const away = await createLink(world.deps, actor, { url: "https://a.example/away", key: "away" });
      const changes = [
        updateLink(world.deps, actor, next.id, { key: "sale/now" }),
        updateLink(world.deps, actor, away.id, { url: `https://${domain.slug}/away` }),
      ];
      expect(await Promise.all(changes.map(refusal))).toEqual(["unprocessable_entity", "unprocessable_entity"]);
      const root = await findNamedLink(world.deps, actor, { domain: domain.slug });
      const toItself = updateLink(world.deps, actor, root.id, { url: `https://${domain.slug}` });
      expect(await refusal(toItself)).toBe("unprocessable_entity");
    });

    test("on the instance's domain, a link's own URL has the service's port, and not another port", async () => {
      const { actor } = await world.newWorkspace();
      const { slug } = world.instance;
      const createTo = (host: string) =>
        createLink(world.deps, actor, { url: `https://${host}/own`, key: "own", domain: slug });

      expect(await refusal(createTo(`${slug}:8443`))).toBe("unprocessable_entity");
      expect(await createTo(slug)).toMatchObject({ url: `https://${slug}/own` });
    });

    test("a link stored before this rule can still change in all other fields", async () => {
      const { actor, domain } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "https://a.example/", key: "round" });
      const invalid = { url: `https://${domain.slug}/round`, startsAt: 2_000, expiresAt: 1_000 };
      await world.deps.db.updateTable("links").set(invalid).where("id", "=", id).execute();

      expect(await updateLink(world.deps, actor, id, { archived: true })).toMatchObject({ archived: true });
      expect(await refusal(updateLink(world.deps, actor, id, { startsAt: 1_500 }))).toBe("unprocessable_entity");
      expect(await updateLink(world.deps, actor, id, { startsAt: null })).toMatchObject({ startsAt: null });
    });
  });
}
