import { html, raw } from "hono/html";
import { pageFields } from "../redirects/pages.ts";
import type { Theme } from "./preference-cookies.ts";
import { signInStyle } from "./sign-in-style.ts";

const pageHeaders = pageFields(signInStyle, "img-src 'self' data:; font-src 'self'");

/** A page of the app's host; `body` is markup. */
type Page = { title: string; body: unknown; status: number };

/** The page's language, and the theme chosen in this browser. */
type PageOptions = { language: string; theme: Theme | undefined };

/** A page in the style of the sign-in pages. Default: English and the system's theme. */
export function htmlPage(
  { title, body, status }: Page,
  options: PageOptions = { language: "en", theme: undefined },
): Response {
  const { language, theme } = options;
  const page = html`<!doctype html>
<html lang="${language}"${theme === undefined ? "" : html` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/app/icon.svg" type="image/svg+xml"><style>${raw(signInStyle)}</style></head>
<body><header><img src="/app/icon.svg" alt="">Waypost</header><main>${body}</main></body></html>`;
  return new Response(String(page), {
    status,
    headers: { ...pageHeaders, "Content-Language": language, Vary: "Accept-Language, Cookie" },
  });
}

/** A page with a form. Its referrer policy makes browsers send the form's origin, and only to this host. */
export function formPage(page: Page, options: PageOptions): Response {
  const answer = htmlPage(page, options);
  answer.headers.set("Referrer-Policy", "same-origin");
  return answer;
}
