import { describe, expect, test } from "bun:test";
import { signInTexts } from "./sign-in-texts.ts";

const hostile = `"><script>alert('1')</script>&`;
const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";

function textsOf(header: string | undefined, cookie?: string) {
  const headers = new Headers();
  if (header !== undefined) headers.set("Accept-Language", header);
  if (cookie !== undefined) headers.set("Cookie", cookie);
  return signInTexts({ headers });
}

describe("languages", () => {
  test.each([
    [undefined, "en", "Set up your account"],
    ["", "en", "Set up your account"],
    ["de-AT,de;q=0.9,en;q=0.8", "de", "Konto einrichten"],
    ["en;q=0.4, zh-TW;q=0.7", "zh-Hans", "设置您的账号"],
    ["fr-CA, fr;q=0.9, de;q=0.8, en;q=0.7", "de", "Konto einrichten"],
    ["ja", "en", "Set up your account"],
    ["de;q=0, *", "en", "Set up your account"],
  ])("a browser that asks for %j reads %s", (header, language, title) => {
    const texts = textsOf(header);

    expect({ language: texts.language, title: texts.setup.account }).toEqual({ language, title });
  });

  test.each([
    ["waypost_language=de", "de"],
    ["waypost_theme=dark; waypost_language=de; other=1", "de"],
    // An unknown language, and another service's cookie.
    ["waypost_language=fr", "zh-Hans"],
    ["other_waypost_language=de", "zh-Hans"],
    ["waypost_language=deutsch", "zh-Hans"],
  ])("the cookie %j and a browser in Chinese make it %s", (cookie, language) => {
    const texts = textsOf("zh-CN", cookie);

    expect(texts.language).toBe(language);
  });
});

test.each(["en", "de", "zh"])("names and addresses are escaped in the texts: %s", (tag) => {
  const { setup, invite } = textsOf(tag);

  const sentences = [setup.newPasswordText(hostile), invite.signedInAs(hostile), invite.about(hostile)].map(String);

  for (const sentence of sentences) {
    expect(sentence).toContain(`<strong>${escaped}</strong>`);
    expect(sentence).not.toContain("<script>");
  }
});

test.each([
  ["en", "existing one. You’ll join"],
  ["de", "Kontos ein. Sie treten"],
  ["zh", "密码。您将以"],
])("whom an invite is for follows as the next sentence of the language: %s", (tag, join) => {
  const { invite } = textsOf(tag);

  const [forAnyone, forOne] = [null, "ann@example.com"].map((email) => String(invite.about(email)));

  expect(forOne).toStartWith(forAnyone ?? "");
  expect(forOne).toContain(join);
  expect(forOne).toContain("<strong>ann@example.com</strong>");
});
