import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { readLink } from "../links-api.ts";
import { noDialog } from "../links-search.ts";
import { useLinksSearch } from "../use-links-search.ts";
import { copyOf, draftOf, newDraft } from "./draft.ts";
import { EditorForm } from "./editor-form.tsx";

const drawerClass = "max-w-4xl";

/** The drawer that creates a link, optionally as a copy of another one or with a destination. */
export function CreateLink({ copied, url = "" }: { copied: string | undefined; url: string | undefined }) {
  const { editor } = useTexts().links;
  const { id, api } = useWorkspace();
  const original = useQuery({
    queryKey: [id, "links", "copied", copied],
    queryFn: () => readLink(api, copied ?? ""),
    enabled: copied !== undefined,
  });
  const [openedAt] = useState(Date.now);
  if (copied !== undefined && original.data === undefined) {
    return <LoadingDrawer title={editor.createTitle} error={original.error} />;
  }
  const draft = original.data === undefined ? { ...newDraft(), url } : copyOf(original.data.link);
  return <EditorForm title={editor.createTitle} first={draft} isCopy={copied !== undefined} openedAt={openedAt} />;
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
  const [openedAt] = useState(Date.now);
  const title = canWrite ? editor.editTitle : editor.viewTitle;
  if (data === undefined) return <LoadingDrawer title={title} error={error} />;
  return <EditorForm title={title} first={draftOf(data.link)} stored={data} openedAt={openedAt} />;
}

function LoadingDrawer({ title, error }: { title: string; error: unknown }) {
  const { change } = useLinksSearch();
  return (
    <Drawer isOpen onClose={() => change(noDialog)} title={title} className={drawerClass}>
      <div className="grid gap-4">
        <ErrorNote error={error} />
        {!error && [0, 1, 2, 3].map((row) => <Skeleton key={row} className="h-14" />)}
      </div>
    </Drawer>
  );
}
