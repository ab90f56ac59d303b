import { createWaypost, type Waypost } from "../../../sdk/client.ts";
import { withPlainDirection } from "./plain-direction.ts";
import { sendRequest } from "./send-request.ts";

/** The API client of the signed-in user. A request acts in the workspace that it names, or in the user's first one. */
export const waypost: Waypost = createWaypost({
  url: location.origin,
  apiKey: "",
  fetch: (request) => send(request, new URL(request.url)),
});

/** The API in one workspace. */
export function waypostIn(workspaceId: number): Waypost {
  return createWaypost({
    url: location.origin,
    apiKey: "",
    async fetch(request) {
      const url = new URL(request.url);
      url.searchParams.set("workspaceId", String(workspaceId));
      return await send(request, url);
    },
  });
}

/**
 * Sends a request with the user's token. The body is read first: browsers stream request bodies only over HTTP/2, and
 * some do not reveal whether there is one.
 */
async function send(request: Request, url: URL): Promise<Response> {
  const { method, headers, signal } = request;
  const body = await request.arrayBuffer();
  return await withPlainDirection(await sendRequest({ url, method, headers, signal, body }));
}
