import { useMutation } from "@tanstack/react-query";
import { GitMerge } from "lucide-react";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { readLink, type TaggedLink } from "../links-api.ts";

type ConflictNoteProps = { linkId: string; onLoad(current: TaggedLink): void; onKeep(current: TaggedLink): void };

/** Shown when someone else has changed the link since it was opened: the person chooses which version to keep. */
export function ConflictNote({ linkId, onLoad, onKeep }: ConflictNoteProps) {
  const { conflict } = useTexts().links;
  const { api } = useWorkspace();
  const reading = useMutation({ mutationFn: (_use: (current: TaggedLink) => void) => readLink(api, linkId) });
  const read = (use: (current: TaggedLink) => void) => reading.mutate(use, { onSuccess: use });
  return (
    <div role="alert" className="mb-4 grid gap-3 rounded-lg border border-warning/30 bg-warning-soft p-3 text-warning">
      <div className="flex gap-2.5">
        <GitMerge className="mt-0.5 size-4 shrink-0" aria-hidden />
        <div className="grid gap-0.5">
          <p className="font-medium">{conflict.title}</p>
          <p>{conflict.hint}</p>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="small" isBusy={reading.isPending} onClick={() => read(onLoad)}>
          {conflict.loadCurrent}
        </Button>
        <Button size="small" variant="quiet" isBusy={reading.isPending} onClick={() => read(onKeep)}>
          {conflict.overwrite}
        </Button>
      </div>
      <ErrorNote error={reading.error} />
    </div>
  );
}
