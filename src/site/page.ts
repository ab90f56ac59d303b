import { html, raw } from "hono/html";
import { pageFields } from "../redirects/pages.ts";
import { entranceStyle } from "./entrance-style.ts";

const pageHeaders = pageFields(entranceStyle, "img-src 'self' data:; font-src 'self'");

/** A page of the app's host, in the look of the dashboard's entrance. */
export function htmlPage(title: string, body: unknown, status: number): Response {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/app/icon.svg" type="image/svg+xml"><style>${raw(entranceStyle)}</style></head>
<body><header><img src="/app/icon.svg" alt="">Waypost</header><main>${body}</main></body></html>`;
  return new Response(String(page), { status, headers: pageHeaders });
}

/**
 * A page with a form that comes back to us. Told no referrer at all, a browser would not say the form's origin either;
 * this way it says both, and to this host alone.
 */
export function formPage(title: string, body: unknown, status: number): Response {
  const page = htmlPage(title, body, status);
  page.headers.set("Referrer-Policy", "same-origin");
  return page;
}
