import { nameCharactersMax } from "../api/bounds.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { localPath } from "../base/url-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { avatarBounds, ImagePicker } from "../ui/image-picker.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { LeaveCard } from "./leave-card.tsx";
import { RetentionCard } from "./retention-card.tsx";
import { TwoFactorRequirementCard } from "./two-factor-requirement-card.tsx";
import { UsageCard } from "./usage-card.tsx";
import { useAvatarUpdate, useWorkspaceUpdate } from "./workspace-queries.ts";

/** The workspace's general settings: name, picture, retention of clicks, two-factor authentication, leaving and deleting. */
export function WorkspacePage() {
  const { settings } = useTexts();
  const { canWrite } = useWorkspace();
  return (
    <>
      {!canWrite && <ReadOnlyNote>{settings.viewersOnlyRead}</ReadOnlyNote>}
      <NameCard />
      <PictureCard />
      <UsageCard />
      <RetentionCard />
      <TwoFactorRequirementCard />
      <LeaveCard />
    </>
  );
}

function NameCard() {
  const fieldErrorOf = useFieldErrorOf();
  const { settings } = useTexts();
  const { name, canWrite } = useWorkspace();
  const draft = useDraft({ name });
  const update = useWorkspaceUpdate();
  return (
    <FormCard
      title={settings.workspace}
      onSave={() => update.mutate(draft.values, { onSuccess: draft.clear })}
      isBusy={update.isPending}
      isChanged={draft.isChanged && draft.values.name.trim() !== ""}
      disabled={!canWrite}
    >
      <Field label={settings.workspaceName} fieldError={fieldErrorOf(update.error, "name")}>
        <Input
          required
          maxLength={nameCharactersMax}
          value={draft.values.name}
          onChange={(event) => draft.edit({ name: event.target.value })}
        />
      </Field>
      <ErrorNote error={update.error} shownFields={["name"]} />
    </FormCard>
  );
}

function PictureCard() {
  const { settings } = useTexts();
  const { avatar_url, canWrite } = useWorkspace();
  const update = useAvatarUpdate();
  // The generated picture is an SVG and cannot be removed.
  const isUploaded = !avatar_url.endsWith(".svg");
  return (
    <Card>
      <div className="grid gap-4 p-4 sm:p-5">
        <ImagePicker
          label={settings.picture}
          hint={settings.pictureHint}
          preview={
            <img
              src={localPath(avatar_url)}
              alt=""
              className="size-16 shrink-0 rounded-xl border border-line object-cover"
            />
          }
          bounds={avatarBounds}
          isBusy={update.isPending}
          disabled={!canWrite}
          onPick={(image) => update.mutate(image)}
          onRemove={isUploaded ? () => update.mutate(null) : undefined}
        />
        <ErrorNote error={update.error} />
      </div>
    </Card>
  );
}
