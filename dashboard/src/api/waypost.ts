import { createWaypost, type Waypost } from "../../../sdk/client.ts";
import { bearerToken, forgetRefusedToken } from "./session.ts";

/** The API as the person who is signed in, in the workspace that each call names or their first one. */
export const waypost: Waypost = createWaypost({ url: location.origin, apiKey: bearerToken, fetch: fetchSignedIn });

const unauthorized = 401;

/** A token may end earlier than it said, as when the server was restarted: then another is bought, once. */
async function fetchSignedIn(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== unauthorized) return response;
  await forgetRefusedToken(request.headers.get("Authorization")?.replace(/^Bearer /, "") ?? "");
  again.headers.set("Authorization", `Bearer ${await bearerToken()}`);
  return await fetch(again);
}

/** The API in one workspace. */
export function waypostIn(workspaceId: number): Waypost {
  return createWaypost({
    url: location.origin,
    apiKey: bearerToken,
    async fetch(request) {
      const url = new URL(request.url);
      url.searchParams.set("workspaceId", String(workspaceId));
      // Read, since browsers send a body that is handed on as a stream by HTTP/2 alone; some do not say whether there is one.
      const body = await request.arrayBuffer();
      const { method, headers, signal } = request;
      return await fetchSignedIn(new Request(url, { method, headers, signal, ...(body.byteLength > 0 && { body }) }));
    },
  });
}
