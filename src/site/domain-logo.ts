import type { App } from "../app.ts";
import { hostOf } from "../redirects/short-host.ts";

/**
 * The uploaded logo of the domain that was asked, for the pages that its visitors meet (redirects/pages.ts). Redirects
 * hand it on: they know which path is the logo's, and that the domain is proven.
 */
export async function domainLogo(
  { db, redirects }: Pick<App, "db" | "redirects">,
  request: Request,
): Promise<Response> {
  const domain = await redirects.lookup.domain(hostOf(request.headers.get("host") ?? ""));
  const { pathname } = new URL(request.url);
  if (domain?.logo?.path !== pathname) return absent();
  const row = await db.selectFrom("domains").select("logo").where("id", "=", domain.id).executeTakeFirst();
  const [, type, base64] = /^data:(image\/[a-z]+);base64,(.+)$/.exec(row?.logo ?? "") ?? [];
  if (type === undefined || base64 === undefined) return absent();
  return new Response(Buffer.from(base64, "base64"), { headers: { ...headers, "Content-Type": type } });
}

function absent(): Response {
  return new Response(null, { status: 404 });
}

/** Another image has another path. What is shown here is an image and nothing else, whatever is in it. */
const headers = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
};
