import type { App } from "../app.ts";
import { isServing, type RedirectDomain } from "../redirects/lookup.ts";
import { hostOf } from "../redirects/redirect-handler.ts";
import { imageHeaders } from "./image-headers.ts";
import { cacheForever } from "./static-files.ts";

/**
 * An uploaded image, on the domain it belongs to: the domain's logo on the pages its visitors meet
 * (redirects/pages.ts), or what the previews of a link show (redirects/preview-page.ts). Nothing of domains that are
 * not proven, of links that show no preview, and of those that ask for a password first.
 */
export async function uploadedImage(
  app: Pick<App, "db" | "redirects">,
  file: string,
  request: Request,
): Promise<Response> {
  const { lookup, isUnverifiedAllowed, now } = app.redirects;
  const domain = await lookup.domain(hostOf(request.headers.get("host") ?? ""));
  if (domain === undefined || !isServing(domain, isUnverifiedAllowed, now())) return absent();
  const image = await imageOf(app, domain, file);
  // Written by our own rules, which allow links more types than these; an SVG could hold a script.
  const [, type, base64] = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.+)$/.exec(image ?? "") ?? [];
  if (type === undefined || base64 === undefined) return absent();
  return new Response(Buffer.from(base64, "base64"), { headers: { ...headers, "Content-Type": type } });
}

async function imageOf({ db }: Pick<App, "db">, { id, logo }: RedirectDomain, file: string) {
  if (logo?.path.endsWith(`/${file}`)) {
    return (await db.selectFrom("domains").select("logo").where("id", "=", id).executeTakeFirst())?.logo;
  }
  const linkId = /^image-(link_[0-9A-Z]+)-[0-9a-z]+$/.exec(file)?.[1];
  if (linkId === undefined) return undefined;
  const link = await db
    .selectFrom("links")
    .select("image")
    .where("id", "=", linkId)
    .where("domainId", "=", id)
    .where("proxy", "=", 1)
    .where("passwordHash", "is", null)
    .executeTakeFirst();
  return link?.image;
}

function absent(): Response {
  return new Response(null, { status: 404 });
}

/** Another image has another path. */
const headers = { ...imageHeaders, "Cache-Control": cacheForever };
