import { describe, expect, test } from "bun:test";
import { formPage, htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";

const plain = { title: "Title", body: "Text", status: 200 };

describe("a page", () => {
  test.each([
    ["waypost_theme=dark", '<html lang="de" data-theme="dark">'],
    ["waypost_language=de; waypost_theme=light; other=1", '<html lang="de" data-theme="light">'],
    ["waypost_theme=system", '<html lang="de">'],
    ["other_waypost_theme=dark", '<html lang="de">'],
    [`waypost_theme="><script>`, '<html lang="de">'],
    ["", '<html lang="de">'],
  ])("takes the theme of the cookie %j", async (cookie, start) => {
    const theme = themeOf({ headers: new Headers({ Cookie: cookie }) });

    const text = await formPage(plain, { language: "de", theme }).text();

    expect(text).toContain(start);
  });

  test("declares its language, and allows its own style and no script", async () => {
    const answer = htmlPage(plain, { language: "zh-Hans", theme: "dark" });

    const style = /<style>(.*)<\/style>/s.exec(await answer.text())?.[1] ?? "";
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    const policy = answer.headers.get("Content-Security-Policy") ?? "";
    expect(answer.headers.get("Content-Language")).toBe("zh-Hans");
    expect(style).toContain(':root[data-theme="dark"]');
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(policy).not.toContain("script-src");
  });

  test("escapes its title and plain text", async () => {
    const text = await htmlPage({ title: "<b>", body: "<i>", status: 404 }).text();

    expect(text).toContain("<title>&lt;b&gt;</title>");
    expect(text).toContain("<main>&lt;i&gt;</main>");
  });
});
