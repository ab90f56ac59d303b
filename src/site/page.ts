import { layout, pageHeaders } from "../redirects/pages.ts";

/** A page of the app's host, in the look of all our pages. */
export function htmlPage(title: string, body: unknown, status: number): Response {
  return new Response(String(layout(title, body, { icon: "/app/icon.svg" })), { status, headers: pageHeaders });
}
