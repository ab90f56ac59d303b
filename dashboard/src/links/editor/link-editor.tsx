import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { DrawerContents, DrawerFrame } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { readLink } from "../links-api.ts";
import { noDialog } from "../links-search.ts";
import { useLinksSearch } from "../use-links-search.ts";
import { copyOf, draftOf, newDraft } from "./draft.ts";
import { EditorForm } from "./editor-form.tsx";

/** The drawer that creates a link, optionally as a copy of another one or with a destination. */
export function CreateLink({ copied, url = "" }: { copied: string | undefined; url: string | undefined }) {
  const { editor } = useTexts().links;
  const { id, api } = useWorkspace();
  const original = useQuery({
    queryKey: [id, "links", "copied", copied],
    queryFn: () => readLink(api, copied ?? ""),
    enabled: copied !== undefined,
  });
  const title = editor.createTitle;
  const isCopy = copied !== undefined;
  const draft = isCopy ? original.data && copyOf(original.data.link) : { ...newDraft(), url };
  return (
    <EditorFrame>
      {draft === undefined ? (
        <Placeholders title={title} error={original.error} />
      ) : (
        <EditorForm title={title} first={draft} isCopy={isCopy} />
      )}
    </EditorFrame>
  );
}

/** The drawer that edits a link, or shows it to viewers. */
export function EditLink({ linkId }: { linkId: string }) {
  const { editor } = useTexts().links;
  const { id, api, canWrite } = useWorkspace();
  // Read only once: changes by other members must not alter the form while a person edits it.
  const { data, error } = useQuery({
    queryKey: [id, "links", "edited", linkId],
    queryFn: () => readLink(api, linkId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const title = canWrite ? editor.editTitle : editor.viewTitle;
  return (
    <EditorFrame>
      {data === undefined ? (
        <Placeholders title={title} error={error} />
      ) : (
        <EditorForm title={title} first={draftOf(data.link)} stored={data} />
      )}
    </EditorFrame>
  );
}

/** One drawer for the placeholders and the form, so that it slides in once. */
function EditorFrame({ children }: { children: ReactNode }) {
  const { change } = useLinksSearch();
  return (
    <DrawerFrame isOpen onClose={() => change(noDialog)} className="max-w-4xl">
      {children}
    </DrawerFrame>
  );
}

function Placeholders({ title, error }: { title: string; error: unknown }) {
  return (
    <DrawerContents title={title}>
      <div className="grid gap-4">
        <ErrorNote error={error} />
        {!error && [0, 1, 2, 3].map((row) => <Skeleton key={row} className="h-14" />)}
      </div>
    </DrawerContents>
  );
}
