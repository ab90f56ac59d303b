import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas, type Waypost } from "../../../sdk/client.ts";
import { recentLinkIds, recentLinksMax } from "../api/recent-links.ts";
import { useWorkspace } from "../api/workspace.tsx";

type Link = Schemas["Link"];

/** The links that the person opened last, followed by the newest ones. */
export function useRecentLinks(): Link[] {
  const { api, id } = useWorkspace();
  const { data = [] } = useQuery({
    queryKey: [id, "links", "recent", recentLinkIds(id)],
    queryFn: ({ signal }) => readRecentLinks(api, recentLinkIds(id), signal),
  });
  return data;
}

async function readRecentLinks(api: Waypost, ids: string[], signal: AbortSignal): Promise<Link[]> {
  const query = { root: false, pageSize: recentLinksMax };
  const [opened, newest] = await Promise.all([
    Promise.all(ids.map((linkId) => readLink(api, linkId, signal))),
    answerOf(api.GET("/links", { params: { query }, signal })),
  ]);
  const links = new Map([...opened.flatMap((link) => link ?? []), ...newest].map((link) => [link.id, link]));
  return [...links.values()].slice(0, recentLinksMax);
}

/** Undefined for a link that was deleted. */
async function readLink(api: Waypost, linkId: string, signal: AbortSignal): Promise<Link | undefined> {
  const { data } = await api.GET("/links/{linkId}", { params: { path: { linkId } }, signal });
  return data;
}
