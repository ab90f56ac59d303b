import { findUserAvatar } from "../access/user-avatars.ts";
import type { App } from "../app.ts";
import { imageHeaders } from "./image-headers.ts";
import { signedIn } from "./session-cookie.ts";

/** How long a browser keeps an avatar; each upload has its own file name. */
const keptSeconds = 7 * 86_400;

/**
 * The avatar of a user, for that user and for members of a common workspace. 401 without a session; 404 for everyone
 * else, so that a file name tells nothing about its user.
 */
export async function userAvatar(app: Pick<App, "db" | "now">, file: string, request: Request): Promise<Response> {
  const me = await signedIn(app, request);
  if (me === undefined) return refusal(401);
  const found = await findUserAvatar(app, me.userId, file);
  if (found === undefined) return refusal(404);
  const headers = { ...imageHeaders, "Content-Type": found.type, "Cache-Control": `private, max-age=${keptSeconds}` };
  return new Response(found.bytes, { headers });
}

function refusal(status: 401 | 404): Response {
  return new Response(null, { status, headers: { "Cache-Control": "no-store" } });
}
