import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { compactUrl } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";

const typingMs = 150;
const linksMax = 6;

/** A search as the list understands it: a pasted URL finds short links and destinations without its scheme. */
export function withoutScheme(text: string): string {
  return compactUrl(text.trim());
}

/** Links that match a text, searched a moment after it was typed; none for an empty text. */
export function useFoundLinks(text: string) {
  const { api, id } = useWorkspace();
  const wanted = withoutScheme(text);
  const search = useDebouncedText(wanted);
  const {
    data = [],
    isFetching,
    isError,
    refetch,
  } = useQuery({
    queryKey: [id, "links", "palette", search],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/links", { params: { query: { search, root: false, pageSize: linksMax } }, signal })),
    enabled: search !== "",
    // Results for a different beginning are not shown, so that none is chosen by mistake.
    placeholderData: (before, former) => (isBeginning(former?.queryKey.at(-1), search) ? before : undefined),
    // The person waits, and can try again.
    retry: false,
  });
  const isOfText = search !== "" && wanted.startsWith(search);
  // A search that has not begun counts as running, so that nothing is called missing before it was searched.
  const isPending = isFetching || search !== wanted;
  return {
    links: isOfText ? data : [],
    isFetching: isPending,
    isFailed: isError && !isFetching,
    retry: () => void refetch(),
  };
}

function isBeginning(former: unknown, search: string): boolean {
  return typeof former === "string" && search.startsWith(former);
}

/** The text once nothing was typed for a moment. */
function useDebouncedText(text: string): string {
  const [debounced, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return text === "" ? "" : debounced;
}
