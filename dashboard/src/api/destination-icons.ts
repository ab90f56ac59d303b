import { openConcurrencyLimit } from "../base/concurrency-limit.ts";

/**
 * The icons of links' destinations. The server fetches them; the browser asks only the server, once for each site.
 */

/** Icons requested at once, so that the list's own requests are not delayed. */
const requestsMax = 3;
/** Sites whose icons are remembered; beyond it, the first ones are forgotten. */
const sitesMax = 1_000;
/** Requests for an icon that the server still fetches, and the pause before each further one. */
const attemptsMax = 4;
const retryAfterMs = 2_000;

/** The link whose destination has the icon. */
export type IconLink = { id: string; url: string; workspaceId: string };

/** Object URLs of icons by site; null for a site without an icon. */
const known = new Map<string, string | null>();
const requests = new Map<string, Promise<string | null>>();
const limit = openConcurrencyLimit(requestsMax);

/** The URL of the icon if it is loaded; null if there is none, undefined before it is known. */
export function knownIcon(link: IconLink): string | null | undefined {
  return known.get(siteOf(link));
}

/** Loads the icon of a link's destination. Resolves with the URL of an image, or null if there is none. */
export async function loadIcon(link: IconLink): Promise<string | null> {
  const site = siteOf(link);
  const loaded = known.get(site) ?? requests.get(site);
  if (loaded !== undefined) return await loaded;
  const request = limit(() => requestIcon(link.id)).then((icon) => {
    requests.delete(site);
    if (icon === undefined) return null;
    remember(site, icon);
    return icon;
  });
  requests.set(site, request);
  return await request;
}

/** Workspaces are separate, because a person may leave one. */
function siteOf({ workspaceId, url }: IconLink): string {
  return `${workspaceId} ${URL.canParse(url) ? new URL(url).origin : ""}`;
}

/** Undefined when the icon should be requested again later. */
async function requestIcon(linkId: string): Promise<string | null | undefined> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    try {
      const response = await fetch(`/app/icons/${encodeURIComponent(linkId)}`);
      // An unread body, even an empty one, would keep one of the browser's few connections.
      const body = await response.blob();
      if (response.status === 200) return URL.createObjectURL(body);
      if (response.status !== 202) return response.status === 204 ? null : undefined;
    } catch {
      // Offline; letters stand for the icons.
      return undefined;
    }
    if (attempt < attemptsMax) await new Promise((resolve) => setTimeout(resolve, retryAfterMs * attempt));
  }
  return undefined;
}

function remember(site: string, icon: string | null): void {
  known.set(site, icon);
  const [first] = known;
  if (known.size <= sitesMax || first === undefined) return;
  known.delete(first[0]);
  if (first[1] !== null) URL.revokeObjectURL(first[1]);
}
