import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runInProcess } from "./support/command-in-process.ts";
import { engines } from "./support/databases.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink } from "./support/short-domains.ts";

const bytes = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const logo = `data:image/png;base64,${bytes.toString("base64")}`;

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    beforeAll(async () => {
      server = await startService({ WAYPOST_UNVERIFIED_REDIRECTS: "true" }, engine);
    });
    afterAll(() => server.remove());

    const page = async (host: string) => await (await server.visit("/unknown", { host })).text();
    const logoOn = (text: string) => /<img class="logo" src="([^"]+)" alt="([^"]+)">/.exec(text)?.slice(1);

    test("a domain's uploaded logo is on its pages, and served by the domain itself", async () => {
      const { slug } = await addDomain(server, { logo });

      const [path = "", name] = logoOn(await page(slug)) ?? [];
      const picture = await server.visit(path, { host: slug });

      expect(name).toBe(slug);
      expect(picture.status).toBe(200);
      expect(Object.fromEntries(picture.headers)).toMatchObject({
        "content-type": "image/png",
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
      });
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(bytes);
    });

    test("a new logo has another path, and the former path is gone", async () => {
      const { slug } = await addDomain(server, { logo });
      const [former = ""] = logoOn(await page(slug)) ?? [];

      await server.call("PATCH", `/domains/${slug}`, { body: { logo: logo.replace("png", "gif") } });
      const [present = ""] = logoOn(await page(slug)) ?? [];

      expect(present).not.toBe(former);
      expect((await server.visit(former, { host: slug })).status).toBe(404);
      expect((await server.visit(present, { host: slug })).headers.get("content-type")).toBe("image/gif");
    });

    test("a logo on another server is on no page, so visitors request nothing from other servers", async () => {
      const elsewhere = await addDomain(server, { logo: "https://example.com/logo.png" });
      const none = await addDomain(server);

      const found = [logoOn(await page(elsewhere.slug)), logoOn(await page(none.slug))];

      expect(found).toEqual([undefined, undefined]);
    });

    test("a domain does not serve the logo of another domain", async () => {
      const { slug } = await addDomain(server, { logo });
      const other = await addDomain(server);
      const [path = ""] = logoOn(await page(slug)) ?? [];

      expect((await server.visit(path, { host: other.slug })).status).toBe(404);
    });

    const slackbot = { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" };
    /** The path of the image that the preview of a link shows. */
    const imageOf = async (host: string, key: string) => {
      const text = await (await server.visit(`/${key}`, { host, headers: slackbot })).text();
      const url = /<meta property="og:image" content="([^"]+)">/.exec(text)?.[1];
      return url === undefined ? undefined : new URL(url).pathname;
    };

    test("the uploaded image of a link is in its preview, and served by the link's own domain", async () => {
      const { slug } = await addDomain(server);
      const { key } = await addLink(server, { url: "https://example.com/", domain: slug, proxy: true, image: logo });

      const path = (await imageOf(slug, key)) ?? "";
      const picture = await server.visit(path, { host: slug });

      expect(picture.headers.get("content-type")).toBe("image/png");
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(bytes);
    });

    test("no image is served for a link while the operator blocks it", async () => {
      const { slug } = await addDomain(server);
      const { id, key } = await addLink(server, {
        url: "https://example.com/",
        domain: slug,
        proxy: true,
        image: logo,
      });
      const path = (await imageOf(slug, key)) ?? "";
      const status = async () => (await server.visit(path, { host: slug })).status;

      const blocked = await runInProcess(["link", "block", id, "--reason", "Phishing"], server);
      const whileBlocked = await status();
      const unblocked = await runInProcess(["link", "unblock", id], server);

      expect([blocked.code, whileBlocked, unblocked.code, await status()]).toEqual([0, 404, 0, 200]);
    });

    test.each([
      ["asks for a password first", { password: "sesame" }],
      ["no longer shows a preview", { proxy: false }],
      ["has an image that could contain a script", { image: "data:image/svg+xml;base64,PHN2Zy8+" }],
    ])("no image is served for a link that %s", async (_, change) => {
      const { slug } = await addDomain(server);
      const body = { url: "https://example.com/", domain: slug, proxy: true, image: logo };
      const { id, key } = await addLink(server, body);
      const path = (await imageOf(slug, key)) ?? "";

      await server.call("PATCH", `/links/${id}`, { body: change });

      expect((await server.visit(path, { host: slug })).status).toBe(404);
    });
  });
}
