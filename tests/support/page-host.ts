import { PNG } from "pngjs";
import type { Answer } from "../../src/redirects/answer.ts";
import type { PageName } from "../../src/redirects/decision.ts";
import { frameAnswer } from "../../src/redirects/framed-page.ts";
import { pageAnswer } from "../../src/redirects/pages.ts";
import { previewAnswer } from "../../src/redirects/preview-page.ts";

/** An HTTP server that returns each page for visitors with the same header fields as a redirect. */
type PageHost = { readonly origin: string; readonly paths: readonly string[]; stop(): Promise<void> };

const statuses: Record<PageName, number> = {
  password: 200,
  expired: 410,
  usedUp: 410,
  deleted: 410,
  notStarted: 410,
  disabled: 410,
  blocked: 410,
  notFound: 404,
  unverified: 404,
  unavailable: 503,
};
// The keys of the record above, by its type.
const pageNames = Object.keys(statuses) as PageName[];
const logo = { path: "/logo.png", name: "go.example.com" };

type Make = (acceptLanguage: string | undefined, origin: string) => Answer;

/** TABLE of the pages by path, with and without their optional parts. */
const pages: Record<string, Make> = {
  ...Object.fromEntries(
    pageNames.map((page): [string, Make] => [
      `/${page}`,
      (acceptLanguage) => pageAnswer(page, statuses[page], { acceptLanguage }),
    ]),
  ),
  "/password-wrong": (acceptLanguage) => pageAnswer("password", 200, { acceptLanguage, passwordError: "wrong", logo }),
  "/password-too-many": (acceptLanguage) => pageAnswer("password", 429, { acceptLanguage, passwordError: "tooMany" }),
  "/not-found-with-logo": (acceptLanguage) => pageAnswer("notFound", 404, { acceptLanguage, logo }),
  "/framed": (acceptLanguage, origin) =>
    frameAnswer({ url: `${origin}/destination`, title: "Spring sale", isIndexed: false, acceptLanguage }),
  "/framed-in-vain": (acceptLanguage, origin) =>
    frameAnswer({ url: `${origin}/unframed`, title: null, isIndexed: false, acceptLanguage }),
  "/preview": (acceptLanguage) =>
    previewAnswer({
      linkId: "link_1",
      shortLink: "https://go.example.com/spring",
      url: "https://shop.example.com/sale?utm_source=news",
      title: "Spring sale: everything for balcony and garden",
      description: "Until Sunday, with free delivery from 20 euros on.",
      image: "https://shop.example.com/sale.png",
      video: null,
      isIndexed: false,
      acceptLanguage,
    }),
};

/** Opens the host on a free port of loopback. */
export function openPageHost(): PageHost {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, origin } = new URL(request.url);
      const acceptLanguage = request.headers.get("accept-language") ?? undefined;
      const made = pages[pathname]?.(acceptLanguage, origin);
      if (made !== undefined) return made.response();
      const type = { "Content-Type": "text/html" };
      if (pathname === "/logo.png") return new Response(logoPicture, { headers: { "Content-Type": "image/png" } });
      if (pathname === "/destination") return new Response(destination, { headers: type });
      if (pathname === "/unframed") return new Response("", { headers: { ...type, "X-Frame-Options": "DENY" } });
      return new Response(null, { status: 404 });
    },
  });
  return { origin: server.url.origin, paths: Object.keys(pages), stop: () => server.stop(true) };
}

const destination = `<!doctype html><html lang="en"><title>Shop</title>
<body style="font:20px system-ui,sans-serif;margin:3rem;background:#fdf6ec;color:#222"><h1>Spring sale</h1>
<p>The destination's own page, in its own colors.</p></body></html>`;

/** The logo of an imaginary company: a disc and a bar in one color on a transparent background. */
const logoPicture = (() => {
  const picture = new PNG({ width: 240, height: 96 });
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const isDisc = Math.hypot(x - 48, y - 48) < 40;
      const isBar = x > 104 && x < 232 && Math.abs(y - 48) < 14;
      picture.data.set([196, 74, 40, isDisc || isBar ? 255 : 0], (y * picture.width + x) * 4);
    }
  }
  return PNG.sync.write(picture);
})();
