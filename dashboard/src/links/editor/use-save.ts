import { useMutation } from "@tanstack/react-query";
import { answerOf, WaypostError } from "../../../../sdk/client.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import { useNotify } from "../../ui/toasts.tsx";
import { type LinkChanges, useRefreshLinks } from "../links-api.ts";
import { creationOf, type Draft } from "./draft.ts";

type Save = { draft: Draft; changes: LinkChanges; linkId: string | undefined; etag: string | undefined };

/** Makes a link, or changes one if nobody else has since it was read. */
export function useSave(onSaved: () => void) {
  const { links } = useTexts();
  const { api } = useWorkspace();
  const notify = useNotify();
  const refresh = useRefreshLinks();
  return useMutation({
    mutationFn: ({ draft, changes, linkId, etag = "" }: Save) =>
      linkId === undefined
        ? answerOf(api.POST("/links", { body: creationOf(draft) }))
        : answerOf(
            api.PATCH("/links/{linkId}", {
              params: { path: { linkId } },
              body: changes,
              headers: etag === "" ? {} : { "If-Match": etag },
            }),
          ),
    onSuccess({ shortLink }, { linkId }) {
      notify({
        kind: "done",
        text: linkId === undefined ? links.editor.created(shortLink) : links.editor.saved,
        ...(linkId === undefined && {
          action: { label: links.list.copyShortLink, run: () => void copyText(shortLink) },
        }),
      });
      onSaved();
      void refresh();
    },
  });
}

/** Whether somebody else's change was in the way. */
export function isConflict(error: unknown): boolean {
  return error instanceof WaypostError && error.code === "precondition_failed";
}
