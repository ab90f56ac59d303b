import { layout, pageHeaders } from "../redirects/pages.ts";

/** A page of the app's host, in the look of all our pages. */
export function htmlPage(title: string, body: unknown, status: number): Response {
  return new Response(String(layout(title, body, { icon: "/app/icon.svg" })), { status, headers: pageHeaders });
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
