import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Switch } from "../ui/switch.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { type SavedView, useSavedViewChange } from "./saved-views.ts";

type SavedViewDialogProps = {
  /** The view to change, or the query of a new one. */
  view: SavedView | { query: string };
  onClose(): void;
};

/** Names a view and shares it. */
export function SavedViewDialog({ view, onClose }: SavedViewDialogProps) {
  const { links, words } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const notify = useNotify();
  const stored = "id" in view ? view : undefined;
  const [name, setName] = useState(stored?.name ?? "");
  const [shared, setShared] = useState(stored?.shared ?? false);
  const save = useSavedViewChange(
    (api, body: { name: string; shared: boolean }) =>
      stored === undefined
        ? answerOf(api.POST("/saved-views", { body: { ...body, query: view.query } }))
        : answerOf(api.PATCH("/saved-views/{id}", { params: { path: { id: stored.id } }, body })),
    () => {
      onClose();
      notify({ kind: "done", text: stored === undefined ? links.views.saved : links.views.replaced });
    },
  );
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={stored === undefined ? links.views.saveTitle : links.views.editTitle}
      about={stored === undefined && links.views.about}
      action={stored === undefined ? links.views.save : words.save}
      onSubmit={() => save.mutate({ name, shared })}
      isBusy={save.isPending}
      error={save.error}
      shownFields={["name"]}
    >
      <Field label={links.views.name} fieldError={fieldErrorOf(save.error, "name")}>
        <Input required maxLength={nameCharactersMax} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Switch label={links.views.share} hint={links.views.shareHint} checked={shared} onChange={setShared} />
    </FormDialog>
  );
}
