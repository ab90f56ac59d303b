import { describe, expect, test } from "bun:test";
import { frameAnswer } from "./framed-page.ts";
import { pageAnswer } from "./pages.ts";
import { previewAnswer } from "./preview-page.ts";

const hostile = `"><script>alert('1')</script>&`;
const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";

describe("languages", () => {
  test.each([
    [undefined, "en", "This link has expired"],
    ["", "en", "This link has expired"],
    ["de-AT,de;q=0.9,en;q=0.8", "de", "Dieser Link ist abgelaufen"],
    ["en;q=0.4, fr-CA;q=0.7", "fr", "Ce lien a expiré"],
    ["pt-BR, pt;q=0.9, es;q=0.8, en;q=0.7", "es", "Este enlace ha caducado"],
    ["zh-CN", "zh-Hans", "此链接已过期"],
    ["zh-TW, en;q=0.9", "zh-Hans", "此链接已过期"],
    ["ja", "en", "This link has expired"],
    ["de;q=0, *", "en", "This link has expired"],
  ])("a visitor with the languages %j reads %s", (acceptLanguage, language, title) => {
    const { body, fields } = pageAnswer("expired", 410, { acceptLanguage });

    expect(body).toContain(`<html lang="${language}">`);
    expect(body).toContain(`<title>${title}</title>`);
    expect(fields).toMatchObject({
      "Content-Language": language,
      Vary: "Accept-Language",
      "Cache-Control": "private, no-store",
    });
  });
});

describe("pages", () => {
  test("visitors of the same page share one cached answer", () => {
    const one = pageAnswer("notFound", 404, { acceptLanguage: "de-DE,de;q=0.9" });
    const other = pageAnswer("notFound", 404, { acceptLanguage: "de" });

    expect(other).toBe(one);
  });

  test("a domain's logo appears on its pages only", () => {
    const logo = { path: "/.well-known/waypost/logo-1", name: hostile };

    const withLogo = pageAnswer("notFound", 404, { acceptLanguage: "en", logo }).body;
    const without = pageAnswer("notFound", 404, { acceptLanguage: "en" }).body;

    expect(withLogo).toContain(`<img class="logo" src="${logo.path}" alt="${escaped}">`);
    expect(without).not.toContain("<img");
  });

  test.each([
    ["wrong", 200, "Falsches Passwort.", undefined],
    ["tooLong", 413, "Dieses Passwort ist zu lang.", undefined],
    ["tooMany", 429, "Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.", "60"],
  ] as const)("the password form says what was wrong: %s", (passwordError, status, text, retryAfter) => {
    const { body, fields } = pageAnswer("password", status, { acceptLanguage: "de", passwordError });

    expect(body).toContain(`<p class="note" id="note" role="alert">${text}</p>`);
    expect(body).toContain(`aria-invalid="true" aria-describedby="note"`);
    expect(body).toContain("<title>Fehler: Passwort erforderlich</title>");
    expect(fields["Retry-After"]).toBe(retryAfter);
  });

  test("the form posts the password in the body, to the same URL", () => {
    const { body } = pageAnswer("password", 200, { acceptLanguage: "en" });

    expect(body).toContain(`<form method="post" class="column">`);
  });

  test("pages of temporary errors say when to try again", () => {
    const { fields } = pageAnswer("unavailable", 503, { acceptLanguage: "en" });

    expect(fields["Retry-After"]).toBe("1");
  });
});

describe("framed page", () => {
  const page = { url: "https://example.com/a?b=1&c=2", title: null, isIndexed: false, acceptLanguage: "fr" };

  test("shows the destination in a frame, and a link to it", () => {
    const { body } = frameAnswer(page);

    expect(body).toContain(`<html lang="fr">`);
    expect(body).toContain(`<title>example.com</title>`);
    expect(body).toContain(`<iframe src="https://example.com/a?b=1&amp;c=2" title="example.com" allow="fullscreen">`);
    expect(body).toContain(`<a href="https://example.com/a?b=1&amp;c=2">La page ne se charge pas`);
  });

  test("escapes the link's title", () => {
    const { body } = frameAnswer({ ...page, title: hostile });

    expect(body).toContain(`<title>${escaped}</title>`);
    expect(body).not.toContain("<script");
  });

  test("sends the destination only the short link's origin, not a query that may contain a password", () => {
    expect(frameAnswer(page).fields["Referrer-Policy"]).toBe("strict-origin");
  });

  test.each([
    [true, undefined],
    [false, "noindex"],
  ])("is for search engines only where the link says so: %j", (isIndexed, robots) => {
    expect(frameAnswer({ ...page, isIndexed }).fields["X-Robots-Tag"]).toBe(robots);
  });
});

describe("preview page", () => {
  const preview = {
    linkId: "link_1",
    shortLink: "https://go.example.com/spring",
    url: "https://example.com/sale",
    title: "Spring sale",
    description: "Everything must go.",
    image: "https://example.com/sale.png",
    video: "https://example.com/sale.mp4",
    isIndexed: false,
    acceptLanguage: undefined,
  };
  const tagsOf = (body: string) =>
    [...body.matchAll(/<meta (?:property|name)="([a-z]+:[a-z]+|description)" content="([^"]*)">/g)].map(
      ([, name, value]) => `${name} ${value}`,
    );

  test("shows crawlers the owner's texts and the short link as canonical URL", () => {
    const { body } = previewAnswer(preview);

    expect(tagsOf(body)).toEqual([
      "og:type website",
      "og:url https://go.example.com/spring",
      "og:title Spring sale",
      "og:description Everything must go.",
      "og:image https://example.com/sale.png",
      "og:video https://example.com/sale.mp4",
      "description Everything must go.",
      "twitter:card summary_large_image",
      "twitter:title Spring sale",
      "twitter:description Everything must go.",
      "twitter:image https://example.com/sale.png",
    ]);
    expect(body).toContain(`<link rel="canonical" href="https://go.example.com/spring">`);
    expect(body).toContain(`<a href="https://example.com/sale">`);
  });

  test("leaves out what the owner left out", () => {
    const { body } = previewAnswer({ ...preview, title: null, description: null, image: null, video: null });

    expect(tagsOf(body)).toEqual([
      "og:type website",
      "og:url https://go.example.com/spring",
      "og:title example.com",
      "twitter:card summary",
      "twitter:title example.com",
    ]);
  });

  test.each(["javascript:alert(1)", "a picture"])("names no image that crawlers cannot fetch: %s", (image) => {
    expect(previewAnswer({ ...preview, image }).body).not.toContain("og:image");
  });

  test("links an uploaded image on the link's own domain by a URL that changes with the image", () => {
    const imageOf = (image: string) =>
      /og:image" content="([^"]+)"/.exec(previewAnswer({ ...preview, image }).body)?.[1];

    const first = imageOf("data:image/png;base64,AAAA");

    expect(first).toMatch(/^https:\/\/go\.example\.com\/\.well-known\/waypost\/image-link_1-[0-9a-z]+$/);
    expect(imageOf("data:image/png;base64,AAAB")).not.toBe(first);
  });

  test("escapes everything the owner wrote", () => {
    const { body } = previewAnswer({
      linkId: "link_1",
      shortLink: preview.shortLink,
      url: `https://example.com/?${hostile}`,
      title: hostile,
      description: hostile,
      image: `https://example.com/${hostile}`,
      video: `https://example.com/${hostile}`,
      isIndexed: false,
      acceptLanguage: hostile,
    });

    expect(body).not.toContain("<script");
    expect(body.match(/="[^"]*[<>']/g)).toBeNull();
  });
});
