import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { changed, type LinksSearch } from "./links-search.ts";

/** What of the address is to be another; undefined takes a field out. */
export type SearchChanges = { [Name in keyof LinksSearch]?: LinksSearch[Name] | undefined };

/** What the address says, and a way to change it: as a new step of the browser's history, or in place. */
export function useLinksSearch() {
  const search = useSearch({ from: "/signed-in/w/$workspaceId/links" });
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
