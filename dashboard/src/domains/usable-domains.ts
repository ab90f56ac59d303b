import { answerOf, type Waypost } from "../../../sdk/client.ts";
import { allPages } from "../api/all-pages.ts";

const pageSize = 50;

/** Query options for all domains of a workspace that are not archived. */
export function usableDomainsQuery(workspaceId: number, api: Waypost) {
  return {
    queryKey: [workspaceId, "domains", "usable"],
    queryFn: () => allPages(pageSize, (query) => answerOf(api.GET("/domains", { params: { query } }))),
  };
}
