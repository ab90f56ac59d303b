import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { hourMs } from "../base/time.ts";
import { checkFramings, type FramingDeps } from "./check-framing.ts";
import { createLink } from "./create-link.ts";
import { createLinks } from "./create-links.ts";
import { deleteLink } from "./delete-link.ts";
import { updateLink } from "./update-link.ts";

/** Real destinations; the path says how each answers. */
function openDestinations() {
  const requests: { path: string; agent: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      requests.push({ path: pathname, agent: request.headers.get("user-agent") ?? "" });
      if (pathname.startsWith("/option")) return new Response("", { headers: { "X-Frame-Options": "DENY" } });
      if (pathname.startsWith("/policy")) {
        return new Response("", { headers: { "Content-Security-Policy": "frame-ancestors 'self'" } });
      }
      if (pathname.startsWith("/moved")) return Response.redirect("/option");
      return new Response("", { status: pathname.startsWith("/broken") ? 500 : 200 });
    },
  });
  return {
    url: (path: string) => `http://pages.test:${server.port}${path}`,
    requests,
    stop: () => server.stop(true),
  };
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
        turn: { workspaceId: 0 },
        safeFetch: { resolve: async () => ["127.0.0.1"], mayConnect: (address) => address === "127.0.0.1" },
      };
    });
    afterAll(async () => {
      await world.close();
      await destinations.stop();
    });

    const askAll = async () => {
      while ((await checkFramings(deps)) > 0);
    };
    const framingOf = async (id: string) =>
      (await deps.db.selectFrom("links").select("framing").where("id", "=", id).executeTakeFirst())?.framing;
    const requestsTo = (path: string) => destinations.requests.filter((one) => one.path === path).length;
    /** On the instance's domain, which uses http here, because an https page cannot frame an http URL. */
    const make = async (path: string, fields: { rewrite?: boolean } = { rewrite: true }) => {
      const { actor } = await world.newWorkspace();
      const input = { url: destinations.url(path), domain: world.instance.slug, ...fields };
      return { actor, link: await createLink(world.deps, actor, input) };
    };

    test.each([
      ["/allowed", "allowed"],
      ["/option", "refused"],
      ["/policy", "refused"],
      ["/moved", "refused"],
    ])("a framed link's destination is checked once, and the verdict stored: %s", async (path, framing) => {
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

    test("the destination of an unframed link is not checked", async () => {
      const { link } = await make("/unframed", { rewrite: false });

      await askAll();

      expect(await framingOf(link.id)).toBeNull();
      expect(requestsTo("/unframed")).toBe(0);
    });

    test("a new URL is checked again, and so is a link that is framed later", async () => {
      const { actor, link } = await make("/first", { rewrite: false });
      await updateLink(world.deps, actor, link.id, { rewrite: true });
      await askAll();
      const first = await framingOf(link.id);

      await updateLink(world.deps, actor, link.id, { url: destinations.url("/option/second") });
      const between = await framingOf(link.id);
      await askAll();

      expect([first, between, await framingOf(link.id)]).toEqual(["allowed", null, "refused"]);
    });

    test("links in responses do not contain the verdict", async () => {
      const { link } = await make("/hidden");
      await askAll();

      expect(Object.keys(link)).not.toContain("framing");
      expect((await world.eventsOf(link.id))[0]?.after).not.toHaveProperty("framing");
    });

    test("a change of another field checks nothing", async () => {
      const { actor, link } = await make("/steady");
      await askAll();

      await updateLink(world.deps, actor, link.id, { title: "Another" });
      await askAll();

      expect(requestsTo("/steady")).toBe(1);
      expect(await framingOf(link.id)).toBe("allowed");
    });

    test("links of a batch are checked too", async () => {
      const { actor } = await world.newWorkspace();
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

    test("a workspace with many due links does not keep the links of another one waiting", async () => {
      await askAll();
      const { actor } = await world.newWorkspace();
      const inputs = Array.from({ length: 20 }, (_, index) => ({
        url: destinations.url(`/many/${index}`),
        domain: world.instance.slug,
        rewrite: true,
      }));
      await createLinks(world.deps, actor, inputs);
      const { link } = await make("/option/other");

      const checked = [await checkFramings(deps), await checkFramings(deps)];

      expect(await framingOf(link.id)).toBe("refused");
      expect(checked).toEqual([4, 5]);
    });

    test("a failing destination is checked again later, and finally left alone", async () => {
      const { link } = await make("/broken");

      const counts: number[] = [];
      for (const pauseMs of [0, hourMs, 24 * hourMs, 48 * hourMs, 96 * hourMs]) {
        world.advance(pauseMs);
        await askAll();
        counts.push(requestsTo("/broken"));
      }

      expect(counts).toEqual([1, 2, 3, 4, 4]);
      expect(await framingOf(link.id)).toBeNull();
    });

    test("the check does not connect to a private destination", async () => {
      const { actor } = await world.newWorkspace();
      const input = { url: "http://10.0.0.1/", domain: world.instance.slug, rewrite: true };

      const link = await createLink(world.deps, actor, input);
      await askAll();

      expect(await framingOf(link.id)).toBeNull();
    });

    test("an http destination counts as refused for an encrypted short link", async () => {
      const { actor, domain } = await world.newWorkspace();
      const input = { url: destinations.url("/plain"), domain: domain.slug, rewrite: true };

      const link = await createLink(world.deps, actor, input);
      await askAll();

      expect(await framingOf(link.id)).toBe("refused");
    });

    test("a link deleted before its check delays no other", async () => {
      const { actor, link } = await make("/gone");

      await deleteLink(world.deps, actor, link.id);

      expect(await checkFramings(deps)).toBe(0);
    });

    test("the request identifies itself as a bot, so that no destination counts it as a visitor", async () => {
      await make("/agent");
      await askAll();

      expect(destinations.requests.find(({ path }) => path === "/agent")?.agent).toContain("Waypost-bot");
    });
  });
}
