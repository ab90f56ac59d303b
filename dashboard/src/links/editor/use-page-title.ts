import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { isWebPage } from "../../api/short-link.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { utmNames } from "../../base/utm-names.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useEditor } from "./editor-state.tsx";
import { writeUtm } from "./utm.ts";

/** Each page is requested by the server and costs as much as ten calls, so it waits for a pause in typing. */
const delayMs = 700;
const withoutUtm = Object.fromEntries(utmNames.map((name) => [name, ""]));

/**
 * Fills in the title of a new link from the page at its destination. A title that the person typed, or removed, stays.
 */
export function usePageTitle(): void {
  const { id, api, canWrite } = useWorkspace();
  const { draft, set, link } = useEditor();
  const { title } = draft;
  const filledIn = useRef("");
  const typed = pageOf(draft.url);
  const page = useDebounced(typed, delayMs);
  const { data } = useQuery({
    queryKey: [id, "page title", page],
    queryFn: ({ signal }) => answerOf(api.GET("/metatags", { params: { query: { url: page } }, signal })),
    enabled: canWrite && link === undefined && page !== "" && page === typed && title === filledIn.current,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => {
    if (data === undefined || title !== filledIn.current) return;
    const found = data.title ?? "";
    if (found === title) return;
    filledIn.current = found;
    set({ title: found });
  }, [data, title, set]);
}

/** The web page of a destination, which is the same with all UTM parameters; "" while the text is no complete URL. */
function pageOf(url: string): string {
  const text = url.trim();
  if (!isWebPage(text)) return "";
  return writeUtm(text, withoutUtm).replace(/#.*/s, "");
}
