import { createWaypost, type Waypost } from "../../../sdk/client.ts";
import { bearerToken, forgetRefusedToken } from "./session.ts";

/** The API client of the signed-in user. A request acts in the workspace that it names, or in the user's first one. */
export const waypost: Waypost = createWaypost({ url: location.origin, apiKey: bearerToken, fetch: fetchSignedIn });

const unauthorized = 401;

/**
 * A token may end early, for example after a restart of the server; the request is then retried once with a new one.
 */
async function fetchSignedIn(request: Request): Promise<Response> {
  const retry = request.clone();
  const response = await fetch(request);
  if (response.status !== unauthorized) return response;
  await forgetRefusedToken(request.headers.get("Authorization")?.replace(/^Bearer /, "") ?? "");
  retry.headers.set("Authorization", `Bearer ${await bearerToken()}`);
  return await fetch(retry);
}

/** The API in one workspace. */
export function waypostIn(workspaceId: number): Waypost {
  return createWaypost({
    url: location.origin,
    apiKey: bearerToken,
    async fetch(request) {
      const url = new URL(request.url);
      url.searchParams.set("workspaceId", String(workspaceId));
      // The body is read first: browsers stream request bodies only over HTTP/2, and some do not reveal whether there
      // is one.
      const body = await request.arrayBuffer();
      const { method, headers, signal } = request;
      return await fetchSignedIn(new Request(url, { method, headers, signal, ...(body.byteLength > 0 && { body }) }));
    },
  });
}
