import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";

/** What DNS says about a domain and what it should say. */
export type DnsReport = Schemas["DnsReport"];
/** A record of DNS as it was found. */
export type DnsRecord = DnsReport["routing"]["found"][number];

const pageSize = 50;

/** Where everything read of a workspace's domains is kept. */
export function domainsKey(workspaceId: number) {
  return [workspaceId, "domains"] as const;
}

/** The domains that match, a page at a time. */
export function useDomainList({ archived, search }: { archived: boolean; search: string }) {
  const { api, id } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [...domainsKey(id), "list", { archived, search }],
    queryFn: ({ pageParam: page }) => {
      const query = { archived, page, pageSize, ...(search !== "" && { search }) };
      return answerOf(api.GET("/domains", { params: { query } }));
    },
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length < pageSize ? undefined : all.length + 1),
    placeholderData: (before) => before,
  });
}

/** Where everything read of one domain is kept, by its slug. */
export function domainKey(workspaceId: number, slug: string) {
  return [...domainsKey(workspaceId), "one", slug] as const;
}

/** One domain; fails with "not_found" where the workspace has none of this slug. */
export function useDomain(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: domainKey(id, slug),
    queryFn: () => answerOf(api.GET("/domains/{slug}", { params: { path: { slug } } })),
  });
}

/** Has DNS looked at for the record that proves a domain; everything shown of domains is read again. */
export function useVerification({ id: domainId }: { id: string }) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST("/domains-v2/{id}/verify", { params: { path: { id: domainId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: domainsKey(id) }),
  });
}

/** A check of a domain's record: asked for, under way, or over. */
export type Verification = ReturnType<typeof useVerification>;

function dnsKey(workspaceId: number, slug: string) {
  return [...domainKey(workspaceId, slug), "dns"] as const;
}

/** What DNS says about a domain now. */
export function useDnsReport(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: dnsKey(id, slug),
    queryFn: () => answerOf(api.GET("/domains/{slug}/dns", { params: { path: { slug } } })),
  });
}

/** How many links each domain has, by slug. */
export function useLinkCounts() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [id, "links", "count-by-domain"],
    queryFn: async () => {
      const answer = await answerOf(api.GET("/links/count", { params: { query: { groupBy: "domain" } } }));
      const groups = typeof answer === "number" ? [] : answer;
      return new Map(groups.map((group) => [group.domain ?? "", group._count]));
    },
  });
}
