/** The official Dub SDK against a running server, on both engines; only `serverURL` is changed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dub } from "dub";
import * as errors from "dub/models/errors";
import type { QueryParamGroupBy } from "dub/models/operations";
import { engines } from "./support/databases.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant } from "./support/tenants.ts";

const browser =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";

/** Returns the error that a call of the SDK throws; fails if it does not throw. */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome) return outcome.error;
  throw new Error(`Nothing was thrown; the answer was ${JSON.stringify(outcome.value)}`);
}

/** Returns the items of all pages of an SDK iterator. */
async function pagesOf<Page extends { result: unknown[] }>(pages: AsyncIterable<Page>): Promise<Page["result"][]> {
  const all: Page["result"][] = [];
  for await (const { result } of pages) all.push(result);
  return all;
}

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;

    beforeAll(async () => {
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_UNVERIFIED_REDIRECTS: "true" }, engine);
    });

    afterAll(() => server.remove());

    const sdkOf = (token: string) => new Dub({ token, serverURL: `${server.url}/v1` });
    const newSdk = async () => sdkOf((await newTenant(server)).apiKey);

    describe("links", () => {
      test("create returns every field of the link, with the SDK's types", async () => {
        const dub = await newSdk();
        const tag = await dub.tags.create({ name: "Spring", color: "green" });
        const folder = await dub.folders.create({ name: "Campaigns" });

        const link = await dub.links.create({
          url: "https://example.com/sale",
          prefix: "s",
          externalId: "order-1",
          tenantId: "tenant-1",
          comments: "For the newsletter",
          title: "Sale",
          tagIds: [tag.id],
          folderId: folder.id,
          expiresAt: "2030-01-31T12:00:00.000Z",
          expiredUrl: "https://example.com/over",
          ios: "https://apps.example.com/ios",
          geo: { DE: "https://example.com/de" },
          utmSource: "mail",
          password: "open sesame",
        });

        expect(link).toMatchObject({
          url: "https://example.com/sale?utm_source=mail",
          externalId: "order-1",
          tenantId: "tenant-1",
          comments: "For the newsletter",
          title: "Sale",
          tags: [{ id: tag.id, name: "Spring", color: "green" }],
          folderId: folder.id,
          expiresAt: "2030-01-31T12:00:00.000Z",
          expiredUrl: "https://example.com/over",
          ios: "https://apps.example.com/ios",
          geo: { DE: "https://example.com/de" },
          utmSource: "mail",
          password: "********",
          archived: false,
          clicks: 0,
          leads: 0,
          saleAmount: 0,
          webhookIds: [],
        });
        expect(link.key).toMatch(/^s\/\w{7}$/);
        expect(link.shortLink).toEndWith(`/${link.key}`);
        expect(link.workspaceId).toMatch(/^\d+$/);
        expect(link.projectId).toBe(link.workspaceId);
      });

      test("get finds a link by id, externalId, and domain and key", async () => {
        const dub = await newSdk();
        const link = await dub.links.create({ url: "https://example.com", externalId: "42" });

        const byId = await dub.links.get({ linkId: link.id });
        const byExternalId = await dub.links.get({ externalId: "ext_42" });
        const byKey = await dub.links.get({ domain: link.domain, key: link.key });

        expect([byId, byExternalId, byKey]).toEqual([link, link, link]);
      });

      test("update changes the given fields, also by ext_, and keeps the others", async () => {
        const dub = await newSdk();
        const link = await dub.links.create({ url: "https://example.com", externalId: "42", title: "Old" });

        const updated = await dub.links.update("ext_42", { title: "New", archived: true });

        expect(updated).toEqual({ ...link, title: "New", archived: true, updatedAt: updated.updatedAt });
      });

      test("upsert creates a link once, and returns it unchanged the next time", async () => {
        const dub = await newSdk();

        const made = await dub.links.upsert({ url: "https://example.com/upsert", title: "One" });
        const again = await dub.links.upsert({ url: "https://example.com/upsert", title: "One" });
        const changed = await dub.links.upsert({ url: "https://example.com/upsert", title: "Two" });

        expect(again).toEqual(made);
        expect(changed).toEqual({ ...made, title: "Two", updatedAt: changed.updatedAt });
        expect(await dub.links.count({ search: "upsert" })).toBe(1);
      });

      test("delete returns the id, and the link is gone", async () => {
        const dub = await newSdk();
        const { id } = await dub.links.create({ url: "https://example.com" });

        const deleted = await dub.links.delete(id);

        expect(deleted).toEqual({ id });
        expect(await thrownBy(dub.links.get({ linkId: id }))).toBeInstanceOf(errors.NotFound);
      });

      test("list pages through every link, newest first", async () => {
        const dub = await newSdk();
        const urls = Array.from({ length: 7 }, (_, index) => `https://example.com/${index}`);
        for (const url of urls) await dub.links.create({ url });

        const pages = await pagesOf(await dub.links.list({ pageSize: 3 }));

        expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
        expect(pages.flat().map(({ url }) => url)).toEqual(urls.toReversed());
      });

      test("list and count filter by tag, folder, search and archived", async () => {
        const dub = await newSdk();
        const tag = await dub.tags.create({ name: "Red" });
        const folder = await dub.folders.create({ name: "Box" });
        const tagged = await dub.links.create({ url: "https://example.com/tagged", tagIds: tag.id });
        const filed = await dub.links.create({ url: "https://example.com/filed", folderId: folder.id });
        const archived = await dub.links.create({ url: "https://example.com/put-away", archived: true });
        const ids = async (request: Parameters<typeof dub.links.list>[0]) =>
          (await pagesOf(await dub.links.list(request))).flat().map(({ id }) => id);

        expect(await ids({ tagIds: tag.id })).toEqual([tagged.id]);
        expect(await ids({ tagNames: "red" })).toEqual([tagged.id]);
        expect(await ids({ withTags: true })).toEqual([tagged.id]);
        expect(await ids({ folderId: folder.id })).toEqual([filed.id]);
        expect(await ids({ search: "FILED" })).toEqual([filed.id]);
        expect(await ids({ showArchived: true, search: "put-away" })).toEqual([archived.id]);
        expect(await dub.links.count({})).toBe(2);
        expect(await dub.links.count({ showArchived: true })).toBe(3);
        expect(await dub.links.count({ tagIds: tag.id })).toBe(1);
      });

      test("createMany returns the created links, then the errors of the others", async () => {
        const dub = await newSdk();
        await dub.links.create({ url: "https://example.com", externalId: "taken" });

        const results = await dub.links.createMany([
          { url: "https://example.com/a" },
          { url: "https://example.com/b", externalId: "taken" },
          { url: "https://example.com/c", tagNames: ["unknown tag"] },
          { url: "https://example.com/d" },
        ]);

        const made = results.filter((result) => "id" in result);
        const refused = results.filter((result) => !("id" in result));
        expect(made.map(({ url }) => url)).toEqual(["https://example.com/a", "https://example.com/d"]);
        expect(refused.map((result) => "code" in result && result.code)).toEqual(["conflict", "unprocessable_entity"]);
        expect(results.slice(0, 2)).toEqual(made);
      });

      test("updateMany changes every given link", async () => {
        const dub = await newSdk();
        const links = await dub.links.createMany([
          { url: "https://example.com/a", externalId: "a" },
          { url: "https://example.com/b", externalId: "b" },
        ]);

        const updated = await dub.links.updateMany({ externalIds: ["ext_a", "b"], data: { title: "Same" } });

        expect(updated).toHaveLength(2);
        expect(new Set(updated.map(({ id }) => id))).toEqual(
          new Set(links.flatMap((link) => ("id" in link ? [link.id] : []))),
        );
        expect(updated.map(({ title }) => title)).toEqual(["Same", "Same"]);
      });

      test("deleteMany counts the existing links", async () => {
        const dub = await newSdk();
        const one = await dub.links.create({ url: "https://example.com/a" });
        await dub.links.create({ url: "https://example.com/b", externalId: "b" });

        const answer = await dub.links.deleteMany({ linkIds: [one.id, "ext_b", "link_none"] });

        expect(answer).toEqual({ deletedCount: 2 });
        expect(await dub.links.count({})).toBe(0);
      });
    });

    test("tags are created, listed, changed and deleted", async () => {
      const dub = await newSdk();

      const red = await dub.tags.create({ name: "Red", color: "red" });
      const blue = await dub.tags.create({ name: "blue" });
      const renamed = await dub.tags.update(blue.id, { name: "Azure", color: "blue" });
      const listed = await dub.tags.list({});
      const found = await dub.tags.list({ ids: [red.id], search: "re" });
      const deleted = await dub.tags.delete(red.id);
      const left = await dub.tags.list({ sortBy: "createdAt", sortOrder: "desc" });

      expect(red).toEqual({ id: red.id, name: "Red", color: "red" });
      expect(renamed).toEqual({ id: blue.id, name: "Azure", color: "blue" });
      expect(listed).toEqual([renamed, red]);
      expect(found).toEqual([red]);
      expect(deleted).toEqual({ id: red.id });
      expect(left).toEqual([renamed]);
    });

    test("folders are created, listed, changed and deleted", async () => {
      const dub = await newSdk();

      const first = await dub.folders.create({ name: "First", description: "One" });
      const second = await dub.folders.create({ name: "Second" });
      const renamed = await dub.folders.update(second.id, { name: "Zweiter", accessLevel: "read" });
      const listed = await dub.folders.list({});
      const found = await dub.folders.list({ search: "zwei" });
      const deleted = await dub.folders.delete(first.id);

      expect(first).toMatchObject({ name: "First", type: "default", accessLevel: "write" });
      expect(renamed).toMatchObject({ id: second.id, name: "Zweiter", accessLevel: "read" });
      expect(listed.map(({ id }) => id)).toEqual([first.id, second.id]);
      expect(found.map(({ id }) => id)).toEqual([second.id]);
      expect(deleted).toEqual({ id: first.id });
    });

    test("domains are created, listed, changed and deleted", async () => {
      const dub = await newSdk();
      const slug = `go-${crypto.randomUUID().slice(0, 8)}.example`;

      const made = await dub.domains.create({ slug, placeholder: "https://example.com", assetLinks: "[]" });
      const second = await dub.domains.create({ slug: `second-${slug}` });
      const updated = await dub.domains.update(slug, { notFoundUrl: "https://example.com/404" });
      const pages = await pagesOf(await dub.domains.list({ pageSize: 1 }));
      const deleted = await dub.domains.delete(slug);

      expect(made).toMatchObject({ slug, verified: false, primary: true, archived: false, registeredDomain: null });
      expect(second.primary).toBe(false);
      expect(updated).toMatchObject({ id: made.id, notFoundUrl: "https://example.com/404", assetLinks: "[]" });
      expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set([made.id, second.id]));
      expect(deleted).toEqual({ slug });
    });

    test("qrCodes.get returns the code of a link", async () => {
      const dub = await newSdk();
      const link = await dub.links.create({ url: "https://example.com" });

      const image = await dub.qrCodes.get({ url: link.shortLink, size: 300, level: "H", fgColor: "#112233" });

      // The SDK reads the image as text; its signature survives that.
      expect(image).toContain("PNG");
    });

    describe("clicks", () => {
      test("analytics.retrieve returns every grouping with the SDK's types", async () => {
        const dub = await newSdk();
        const link = await dub.links.create({ url: "https://example.com/?utm_source=mail", domain: "localhost" });
        const headers = { "User-Agent": browser, Referer: "https://www.news.example.com/today?x=1" };
        await server.visit(`/${link.key}`, { headers });
        await server.visit(`/${link.key}?qr=1`, { headers });

        await eventually(
          async () => await dub.analytics.retrieve({ linkId: link.id }),
          (answer) => JSON.stringify(answer).includes('"clicks":2'),
        );
        const row = async (groupBy: QueryParamGroupBy) => await dub.analytics.retrieve({ groupBy });

        expect(await row("count")).toMatchObject({ clicks: 2, leads: 0, sales: 0, saleAmount: 0 });
        expect(await row("browsers")).toMatchObject([{ browser: "Chrome", clicks: 2 }]);
        expect(await row("os")).toMatchObject([{ os: "Windows", clicks: 2 }]);
        expect(await row("devices")).toMatchObject([{ device: "Desktop", clicks: 2 }]);
        expect(await row("triggers")).toMatchObject([
          { trigger: "link", clicks: 1 },
          { trigger: "qr", clicks: 1 },
        ]);
        expect(await row("referers")).toMatchObject([{ referer: "news.example.com", clicks: 2 }]);
        expect(await row("referer_urls")).toMatchObject([
          { refererUrl: "https://www.news.example.com/today", clicks: 2 },
        ]);
        expect(await row("top_links")).toMatchObject([
          { id: link.id, link: link.id, key: link.key, shortLink: link.shortLink, clicks: 2 },
        ]);
        expect(await row("top_urls")).toMatchObject([{ url: link.url, clicks: 2 }]);
        for (const groupBy of ["continents", "countries", "regions", "cities", "top_partners"] as const) {
          expect([groupBy, await row(groupBy)]).toEqual([groupBy, []]);
        }
        await dub.links.delete(link.id);
        const { domain, key, shortLink, url } = link;
        expect(await row("top_links")).toMatchObject([{ id: link.id, domain, key, shortLink, url, clicks: 2 }]);
        const days = await row("timeseries");
        expect(Array.isArray(days) && days.length).toBe(31);
      });

      test("events.list returns each click with its link, newest first", async () => {
        const dub = await newSdk();
        const link = await dub.links.create({ url: "https://example.com/", domain: "localhost" });
        await server.visit(`/${link.key}`, { headers: { "User-Agent": browser } });
        await server.visit(`/${link.key}?qr=1`, { headers: { "User-Agent": browser } });

        const events = await eventually(
          async () => await dub.events.list({ linkId: link.id }),
          ({ length }) => length === 2,
        );

        expect(events).toMatchObject([
          { event: "click", click: { qr: true, browser: "Chrome", ip: "" }, link: { id: link.id } },
          { event: "click", click: { qr: false, browser: "Chrome", ip: "" }, link: { id: link.id } },
        ]);
      });
    });

    describe("errors have the SDK's classes", () => {
      test("BadRequest, NotFound, Conflict, UnprocessableEntity and Forbidden have messages", async () => {
        const dub = await newSdk();
        await dub.links.create({ url: "https://example.com", externalId: "taken" });

        const bad = await thrownBy(dub.links.get({ externalId: "no prefix" }));
        const missing = await thrownBy(dub.links.update("link_none", { title: "x" }));
        const taken = await thrownBy(dub.links.create({ url: "https://example.com", externalId: "taken" }));
        const invalid = await thrownBy(dub.links.create({ url: "nothing of a url" }));
        const foreign = await thrownBy(dub.links.create({ url: "https://example.com", domain: "foreign.example" }));

        expect(bad).toBeInstanceOf(errors.BadRequest);
        expect(missing).toBeInstanceOf(errors.NotFound);
        expect(taken).toBeInstanceOf(errors.Conflict);
        expect(invalid).toBeInstanceOf(errors.UnprocessableEntity);
        expect(foreign).toBeInstanceOf(errors.Forbidden);
        expect(taken).toMatchObject({ statusCode: 409, error: { code: "conflict" } });
        expect(taken instanceof errors.Conflict ? taken.error.message : "").toContain("externalId");
      });

      test("Unauthorized for a wrong key", async () => {
        const error = await thrownBy(sdkOf("wp_wrong_key_0123456789").tags.list());

        expect(error).toBeInstanceOf(errors.Unauthorized);
      });

      test("updateMany returns an error for an unknown id, which the SDK cannot parse", async () => {
        const dub = await newSdk();
        const link = await dub.links.create({ url: "https://example.com" });

        const error = await thrownBy(dub.links.updateMany({ linkIds: [link.id, "link_none"], data: { title: "x" } }));

        expect(error).toBeInstanceOf(errors.ResponseValidationError);
        expect((await dub.links.get({ linkId: link.id })).title).toBe("x");
      });
    });
  });
}

test("RateLimitExceeded has the SDK's class", async () => {
  const server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "3" });
  const dub = new Dub({ token: ownerKey, serverURL: `${server.url}/v1` });

  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => dub.tags.list()));
  const limited = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));

  await server.remove();
  expect(limited.length).toBeGreaterThan(0);
  for (const error of limited) expect(error).toBeInstanceOf(errors.RateLimitExceeded);
});
