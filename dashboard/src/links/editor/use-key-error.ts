import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { rootKey } from "../../api/short-link.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { useFieldErrorOf } from "../../ui/error-text.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";

/** Each check is a request, so it waits for a pause in typing. */
const delayMs = 350;

/** The error of the slug: that of the last attempt to save, or what a check while typing found. */
export function useKeyError(): ReactNode {
  const { editor } = useTexts().links;
  const { id, api, canWrite } = useWorkspace();
  const { draft, link } = useEditor();
  const fieldErrorOf = useFieldErrorOf();
  const saveError = useFieldError("key");
  const [domain, key] = [draft.domain, draft.key.trim()];
  const isOwn = link !== undefined && link.domain === domain && (link.key === key || link.key === rootKey);
  const isPaused = useDebounced(`${domain} ${key}`, delayMs) === `${domain} ${key}`;
  const isToCheck = canWrite && key !== "" && !isOwn && isPaused;
  const { data, error } = useQuery({
    queryKey: [id, "taken key", domain, key],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/links/exists", { params: { query: { ...(domain !== "" && { domain }), key } }, signal })),
    enabled: isToCheck,
    retry: false,
    // Another person may take or give up the key at any time.
    gcTime: 0,
  });
  if (saveError !== undefined || !isToCheck) return saveError;
  return data?.exists ? editor.keyTaken(key) : fieldErrorOf(error, "key");
}
