import { currentBlocks, isBlockedKey } from "../access/blocks.ts";
import type { App } from "../app.ts";
import { isServing, type RedirectDomain } from "../redirects/lookup.ts";
import { hostOf } from "../redirects/redirect-handler.ts";
import { imageHeaders } from "./image-headers.ts";
import { cacheForever } from "./static-files.ts";

/**
 * An uploaded image on its own domain: the domain's logo (redirects/pages.ts) or the image of a link's preview
 * (redirects/preview-page.ts). 404 for unverified domains, and for links that are blocked, have no preview, or ask for a
 * password.
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
  // Validated when it was saved, but links may have more types than these; an SVG could contain a script.
  const [, type, base64] = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.+)$/.exec(image ?? "") ?? [];
  if (type === undefined || base64 === undefined) return absent();
  return new Response(Buffer.from(base64, "base64"), { headers: { ...headers, "Content-Type": type } });
}

async function imageOf({ db }: Pick<App, "db">, { id, logo, blocked }: RedirectDomain, file: string) {
  if (logo?.path.endsWith(`/${file}`)) {
    return (await db.selectFrom("domains").select("logo").where("id", "=", id).executeTakeFirst())?.logo;
  }
  const linkId = /^image-(link_[0-9A-Z]+)-[0-9a-z]+$/.exec(file)?.[1];
  if (linkId === undefined) return undefined;
  const link = await db
    .selectFrom("links")
    .select(["id", "workspaceId", "userId", "key", "image"])
    .where("id", "=", linkId)
    .where("domainId", "=", id)
    .where("proxy", "=", 1)
    .where("passwordHash", "is", null)
    .executeTakeFirst();
  if (link === undefined || isBlockedKey(blocked, link.key)) return undefined;
  return (await currentBlocks(db)).blocksLink(link) ? undefined : link.image;
}

function absent(): Response {
  return new Response(null, { status: 404 });
}

/** Each image has its own path. */
const headers = { ...imageHeaders, "Cache-Control": cacheForever };
