import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import { countryCodes } from "../clicks/continents.ts";
import { updateDomain } from "../domains/update-domain.ts";
import { createLink } from "./create-link.ts";
import { bulkLinksMax, createLinks } from "./create-links.ts";
import { followedAddressesMax, hopsMax } from "./follow-links.ts";
import type { LinkFields } from "./link.ts";
import { updateLink } from "./update-link.ts";
import { updateLinks } from "./update-links.ts";

for (const engine of engines) {
  describe(`links that lead in circles on ${engine}`, () => {
    const world = openLinks(engine);
    const elsewhere = "https://a.example";

    /** The field that the API names in its refusal; "none" if it accepts the call. */
    async function refusedField(work: Promise<unknown>): Promise<string> {
      const problem = await problemOf(work);
      if (problem === undefined) return "none";
      return problem.message.includes("causes a redirect loop")
        ? (problem.message.split(": ")[0] ?? "")
        : problem.message;
    }

    /** Links k1 → k2 → … → kN; the last one leads elsewhere. */
    async function newChain(actor: Actor, domain: string, length: number) {
      const inputs = Array.from({ length }, (_, index) => ({
        key: `k${index + 1}`,
        url: index + 1 < length ? `https://${domain}/k${index + 2}` : elsewhere,
      }));
      return (await createLinks(world.deps, actor, inputs)).links;
    }

    test("are refused up to ten links long, and longer ones are not found", async () => {
      const { actor, domain } = await world.newWorkspace();
      const links = await newChain(actor, domain.slug, hopsMax + 1);
      const last = links[hopsMax]?.id ?? "";
      const start = (number: number) => `https://${domain.slug}/k${number}`;

      expect(await refusedField(updateLink(world.deps, actor, last, { url: start(2) }))).toBe("url");
      expect(await refusedField(updateLink(world.deps, actor, last, { url: start(1) }))).toBe("none");
    });

    const target = (slug: string) => `https://${slug}/K1?from=here`;
    const cases: [string, (slug: string) => LinkFields][] = [
      ["rules.0.url", (slug) => ({ rules: [{ when: { country: "DE" }, url: target(slug) }] })],
      ["ios", (slug) => ({ ios: target(slug) })],
      ["android", (slug) => ({ android: target(slug) })],
      ["geo.DE", (slug) => ({ geo: { DE: target(slug) } })],
      ["expiredUrl", (slug) => ({ expiredUrl: target(slug) })],
      [
        "testVariants.1.url",
        (slug) => ({
          testVariants: [
            { url: elsewhere, percentage: 50 },
            { url: target(slug), percentage: 50 },
          ],
        }),
      ],
    ];
    test.each(cases)("are refused through %s, by an update, a bulk update and a creation", async (field, fieldsOf) => {
      const { actor, domain } = await world.newWorkspace();
      const [, second] = await newChain(actor, domain.slug, 2);
      const id = second?.id ?? "";
      const fields = fieldsOf(domain.slug);
      const free = await createLink(world.deps, actor, { url: `https://${domain.slug}/new`, key: "to-new" });
      const back = JSON.parse(JSON.stringify(fields).replaceAll("/K1", `/${free.key}`));

      expect(await refusedField(updateLink(world.deps, actor, id, fields))).toBe(field);
      expect(await refusedField(updateLinks(world.deps, actor, [id], fields))).toBe(field);
      expect(await refusedField(createLink(world.deps, actor, { ...back, url: elsewhere, key: "new" }))).toBe(field);
      expect(await refusedField(updateLink(world.deps, actor, id, { title: "T" }))).toBe("none");
    });

    test("are refused among the links of one call, and over a link of another workspace", async () => {
      const [{ actor, domain }, other] = [await world.newWorkspace(), await world.newWorkspace()];
      const pair = ["one", "two"].map((key, index) => ({
        key,
        url: `https://${domain.slug}/${index === 0 ? "two" : "one"}`,
      }));
      await createLink(world.deps, other.actor, { url: `https://${domain.slug}/mine`, key: "theirs" });
      const mine = { key: "mine", url: `https://${other.domain.slug}/theirs` };

      expect(await refusedField(createLinks(world.deps, actor, pair))).toBe("url");
      expect(await refusedField(createLink(world.deps, actor, mine))).toBe("url");
    });

    test.each([
      ["another case", "/Loop"],
      ["percent-encoding", "/%6Coop"],
      ["a slash at its end", "/loop/"],
      ["a full stop at its end", "/loop."],
      ["a bracket at its end", "/loop)"],
      ["a comma at its end", "/loop,"],
      ["parameters and a fragment", "/loop?a=b#c"],
    ])("are refused when the key is written with %s", async (_, path) => {
      const { actor, domain } = await world.newWorkspace();
      await createLink(world.deps, actor, { url: `https://${domain.slug}${path}`, key: "back" });

      const loop = createLink(world.deps, actor, { url: `https://${domain.slug}./back`, key: "loop" });

      expect(await refusedField(loop)).toBe("url");
    });

    test("are refused over a link that forwards the rest of the path", async () => {
      const { actor, domain } = await world.newWorkspace();
      const at = (path: string) => `https://${domain.slug}/${path}`;
      await createLink(world.deps, actor, { url: at("b"), key: "a", forwardPath: true });

      const make = (key: string, path: string, more: object = {}) =>
        refusedField(createLink(world.deps, actor, { url: at(path), key, ...more }));

      expect(await make("self", "self/x", { forwardPath: true })).toBe("url");
      expect(await make("b", "a/x", { forwardPath: true })).toBe("url");
      // The path of the last redirect is /b/x, which names no link.
      expect(await make("b", "a/x")).toBe("none");
    });

    test("are refused when only visitors with a longer path loop, and when forwarding is switched on", async () => {
      const { actor, domain } = await world.newWorkspace();
      const at = (path: string) => `https://${domain.slug}/${path}`;
      await createLink(world.deps, actor, { url: elsewhere, key: "exact" });
      await createLink(world.deps, actor, { url: at("on"), key: "exact/-", forwardPath: true });
      const { id } = await createLink(world.deps, actor, { url: at("exact"), key: "on" });

      expect(await refusedField(updateLink(world.deps, actor, id, { forwardPath: true }))).toBe("url");
    });

    test("are refused through the domain's targets for unknown keys and for links that have ended", async () => {
      const { actor, domain } = await world.newWorkspace();
      const at = (path: string) => `https://${domain.slug}/${path}`;
      const changes = { notFoundUrl: at("missing-page"), expiredUrl: at("ended-page") };
      await updateDomain(world.deps, actor, { slug: domain.slug, changes });
      const make = (key: string, url: string, more: object = {}) =>
        createLink(world.deps, actor, { key, url, ...more });

      expect(await refusedField(make("missing-page", at("nothing-here")))).toBe("url");
      expect(await refusedField(make("ended-page", elsewhere, { maxClicks: 1 }))).toBe("expiresAt");
      expect(await refusedField(make("ended-page", elsewhere, { maxClicks: 1, expiredUrl: elsewhere }))).toBe("none");
      expect(await refusedField(make("missing-page", elsewhere))).toBe("none");
    });

    test("are refused through the bare domain and the instance's own URL, but not another port's", async () => {
      const { actor, domain } = await world.newWorkspace();
      const instance = "https://links.example.com:8443";
      const key = `loop-${engine}`;
      const there = { url: `https://${domain.slug}/mine`, domain: world.instance.slug, key };
      await createLink(world.deps, actor, there);

      expect(await refusedField(createLink(world.deps, actor, { url: `${instance}/${key}`, key: "mine" }))).toBe("url");
      const otherPort = { url: `https://links.example.com/${key}`, key: "mine" };
      expect(await refusedField(createLink(world.deps, actor, otherPort))).toBe("none");
    });

    test("are searched among 2,000 short links; links with more targets are refused, alone and in bulk", async () => {
      const { actor, domain } = await world.newWorkspace();
      const geoTo = (name: string) =>
        Object.fromEntries(Array.from(countryCodes, (code) => [code, `https://${domain.slug}/${name}-${code}`]));
      const hubs = Array.from({ length: Math.ceil(followedAddressesMax / countryCodes.size) + 1 }, (_, index) => ({
        key: `hub-${index}`,
        url: elsewhere,
        geo: geoTo(`leaf-${index}`),
      }));
      for (const hub of hubs) await createLink(world.deps, actor, hub);
      const toHubs = (count: number) => ({
        url: elsewhere,
        rules: hubs
          .slice(0, count)
          .map(({ key }) => ({ when: { query: { key } }, url: `https://${domain.slug}/${key}` })),
      });
      const many = Array.from({ length: bulkLinksMax }, () => toHubs(hubs.length - 3));

      expect(await refusedField(createLink(world.deps, actor, toHubs(hubs.length)))).toStartWith(
        "The destinations lead to",
      );
      expect(await refusedField(createLinks(world.deps, actor, [toHubs(hubs.length)]))).toStartWith(
        "The destinations lead",
      );
      // A destination of many links is followed once.
      expect(await refusedField(createLinks(world.deps, actor, many))).toBe("none");
    });
  });
}
