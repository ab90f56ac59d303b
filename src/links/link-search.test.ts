import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { searchedUrlCharactersMax } from "../database/link-search.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { readSearch, searchCondition } from "./link-search.ts";
import { countLinks, listLinks } from "./list-links.ts";
import { updateLink } from "./update-link.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);

    async function keysFound({ actor }: LinkWorkspace, search: string): Promise<string[]> {
      const links = await listLinks(world.deps, actor, { search }, { pageSize: 100 });
      expect(await countLinks(world.deps, actor, { search })).toBe(links.length);
      return links.map(({ key }) => key);
    }

    async function workspaceWith(links: Record<string, string>): Promise<LinkWorkspace> {
      const workspace = await world.newWorkspace();
      for (const [key, url] of Object.entries(links)) await createLink(world.deps, workspace.actor, { key, url });
      return workspace;
    }

    test("a search finds every part of a key or a URL, in any case and in every script", async () => {
      const workspace = await workspaceWith({
        spring: "https://Shop.example.org/Sale?utm_campaign=May",
        Straße: "https://example.org/a",
        ΟΔΟΣ: "https://example.org/50%_off",
        日本語のリンク: "https://example.org/münchen",
        "🎉🎉🎉": "https://example.org/caf%C3%A9",
      });
      const cases: [search: string, keys: string[]][] = [
        ["pri", ["spring"]],
        ["SPRING", ["spring"]],
        ["shop.EXAMPLE.org/sale", ["spring"]],
        ["campaign=may", ["spring"]],
        ["sprung", []],
        ["traß", ["Straße"]],
        ["δος", ["ΟΔΟΣ"]],
        ["50%_OFF", ["ΟΔΟΣ"]],
        ["50xx", []],
        ["本語の", ["日本語のリンク"]],
        ["/MÜN".toLowerCase(), ["日本語のリンク"]],
        ["/café", ["🎉🎉🎉"]],
        ["🎉🎉🎉", ["🎉🎉🎉"]],
        ["\\\\\\", []],
        ['""""', []],
        ["NEAR(", []],
        ["pri AND", []],
      ];

      for (const [search, keys] of cases) {
        expect({ search, keys: await keysFound(workspace, search) }).toEqual({ search, keys });
      }
    });

    test("a search finds a key with a slash in every script", async () => {
      const workspace = await workspaceWith({
        "東京/新宿": "https://example.org/a",
        "שלום/עולם": "https://example.org/b",
        "Frühling/Köln": "https://example.org/c",
        "blog/frühling/köln": "https://example.org/d",
      });
      const cases: [search: string, keys: string[]][] = [
        ["東京/新宿", ["東京/新宿"]],
        ["京/新", ["東京/新宿"]],
        ["שלום/עולם", ["שלום/עולם"]],
        [encodeURI("שלום/עולם"), ["שלום/עולם"]],
        ["frühling/kö", ["blog/frühling/köln", "Frühling/Köln"]],
        ["FRÜHLING/KÖLN", ["blog/frühling/köln", "Frühling/Köln"]],
        ["frühling/berlin", []],
        // Two characters are too few for a search inside keys.
        ["https://京/", []],
      ];

      for (const [search, keys] of cases) {
        expect({ search, keys: await keysFound(workspace, search) }).toEqual({ search, keys });
      }
    });

    test("a punctuation character matches only itself", async () => {
      const workspace = await workspaceWith({
        "one-two": "https://a.example/x/y?utm_term=b-c",
        oneqtwo: "https://ajexample.example/xxy",
        one_two: "https://a.example/x-y?utm%2Dterm=b_c",
        onextwo: "https://a.example/x.y",
        "one.two": "https://a.example/xjy",
        onejtwo: "https://a.example/x_y",
        oneztwo: "https://a.example/xzy?UTM_TERM=B-C",
        one: "https://two.example",
      });
      const cases: [search: string, keys: string[]][] = [
        ["one-two", ["one-two"]],
        ["ONE-T", ["one-two"]],
        ["one_two", ["one_two"]],
        ["one.two", ["one.two"]],
        ["oneqtwo", ["oneqtwo"]],
        ["oneztwo", ["oneztwo"]],
        ["neztw", ["oneztwo"]],
        ["one two", []],
        ["one https", []],
        ["onehttps", []],
        ["e/x/y", ["one-two"]],
        ["e/xxy", ["oneqtwo"]],
        ["e/x-y", ["one_two"]],
        ["e/x.y", ["onextwo"]],
        ["e/x_y", ["onejtwo"]],
        ["ajex", ["oneqtwo"]],
        ["utm_term=b-c", ["oneztwo", "one-two"]],
        ["%2dterm=b_c", ["one_two"]],
        ["---", []],
        ["...", []],
        ["://", ["one", "oneztwo", "onejtwo", "one.two", "onextwo", "one_two", "oneqtwo", "one-two"]],
      ];

      for (const [search, keys] of cases) {
        expect({ search, keys: await keysFound(workspace, search) }).toEqual({ search, keys });
      }
    });

    test("one or two characters match only the beginning of keys", async () => {
      const workspace = await workspaceWith({
        ab1: "https://zz.example",
        "a-2": "https://ab.example",
        xab: "https://example.org",
      });

      expect(await keysFound(workspace, "a")).toEqual(["a-2", "ab1"]);
      expect(await keysFound(workspace, "AB")).toEqual(["ab1"]);
      expect(await keysFound(workspace, "zz")).toEqual([]);
      expect(await keysFound(workspace, "%")).toEqual([]);
      expect(await keysFound(workspace, "_r")).toEqual(["_root"]);
      expect(await keysFound(workspace, "  ab ")).toEqual(["ab1"]);
    });

    test("a search finds part of a short link, with or without scheme and port", async () => {
      const workspace = await workspaceWith({ spring: "https://a.example", summer: "https://b.example" });
      const { slug } = workspace.domain;

      expect(await keysFound(workspace, slug)).toEqual(["summer", "spring", "_root"]);
      expect(await keysFound(workspace, slug.slice(0, 4))).toEqual(["summer", "spring", "_root"]);
      expect(await keysFound(workspace, `${slug}/`)).toEqual(["summer", "spring", "_root"]);
      expect(await keysFound(workspace, `${slug}/s`)).toEqual(["summer", "spring"]);
      expect(await keysFound(workspace, `${slug}/SPR`)).toEqual(["spring"]);
      expect(await keysFound(workspace, "com/su")).toEqual(["summer"]);
      expect(await keysFound(workspace, "/su")).toEqual(["summer"]);
      expect(await keysFound(workspace, `https://${slug}:8080/spring`)).toEqual(["spring"]);
      expect(await keysFound(workspace, `http://${slug}`)).toEqual(["summer", "spring", "_root"]);
      expect(await keysFound(workspace, `${slug}/pring`)).toEqual([]);
      expect(await keysFound(workspace, `x${slug}/spring`)).toEqual([]);
      expect(await keysFound(workspace, "https://")).toEqual(["summer", "spring"]);
    });

    test("a search finds a percent-encoded short link, as browsers copy it", async () => {
      const workspace = await workspaceWith({ "café-🎉": "https://a.example" });
      const { slug } = workspace.domain;

      expect(await keysFound(workspace, `https://${slug}/${encodeURI("café-🎉")}`)).toEqual(["café-🎉"]);
      expect(await keysFound(workspace, encodeURI("é-🎉"))).toEqual(["café-🎉"]);
      expect(await keysFound(workspace, `${slug}/caf%C3`)).toEqual([]);
      expect(await keysFound(workspace, `${slug}/caf%00`)).toEqual([]);
    });

    test("a search ignores case on a case-sensitive domain", async () => {
      const workspace = await world.newWorkspace({ caseSensitive: 1 });
      for (const key of ["SpringSale", "springtime", "ÄÖÜber"]) {
        await createLink(world.deps, workspace.actor, { key, url: "https://a.example" });
      }
      const { slug } = workspace.domain;
      const cases: [search: string, keys: string[]][] = [
        ["SpringSale", ["SpringSale"]],
        ["spring", ["springtime", "SpringSale"]],
        ["GSALE", ["SpringSale"]],
        ["s", ["springtime", "SpringSale"]],
        ["sP", ["springtime", "SpringSale"]],
        ["ÄÖÜ", ["ÄÖÜber"]],
        ["äö", ["ÄÖÜber"]],
        ["Äö", ["ÄÖÜber"]],
        [`${slug}/SPR`, ["springtime", "SpringSale"]],
        [`https://${slug}/ÄÖ`, ["ÄÖÜber"]],
        ["/s", []],
      ];

      for (const [search, keys] of cases) {
        expect({ search, keys: await keysFound(workspace, search) }).toEqual({ search, keys });
      }
    });

    test("a search finds each change of a link at once", async () => {
      const workspace = await workspaceWith({ before: "https://before.example" });
      const { actor } = workspace;
      const [link] = await listLinks(world.deps, actor, { search: "before" }, { pageSize: 1 });
      const id = link?.id ?? "";

      await updateLink(world.deps, actor, id, { url: "https://after.example" });
      expect(await keysFound(workspace, "before.ex")).toEqual([]);
      expect(await keysFound(workspace, "after.ex")).toEqual(["before"]);
      await updateLink(world.deps, actor, id, { key: "later" });
      expect(await keysFound(workspace, "before")).toEqual([]);
      expect(await keysFound(workspace, "later")).toEqual(["later"]);
      await updateLink(world.deps, actor, id, { domain: world.instance.slug });
      expect(await keysFound(workspace, `${workspace.domain.slug}/lat`)).toEqual([]);
      expect(await keysFound(workspace, `${world.instance.slug}/lat`)).toEqual(["later"]);
      await deleteLink(world.deps, actor, id);
      expect(await keysFound(workspace, "later")).toEqual([]);
      // The next link may reuse its row number, and a search for the old link must not find it.
      await createLink(world.deps, actor, { key: "next", url: "https://next.example" });
      expect(await keysFound(workspace, "after")).toEqual([]);
      expect(await keysFound(workspace, "next")).toEqual(["next"]);
    });

    test("a search does not find links of a deleted domain", async () => {
      const workspace = await workspaceWith({ gone: "https://gone.example" });

      await world.deps.db.deleteFrom("domains").where("id", "=", workspace.domain.id).execute();

      expect(await keysFound(workspace, "gone")).toEqual([]);
    });

    test("a search finds a renamed domain by its new name at once", async () => {
      const workspace = await workspaceWith({ spring: "https://a.example" });

      const slug = `renamed-${workspace.domain.slug}`;
      await world.deps.db.updateTable("domains").set({ slug }).where("id", "=", workspace.domain.id).execute();

      expect(await keysFound(workspace, "renamed-")).toEqual(["spring", "_root"]);
      expect(await keysFound(workspace, `${slug}/spr`)).toEqual(["spring"]);
    });

    test("no search shows another workspace's link, even on a shared domain", async () => {
      const one = await world.newWorkspace();
      const other = await world.newWorkspace();
      const domain = world.instance.slug;
      for (const [workspace, key] of [
        [one, "shared-one"],
        [other, "shared-other"],
      ] as const) {
        await createLink(world.deps, workspace.actor, { domain, key, url: "https://shared.example" });
      }

      for (const search of ["shared", "sh", "s", "https://", domain, `${domain}/sh`, domain.slice(0, 5)]) {
        expect({ search, keys: await keysFound(one, search) }).toEqual({ search, keys: ["shared-one"] });
      }
    });

    test("searches have pages by number and by cursor, newest first", async () => {
      const { actor } = await world.newWorkspace();
      const ids: string[] = [];
      for (let index = 0; index < 6; index++) {
        const url = index === 2 ? "https://other.example" : "https://paged.example";
        const { id } = await createLink(world.deps, actor, { url });
        if (index !== 2) ids.unshift(id);
      }
      const list = async (page: Partial<Parameters<typeof listLinks>[3]>) =>
        (await listLinks(world.deps, actor, { search: "paged.ex" }, { pageSize: 2, ...page })).map(({ id }) => id);

      expect(await list({})).toEqual(ids.slice(0, 2));
      expect(await list({ page: 3 })).toEqual(ids.slice(4));
      expect(await list({ startingAfter: ids[1] })).toEqual(ids.slice(2, 4));
      expect(await list({ endingBefore: ids[3] })).toEqual(ids.slice(1, 3));
      expect(await list({ sortOrder: "asc" })).toEqual(ids.toReversed().slice(0, 2));
      expect(await list({ sortBy: "clicks" })).toEqual(ids.slice(0, 2));
    });

    test("links found by key and links found by URL share one list of pages", async () => {
      const { actor, domain } = await world.newWorkspace();
      const prefix = `${domain.slug}/sp`;
      const rows = [
        { key: "spring", url: "https://a.example" },
        { key: "old", url: `https://${prefix}rout` },
        { key: "both", url: `https://${prefix}` },
        { key: "none", url: "https://a.example/sp" },
        { key: "spare", url: `https://${prefix}` },
        { key: "new", url: `https://${prefix}ice` },
        { key: "gone", url: `https://${prefix}` },
      ];
      const ids = new Map<string, string>();
      for (const { key, url } of rows) ids.set(key, (await createLink(world.deps, actor, { key, url })).id);
      await deleteLink(world.deps, actor, ids.get("gone") ?? "");
      for (const [index, key] of ["spare", "old"].entries()) {
        await world.deps.db
          .updateTable("links")
          .set({ clicks: 9 - index, lastClicked: 9 - index })
          .where("id", "=", ids.get(key) ?? "")
          .execute();
      }
      const list = async (page: Partial<Parameters<typeof listLinks>[3]>) =>
        (await listLinks(world.deps, actor, { search: prefix }, { pageSize: 2, ...page })).map(({ key }) => key);

      expect(await list({ pageSize: 9 })).toEqual(["new", "spare", "both", "old", "spring"]);
      expect(await list({})).toEqual(["new", "spare"]);
      expect(await list({ page: 2 })).toEqual(["both", "old"]);
      expect(await list({ page: 3 })).toEqual(["spring"]);
      expect(await list({ page: 4 })).toEqual([]);
      expect(await list({ page: 2, sortOrder: "asc" })).toEqual(["both", "spare"]);
      expect(await list({ startingAfter: ids.get("spare") })).toEqual(["both", "old"]);
      expect(await list({ endingBefore: ids.get("old") })).toEqual(["spare", "both"]);
      expect(await list({ sortBy: "clicks", pageSize: 3 })).toEqual(["spare", "old", "new"]);
      expect(await list({ sortBy: "clicks", page: 2 })).toEqual(["new", "both"]);
      expect(await list({ sortBy: "lastClicked", sortOrder: "asc", pageSize: 3 })).toEqual(["old", "spare", "spring"]);
      expect(await countLinks(world.deps, actor, { search: prefix })).toBe(5);
      const { actor: stranger } = await world.newWorkspace();
      expect(await listLinks(world.deps, stranger, { search: prefix }, { pageSize: 9 })).toEqual([]);
    });

    test.skipIf(engine === "sqlite")("PostgreSQL uses its trigram index", async () => {
      const { actor } = await world.newWorkspace();
      const search = await readSearch(world.deps.db, actor.workspaceId, "Spring-offer");
      if (search === undefined) throw new Error("The search could not be parsed.");

      const plan = await world.deps.db.transaction().execute(async (tx) => {
        // PostgreSQL prefers to scan the small tables of a test.
        await sql`set local enable_seqscan = off`.execute(tx);
        await sql`set local enable_indexscan = off`.execute(tx);
        return await sql<Record<string, string>>`
          explain select "id" from "links" where ${searchCondition(search)}`.execute(tx);
      });

      const lines = plan.rows.flatMap((row) => Object.values(row)).join("\n");
      expect(lines).toContain("springqoffer");
      expect(lines.match(/Bitmap Index Scan on "linksBySearch"/g)).toHaveLength(1);
    });

    test.skipIf(engine === "postgres")(
      "SQLite looks inside of texts with instr, not with the slower LIKE",
      async () => {
        const { actor } = await world.newWorkspace();
        const search = await readSearch(world.deps.db, actor.workspaceId, "go.example.com/Spring-offer");
        if (search === undefined) throw new Error("The search could not be parsed.");

        const { sql: text, parameters } = sql`${searchCondition(search)}`.compile(world.deps.db);

        expect(text).toContain(`instr(lower("foldedKey")`);
        expect(parameters.filter((value) => String(value).startsWith("%"))).toEqual([]);
      },
    );

    test("the text of a search is bounded, and so is the searched part of a long URL", async () => {
      const workspace = await workspaceWith({
        long: `https://long.example/${"x".repeat(searchedUrlCharactersMax)}/end`,
      });

      expect(await keysFound(workspace, `long.example/${"x".repeat(900)}`)).toEqual(["long"]);
      expect(await keysFound(workspace, "/end")).toEqual([]);
      expect(await refusal(countLinks(world.deps, workspace.actor, { search: "x".repeat(1_001) }))).toBe(
        "unprocessable_entity",
      );
    });
  });
}
