import type { App } from "../app.ts";
import { imageHeaders } from "./image-headers.ts";
import { signedIn } from "./session-cookie.ts";

/** The caller asks for a pending icon again after this time. */
const retryAfterSeconds = 2;
/** How long a browser keeps an icon, and the answer that there is none. */
const keptSeconds = 86_400;
const absenceKeptSeconds = 3_600;

/**
 * The icon of a link's destination, for a signed-in member of the link's workspace: 200 with the image, 202 while it is
 * fetched, 204 if there is none, 404 for links of other workspaces.
 */
export async function destinationIcon(
  app: Pick<App, "db" | "icons" | "now">,
  linkId: string,
  request: Request,
): Promise<Response> {
  const me = await signedIn(app, request);
  if (me === undefined) return empty(401, "no-store");
  const icon = await app.icons.find(me.userId, linkId);
  switch (icon?.kind) {
    case undefined:
      return empty(404, "no-store");
    case "pending":
      return empty(202, "no-store", { "Retry-After": String(retryAfterSeconds) });
    case "absent":
      return empty(204, `private, max-age=${absenceKeptSeconds}`);
    case "found": {
      const { type, bytes } = icon.image;
      const headers = { ...imageHeaders, "Content-Type": type, "Cache-Control": `private, max-age=${keptSeconds}` };
      return new Response(bytes, { headers });
    }
  }
}

function empty(status: number, caching: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { "Cache-Control": caching, ...headers } });
}
