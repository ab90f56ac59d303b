import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databaseStartMsMax, engines } from "../../tests/support/databases.ts";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { hourMs } from "../base/time.ts";
import { checkFramings, type FramingDeps } from "./check-framing.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { updateLink } from "./update-link.ts";

/** Real destinations, of which the path says how they answer. */
function openDestinations() {
  const asked: { path: string; agent: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push({ path: pathname, agent: request.headers.get("user-agent") ?? "" });
      if (pathname.startsWith("/option")) return new Response("", { headers: { "X-Frame-Options": "DENY" } });
      if (pathname.startsWith("/policy")) {
        return new Response("", { headers: { "Content-Security-Policy": "frame-ancestors 'self'" } });
      }
      if (pathname.startsWith("/moved")) return Response.redirect("/option");
      return new Response("", { status: pathname.startsWith("/broken") ? 500 : 200 });
    },
  });
  return { url: (path: string) => `http://pages.test:${server.port}${path}`, asked, stop: () => server.stop(true) };
}

for (const engine of engines) {
  describe(engine, () => {
    let world: LinkWorld;
    let deps: FramingDeps;
    const destinations = openDestinations();

    beforeAll(async () => {
      world = await openLinkWorld(engine);
      deps = {
        db: world.deps.db,
        now: world.deps.now,
        appUrl: new URL(`http://${world.instance.slug}`),
        safeFetch: { resolve: async () => ["127.0.0.1"], mayConnect: (address) => address === "127.0.0.1" },
      };
    }, databaseStartMsMax);
    afterAll(async () => {
      await world.close();
      await destinations.stop();
    });

    const askAll = async () => {
      while ((await checkFramings(deps)) > 0);
    };
    const framingOf = async (id: string) =>
      (await deps.db.selectFrom("links").select("framing").where("id", "=", id).executeTakeFirst())?.framing;
    const askedFor = (path: string) => destinations.asked.filter((one) => one.path === path).length;
    /** On the instance's domain, which is reached by http here: an encrypted page could frame no http url. */
    const make = async (path: string, fields: { rewrite?: boolean } = { rewrite: true }) => {
      const { actor } = await world.newPlace();
      const input = { url: destinations.url(path), domain: world.instance.slug, ...fields };
      return { actor, link: await createLink(world.deps, actor, input) };
    };

    test.each([
      ["/allowed", "allowed"],
      ["/option", "refused"],
      ["/policy", "refused"],
      ["/moved", "refused"],
    ])("a framed link's destination is asked once, and its answer kept: %s", async (path, framing) => {
      const { link } = await make(`${path}/${engine}`.replace(/^\/moved.*/, "/moved"));

      await askAll();
      await askAll();

      expect(await framingOf(link.id)).toBe(framing as "allowed" | "refused");
      expect(await world.eventsOf(link.id)).toContainEqual({
        type: "link.framingChecked",
        userId: null,
        workspaceId: link.workspaceId,
        domainId: link.domainId,
        foldedKey: link.foldedKey,
        framing,
      });
    });

    test("a destination of a link that is not framed is not asked", async () => {
      const { link } = await make("/unframed", { rewrite: false });

      await askAll();

      expect(await framingOf(link.id)).toBeNull();
      expect(askedFor("/unframed")).toBe(0);
    });

    test("another url is asked anew, and so is a link that is framed later", async () => {
      const { actor, link } = await make("/first", { rewrite: false });
      await updateLink(world.deps, actor, link.id, { rewrite: true });
      await askAll();
      const first = await framingOf(link.id);

      await updateLink(world.deps, actor, link.id, { url: destinations.url("/option/second") });
      const between = await framingOf(link.id);
      await askAll();

      expect([first, between, await framingOf(link.id)]).toEqual(["allowed", null, "refused"]);
    });

    test("what is found out about a destination is no part of the link that callers see", async () => {
      const { link } = await make("/hidden");
      await askAll();

      expect(Object.keys(link)).not.toContain("framing");
      expect((await world.eventsOf(link.id))[0]?.after).not.toHaveProperty("framing");
    });

    test("a change of something else asks nobody", async () => {
      const { actor, link } = await make("/steady");
      await askAll();

      await updateLink(world.deps, actor, link.id, { title: "Another" });
      await askAll();

      expect(askedFor("/steady")).toBe(1);
      expect(await framingOf(link.id)).toBe("allowed");
    });

    test("links made together are asked about too", async () => {
      const { actor } = await world.newPlace();
      const inputs = ["/option/a", "/b"].map((path) => ({
        url: destinations.url(path),
        domain: world.instance.slug,
        rewrite: true,
      }));

      const { links } = await createLinks(world.deps, actor, inputs);
      await askAll();

      expect(await Promise.all(links.map(async (link) => link && (await framingOf(link.id))))).toEqual([
        "refused",
        "allowed",
      ]);
    });

    test("a destination that fails is asked again later, and at last left alone", async () => {
      const { link } = await make("/broken");

      const counts: number[] = [];
      for (const pauseMs of [0, hourMs, 24 * hourMs, 48 * hourMs, 96 * hourMs]) {
        world.advance(pauseMs);
        await askAll();
        counts.push(askedFor("/broken"));
      }

      expect(counts).toEqual([1, 2, 3, 4, 4]);
      expect(await framingOf(link.id)).toBeNull();
    });

    test("a private destination is not connected to", async () => {
      const { actor } = await world.newPlace();
      const input = { url: "http://10.0.0.1/", domain: world.instance.slug, rewrite: true };

      const link = await createLink(world.deps, actor, input);
      await askAll();

      expect(await framingOf(link.id)).toBeNull();
    });

    test("an http destination counts as refused where the short link is encrypted", async () => {
      const { actor, domain } = await world.newPlace();
      const input = { url: destinations.url("/plain"), domain: domain.slug, rewrite: true };

      const link = await createLink(world.deps, actor, input);
      await askAll();

      expect(await framingOf(link.id)).toBe("refused");
    });

    test("a link that is deleted before it is asked about is in nobody's way", async () => {
      const { actor, link } = await make("/gone");

      await deleteLink(world.deps, actor, link.id);

      expect(await checkFramings(deps)).toBe(0);
    });

    test("the question is a bot's, so that no destination counts it as a visitor", async () => {
      await make("/agent");
      await askAll();

      expect(destinations.asked.find(({ path }) => path === "/agent")?.agent).toContain("Waypost-bot");
    });
  });
}
