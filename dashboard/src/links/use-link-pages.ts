import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "../api/workspace.tsx";
import { type Link, pageQuery, pageSize } from "./links-api.ts";
import type { LinkListQuery } from "./links-search.ts";

/** Reads the pages of a list between two positions; pages that are still cached are available too. */
export function useLinkPages(query: LinkListQuery, { first, last }: { first: number; last: number }) {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const firstPage = Math.floor(first / pageSize);
  const pages = last < first ? [] : range(firstPage, Math.floor(last / pageSize));
  const results = useQueries({ queries: pages.map((page) => pageQuery(id, api, query, page)) });
  const failed = results.find(({ isError }) => isError);

  return {
    /** The link at a position of the list; undefined until it is read. */
    linkAt(index: number): Link | undefined {
      const page = Math.floor(index / pageSize);
      const links =
        results[page - firstPage]?.data ?? queries.getQueryData<Link[]>(pageQuery(id, api, query, page).queryKey);
      return links?.[index % pageSize];
    },
    error: failed?.error,
    retry: () => void Promise.all(results.map((result) => (result.isError ? result.refetch() : undefined))),
    /** Every cached link of the list. */
    loaded: () => loadedLinks(queries.getQueriesData<Link[]>({ queryKey: [id, "links", "page", query] })),
  };
}

function loadedLinks(pages: [readonly unknown[], Link[] | undefined][]): Link[] {
  return pages.flatMap(([, links]) => links ?? []);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
