import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";

/** The expected and found DNS records of a domain. */
export type DnsReport = Schemas["DnsReport"];
/** A DNS record as it was found. */
export type DnsRecord = DnsReport["routing"]["found"][number];

/** The TLS certificate of a domain. */
export type DomainCertificate = Schemas["DomainCertificate"];

const pageSize = 50;

/** Query key of a workspace's domains. */
export function domainsKey(workspaceId: number) {
  return [workspaceId, "domains"] as const;
}

/** Reads the matching domains, page by page. */
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

/** Query key of a domain, by its slug. */
export function domainKey(workspaceId: number, slug: string) {
  return [...domainsKey(workspaceId), "one", slug] as const;
}

/** Reads a domain. Fails with "not_found" when the workspace has no domain with this slug. */
export function useDomain(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: domainKey(id, slug),
    queryFn: () => answerOf(api.GET("/domains/{slug}", { params: { path: { slug } } })),
  });
}

/** Checks DNS for the record that verifies a domain, then refetches all domain data. */
export function useVerification({ id: domainId }: { id: string }) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST("/domains-v2/{id}/verify", { params: { path: { id: domainId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: domainsKey(id) }),
  });
}

/** The check of a domain's record: not started, pending or finished. */
export type Verification = ReturnType<typeof useVerification>;

function dnsKey(workspaceId: number, slug: string) {
  return [...domainKey(workspaceId, slug), "dns"] as const;
}

/** How often an open page asks DNS while a record is missing, in seconds. */
export const dnsCheckSeconds = 15;
/** How often it asks when nothing is missing. */
const settledCheckMs = 5 * 60_000;

/** Reads the current DNS records of a domain, again and again while the page is open and visible. */
export function useDnsReport(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: dnsKey(id, slug),
    queryFn: () => answerOf(api.GET("/domains/{slug}/dns", { params: { path: { slug } } })),
    refetchInterval: ({ state: { data } }) => (data && isSetUp(data) ? settledCheckMs : dnsCheckSeconds * 1_000),
  });
}

/** Reads the past checks of a domain's ownership record, newest first. */
export function useDomainChecks(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [...domainKey(id, slug), "checks"],
    queryFn: () => answerOf(api.GET("/domains/{slug}/checks", { params: { path: { slug } } })),
  });
}

/** True when the domain is verified and its records are as expected. */
export function isSetUp({ status, ownership, routing }: DnsReport): boolean {
  return status === "verified" && ownership.matches && routing.matches;
}

function certificateKey(workspaceId: number, slug: string) {
  return [...domainKey(workspaceId, slug), "certificate"] as const;
}

/** How often an open page reads a certificate that is not valid yet. */
const certificateCheckMs = 5_000;

/** Reads the state of a domain's certificate, again and again until it is valid. */
export function useCertificate(slug: string) {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: certificateKey(id, slug),
    queryFn: () => answerOf(api.GET("/domains/{slug}/certificate", { params: { path: { slug } } })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && mayChangeSoon(data) ? certificateCheckMs : settledCheckMs,
  });
}

/**
 * True while a certificate of the domain may soon change. The one of the optional name counts only while it is ordered,
 * because it may wait for its DNS for days.
 */
function mayChangeSoon({ state, www }: DomainCertificate): boolean {
  return (state !== "valid" && state !== "off") || www?.state === "ordering";
}

/** How often an open list reads the certificates while one of them is not valid. */
const listedCheckMs = 30_000;

/** Reads the states of the certificates of listed domains, by slug; as many pages as the list shows. */
export function useListedCertificates({ archived, search }: { archived: boolean; search: string }, pages: number) {
  const { api, id } = useWorkspace();
  return useQueries({
    queries: Array.from({ length: pages }, (_, index) => ({
      queryKey: [...domainsKey(id), "certificates", { archived, search, page: index + 1 }],
      queryFn: () => {
        const query = { archived, page: index + 1, pageSize, ...(search !== "" && { search }) };
        return answerOf(api.GET("/domains/certificates", { params: { query } }));
      },
      refetchInterval: ({ state: { data } }: { state: { data: DomainCertificate[] | undefined } }) =>
        (data ?? []).every(({ state }) => settledStates.includes(state)) ? settledCheckMs : listedCheckMs,
    })),
    combine: (results) => new Map(results.flatMap(({ data = [] }) => data.map(({ slug, state }) => [slug, state]))),
  });
}

/** The states that only change after something else did. */
const settledStates: readonly DomainCertificate["state"][] = ["off", "unverified", "valid"];

/** Runs the next attempt at a domain's certificate now. */
export function useCertificateRetry(slug: string) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST("/domains/{slug}/certificate/retry", { params: { path: { slug } } })),
    onSuccess: (certificate) => queries.setQueryData(certificateKey(id, slug), certificate),
  });
}

/** The number of links on a domain; undefined until it is known. */
export function useLinkCount(slug: string): number | undefined {
  const { api, id } = useWorkspace();
  const { data: counts } = useQuery({
    queryKey: [id, "links", "count-by-domain"],
    queryFn: async () => {
      const answer = await answerOf(api.GET("/links/count", { params: { query: { groupBy: "domain", root: false } } }));
      const groups = typeof answer === "number" ? [] : answer;
      return new Map(groups.map((group) => [group.domain ?? "", group._count]));
    },
  });
  return counts && (counts.get(slug) ?? 0);
}
