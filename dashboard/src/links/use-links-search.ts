import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { changed, type LinksSearch, readLinksSearch } from "./links-search.ts";

/** Changes of the URL's search; undefined removes a field. */
export type SearchChanges = { [Name in keyof LinksSearch]?: LinksSearch[Name] | undefined };

/** The page's search and functions that change it, in a new history entry or by replacing the current one. */
export function useLinksSearch() {
  // The router keeps values that readLinksSearch leaves out, such as `archived=no`.
  const search = useSearch({
    from: "/signed-in/w/$workspaceId/links",
    select: readLinksSearch,
    structuralSharing: true,
  });
  const navigate = useNavigate({ from: "/w/$workspaceId/links" });
  const change = useCallback(
    (changes: SearchChanges, options: { replace?: boolean; ignoreBlocker?: boolean } = {}) =>
      void navigate({ search: (before) => changed(before, changes), resetScroll: false, ...options }),
    [navigate],
  );
  const replace = useCallback(
    (all: LinksSearch) => void navigate({ search: all, replace: true, resetScroll: false }),
    [navigate],
  );
  return { search, change, replace };
}
