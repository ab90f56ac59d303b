import { describe, expect, test } from "bun:test";
import { readPageTags } from "./page-tags.ts";

const page = "https://shop.example.com/sale/?a=1";

describe("the tags of a page", () => {
  test("are its title, description and image", () => {
    const html = `<!doctype html><html><head><title>
        Spring &amp; sale &#x2013; caf&eacute; &unknown;
      </title><meta name=description content='Until &quot;Sunday&quot;'>
      <meta property="og:image" content="/card.png"></head><body><svg><title>Icon</title></svg></body></html>`;

    expect(readPageTags(html, page)).toEqual({
      title: "Spring & sale – café &unknown;",
      description: 'Until "Sunday"',
      image: "https://shop.example.com/card.png",
    });
  });

  test("come from Open Graph before all others, and an empty one counts as missing", () => {
    const html = `<title>Shop</title><meta name="twitter:title" content="Tweet"><meta property="og:title" content="Graph">
      <meta property="og:description" content=" "><meta name="description" content="Own">`;

    expect(readPageTags(html, page)).toEqual({ title: "Graph", description: "Own", image: null });
  });

  test("are cut to the limits of a link's fields, between two characters", () => {
    const { title, description } = readPageTags(
      `<title>${"a".repeat(119)}😀</title><meta name="description" content="${"b".repeat(9_000)}">`,
      page,
    );

    expect(title).toBe("a".repeat(119));
    expect(description).toBe("b".repeat(240));
  });

  test.each(["data:image/png;base64,AAAA", "javascript:alert(1)", `/${"x".repeat(3_000)}`, "http://"])(
    "have no image %p",
    (image) => {
      expect(readPageTags(`<meta property="og:image" content="${image}">`, page).image).toBeNull();
    },
  );

  test.each([
    "",
    "plain text",
    "<title>",
    "<title></title>",
    "<script><title>No</title></script>",
    "<!-- <title>No</title>",
  ])("are missing in %p", (html) => {
    expect(readPageTags(html, page)).toEqual({ title: null, description: null, image: null });
  });

  test.each([
    ["<meta>".repeat(21_800), /^$/],
    ["<".repeat(131_072), /^$/],
    ["<title>".repeat(18_700), /^(<title>)+<?/],
    [`<title>${"&amp;".repeat(26_000)}`, /^&+$/],
  ])("are read from the largest hostile pages: %#", (html, title) => {
    expect(readPageTags(html, page).title ?? "").toMatch(title);
  });
});
