import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { dayMs } from "../base/time.ts";
import { createLink } from "./create-link.ts";
import { DestinationIcons } from "./destination-icons.ts";
import { iconUrls } from "./fetch-icon.ts";

const png = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d494844520000002000000020080600000000", "hex"));

for (const engine of engines) {
  describe(`icons of destinations on ${engine}`, () => {
    const world = openLinks(engine);
    let server: ReturnType<typeof Bun.serve>;
    const seen: string[] = [];
    /** The answers of the site by path; any other path is 404. */
    let pages: Record<string, () => Response> = {};
    const image = () => new Response(png, { headers: { "Content-Type": "text/html" } });

    beforeAll(() => {
      server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch(request) {
          const { hostname, pathname } = new URL(request.url);
          if (hostname.startsWith("silent")) return new Promise(() => {});
          seen.push(pathname);
          return pages[pathname]?.() ?? new Response("<title>Not found</title>", { status: 404 });
        },
      });
    });
    afterAll(() => server.stop(true));
    beforeEach(() => {
      seen.length = 0;
      pages = {};
    });

    function openIcons() {
      const { db, now } = world.deps;
      const safeFetch = {
        resolve: async (name: string) => (name.endsWith("inside.test") ? ["10.0.0.1"] : ["127.0.0.1"]),
        mayConnect: (address: string) => address === "127.0.0.1",
      };
      return new DestinationIcons({ db, now, safeFetch, log: { warn: () => {} } });
    }

    async function newLink(host: string) {
      const { actor } = await world.newWorkspace();
      const link = await createLink(world.deps, actor, { url: `http://${host}:${server.port}/page` });
      return { userId: actor.userId ?? "", linkId: link.id, actor };
    }

    test("an icon is pending while it is fetched, and then comes from the database", async () => {
      pages = { "/favicon.ico": image };
      const icons = openIcons();
      const { userId, linkId } = await newLink("one.test");

      expect(await icons.find(userId, linkId)).toEqual({ kind: "pending" });
      expect(await icons.find(userId, linkId)).toEqual({ kind: "pending" });
      await icons.settled();
      expect(await icons.find(userId, linkId)).toEqual({ kind: "found", image: { type: "image/png", bytes: png } });
      expect(seen).toEqual(["/favicon.ico"]);
    });

    test("an icon that the home page links to is found", async () => {
      pages = {
        "/": () => new Response(`<link rel="icon" type="image/svg+xml" href="/a.svg"><link rel=icon href="img/b.png">`),
        "/img/b.png": image,
      };
      const icons = openIcons();
      const { userId, linkId } = await newLink("two.test");

      await icons.find(userId, linkId);
      await icons.settled();

      expect(await icons.find(userId, linkId)).toMatchObject({ kind: "found" });
      expect(seen).toEqual(["/favicon.ico", "/", "/img/b.png"]);
    });

    test("a site without an icon is asked once a day", async () => {
      const icons = openIcons();
      const { userId, linkId } = await newLink("three.test");
      await icons.find(userId, linkId);
      await icons.settled();

      expect(await icons.find(userId, linkId)).toEqual({ kind: "absent" });
      expect(seen).toEqual(["/favicon.ico", "/"]);
      world.advance(dayMs);
      expect(await icons.find(userId, linkId)).toEqual({ kind: "absent" });
      await icons.settled();
      expect(seen).toHaveLength(4);
    });

    test("an old icon is shown while it is fetched again", async () => {
      pages = { "/favicon.ico": image };
      const icons = openIcons();
      const { userId, linkId } = await newLink("four.test");
      await icons.find(userId, linkId);
      await icons.settled();
      world.advance(15 * dayMs);

      expect(await icons.find(userId, linkId)).toMatchObject({ kind: "found" });
      await icons.settled();

      expect(seen).toHaveLength(2);
    });

    test("another workspace's link is unknown, and workspaces share no icons", async () => {
      pages = { "/favicon.ico": image };
      const icons = openIcons();
      const mine = await newLink("five.test");
      const other = await newLink("five.test");
      await icons.find(mine.userId, mine.linkId);
      await icons.settled();

      expect(await icons.find(other.userId, mine.linkId)).toBeUndefined();
      expect(await icons.find(other.userId, other.linkId)).toEqual({ kind: "pending" });
      await icons.settled();
    });

    test("a private address is never contacted, and a link to an app has no icon", async () => {
      pages = { "/favicon.ico": image };
      const icons = openIcons();
      const inside = await newLink("inside.test");
      await icons.find(inside.userId, inside.linkId);
      await icons.settled();

      expect(await icons.find(inside.userId, inside.linkId)).toEqual({ kind: "absent" });
      expect(seen).toEqual([]);
    });

    test("a user with many sites that never answer, in two workspaces, keeps no other user waiting", async () => {
      pages = { "/favicon.ico": image };
      const icons = openIcons();
      const { db } = world.deps;
      const slow = await newLink("silent.test");
      const second = (await world.newWorkspace()).actor;
      const membership = { workspaceId: second.workspaceId, userId: slow.userId, role: "owner", createdAt: 0 } as const;
      await db.insertInto("members").values(membership).execute();
      for (const actor of [slow.actor, second]) {
        for (let site = 0; site < 10; site++) {
          const url = `http://silent${site}.test:${server.port}/`;
          await icons.find(slow.userId, (await createLink(world.deps, actor, { url })).id);
        }
      }
      const other = await newLink("seven.test");

      let icon = await icons.find(other.userId, other.linkId);
      while (icon?.kind === "pending" && seen.length === 0) {
        await Bun.sleep(1);
        icon = await icons.find(other.userId, other.linkId);
      }

      expect(seen).toEqual(["/favicon.ico"]);
      await icons.close();
    });

    test("a closed service fetches nothing more", async () => {
      const icons = openIcons();
      const { userId, linkId } = await newLink("six.test");

      await icons.close();

      expect(await icons.find(userId, linkId)).toEqual({ kind: "pending" });
      await icons.settled();
      expect(seen).toEqual([]);
    });
  });
}

describe("the icons that a page links to", () => {
  test.each([
    [`<link rel="shortcut icon" href="/a.ico">`, ["https://a.example/a.ico"]],
    [`<LINK HREF='b.png?x=1&amp;y=2' REL='ICON'>`, ["https://a.example/sub/b.png?x=1&y=2"]],
    [
      `<link rel="apple-touch-icon" href="/big.png"><link rel="icon" href="//cdn.example/c.png">`,
      ["https://cdn.example/c.png", "https://a.example/big.png"],
    ],
    [`<link rel="icon" href="/d.svg"><link rel="stylesheet" href="/icon.css"><link rel="icon">`, []],
    [`<link rel="mask-icon" href="/e.png"><a rel="icon" href="/f.png">`, []],
  ])("%s", (page, urls) => {
    expect(iconUrls(page, "https://a.example/sub/")).toEqual(urls);
  });

  test("a long page of unfinished links has none", () => {
    const page = `<link ${" rel=".repeat(400)}`.repeat(64).slice(0, 128 * 1024);

    expect(iconUrls(page, "https://a.example/")).toEqual([]);
  });
});
