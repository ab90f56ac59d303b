import { answerOf } from "../../../sdk/client.ts";
import { useTexts } from "../texts/texts.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type SavedView, useSavedViewChange } from "./saved-views.ts";

/** Asks before a saved view is deleted. */
export function DeleteViewDialog({ view, onClose }: { view: SavedView; onClose(): void }) {
  const { links, words } = useTexts();
  const deletion = useSavedViewChange(
    (api, id: string) => answerOf(api.DELETE("/saved-views/{id}", { params: { path: { id } } })),
    onClose,
  );
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={links.views.deleteTitle(view.name)}
      action={words.delete}
      onConfirm={() => deletion.mutate(view.id)}
      isBusy={deletion.isPending}
      error={deletion.error}
    >
      <p>{links.views.deleteText[view.shared ? "shared" : "private"]}</p>
    </ConfirmDialog>
  );
}
