import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";

const typingMs = 150;
const linksMax = 6;

/** The links that a text is found in, a moment after it was typed; none for no text. */
export function useFoundLinks(text: string) {
  const { api, id } = useWorkspace();
  const search = useDebouncedText(text.trim());
  const { data = [], isFetching } = useQuery({
    queryKey: [id, "links", "palette", search],
    queryFn: ({ signal }) => answerOf(api.GET("/links", { params: { query: { search, pageSize: linksMax } }, signal })),
    enabled: search !== "",
    placeholderData: (before) => before,
  });
  // What was found for another beginning is not shown, and so not chosen by mistake.
  const isOfText = search !== "" && text.trim().startsWith(search);
  return { links: isOfText ? data : [], isFetching };
}

/** A text once nothing was typed for a moment. */
function useDebouncedText(text: string): string {
  const [debounced, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return text === "" ? "" : debounced;
}
