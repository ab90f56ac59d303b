import { describe, expect, test } from "bun:test";
import type { Filter } from "../../query.ts";
import { LinkKeyCache, namedLinksMax } from "./link-key-cache.ts";

const filterOf = (...values: string[]): Filter => ({ dimension: "linkId", values, isExcluded: false });

/** Finds the keys of links in a dimension table that has key 1 for each, and lists the links that were read from it. */
async function find(
  links: LinkKeyCache,
  filters: Filter[],
  { workspaceId = 1, during = () => {} }: { workspaceId?: number; during?: () => void } = {},
) {
  const lookups: unknown[] = [];
  const found = await links.find(workspaceId, filters, async ({ parameters }) => {
    lookups.push(...parameters);
    during();
    return parameters.map((linkId) => ({ linkId, number: 1 }));
  });
  return { lookups, found: Object.fromEntries(found) };
}

describe("keys of links", () => {
  test("are read once per workspace", async () => {
    const links = new LinkKeyCache();
    const filters = [filterOf("a", "b")];

    const all = [
      await find(links, filters),
      await find(links, [filterOf("b"), filterOf("c")]),
      await find(links, filters, { workspaceId: 2 }),
      await find(links, filters),
    ];

    expect(all.map(({ lookups }) => lookups)).toEqual([["a", "b"], ["c"], ["a", "b"], []]);
    expect(all.at(-1)?.found).toEqual({ a: [1], b: [1] });
  });

  test("are read again only for links that got more keys", async () => {
    const links = new LinkKeyCache();
    const filters = [filterOf("a", "b")];
    await find(links, filters);

    links.beginChange([{ workspaceId: 1, linkId: "a" }]);
    links.endChange();

    expect((await find(links, filters)).lookups).toEqual(["a"]);
  });

  test("are all read again after a change of unknown links", async () => {
    const links = new LinkKeyCache();
    await find(links, [filterOf("a", "b")]);

    links.beginChange();
    links.endChange();

    expect((await find(links, [filterOf("a", "b")])).lookups).toEqual(["a", "b"]);
  });

  test("that were read before the end of a change are not cached", async () => {
    const links = new LinkKeyCache();
    for (const during of [
      () => links.endChange(),
      () => {
        links.endChange();
        links.beginChange();
      },
    ]) {
      links.beginChange();
      await find(links, [filterOf("a")], { during });
      links.endChange();

      expect((await find(links, [filterOf("a")])).lookups).toEqual(["a"]);
      links.beginChange([{ workspaceId: 1, linkId: "a" }]);
      links.endChange();
    }
  });

  test("are not looked up for excluded links, nor for too many links", async () => {
    const links = new LinkKeyCache();
    const many = Array.from({ length: namedLinksMax + 1 }, (_, index) => `link_${index}`);

    const { lookups } = await find(links, [{ ...filterOf("a"), isExcluded: true }, filterOf(...many)]);

    expect(lookups).toEqual([]);
  });

  test("have a new version after each change, and none during one", () => {
    const links = new LinkKeyCache();
    const before = links.version;

    links.beginChange();
    const during = links.version;
    links.endChange();
    links.endChange();

    expect(during).toBeUndefined();
    expect(before).toBeNumber();
    expect(links.version).toBeNumber();
    expect(links.version).not.toBe(before);
  });
});
