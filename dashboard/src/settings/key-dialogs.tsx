import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { dayMs, hourMs, weekMs } from "../base/time.ts";
import { useTexts } from "../texts/texts.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { ShownKey } from "./shown-key.tsx";
import { type ApiKey, apiKeysKey } from "./workspace-queries.ts";

type KeyDialogProps = { apiKey: ApiKey; onClose(): void };

/** TABLE of when the old key of a rotation ends. */
const rotations = { hour: hourMs, day: dayMs, week: weekMs, now: 0 } as const;
type Rotation = keyof typeof rotations;
const rotationNames = ["hour", "day", "week", "now"] as const satisfies readonly Rotation[];

/** Renames a key; its permissions stay. */
export function RenameKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const fieldErrorOf = useFieldErrorOf();
  const { settings } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const renaming = useMutation({
    mutationFn: () => answerOf(api.PATCH("/api-keys/{id}", { params: { path: { id: apiKey.id } }, body: { name } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: apiKeysKey(id) });
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={settings.keyRenameTitle}
      action={settings.rename}
      onSubmit={() => renaming.mutate()}
      isBusy={renaming.isPending}
      error={renaming.error}
      shownFields={["name"]}
    >
      <Field label={settings.keyName} fieldError={fieldErrorOf(renaming.error, "name")}>
        <Input required maxLength={nameCharactersMax} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

/** Revokes a key for good after a confirmation. */
export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const { settings } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const revocation = useMutation({
    mutationFn: () => answerOf(api.DELETE("/api-keys/{id}", { params: { path: { id: apiKey.id } } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: apiKeysKey(id) });
      notify({ kind: "done", text: settings.keyRevoked(apiKey.name) });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={settings.revokeKeyTitle(apiKey.name)}
      action={settings.revoke}
      onConfirm={() => revocation.mutate()}
      isBusy={revocation.isPending}
      error={revocation.error}
    >
      <p>{apiKey.allWorkspaces ? settings.revokeKeyEverywhereText : settings.revokeKeyText}</p>
    </ConfirmDialog>
  );
}

/** Creates a new key, then ends the old one. */
export function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const { settings } = useTexts();
  const [when, setWhen] = useState<Rotation>("day");
  const { creation, retirement } = useRotation(apiKey, when);
  const newKey = creation.data;
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={newKey ? settings.keyReady : settings.rotateTitle(apiKey.name)}
      about={newKey ? settings.keyReadyHint : settings.rotateAbout}
      className="max-w-lg"
      action={settings.rotate}
      onSubmit={() => creation.mutate()}
      isBusy={creation.isPending || retirement.isPending}
      error={creation.error}
      result={
        newKey && {
          secret: { text: newKey.key, copyLabel: settings.copyKey },
          content: (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
              {retirement.isError && (
                <div className="grid gap-1.5">
                  <p>{settings.rotateOldStays}</p>
                  <ErrorNote error={retirement.error} onRetry={() => retirement.mutate()} />
                </div>
              )}
              <ShownKey apiKey={newKey.key} scopes={newKey.scopes} />
            </div>
          ),
        }
      }
    >
      <Field label={settings.rotateOldEnds}>
        <Select
          value={when}
          onChange={(event) => setWhen(rotationNames.find((name) => name === event.target.value) ?? when)}
        >
          {rotationNames.map((name) => (
            <option key={name} value={name}>
              {settings.rotateChoices[name]}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}

/**
 * The new key keeps the old one's end. The calls are separate because the new key is returned only once: it is shown
 * even if ending the old one fails.
 */
function useRotation({ id: oldId, name, scopes, expiresAt, allWorkspaces }: ApiKey, when: Rotation) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: apiKeysKey(id) });
  const retirement = useMutation({
    async mutationFn() {
      const params = { path: { id: oldId } };
      const end = Date.now() + rotations[when];
      if (when === "now") await answerOf(api.DELETE("/api-keys/{id}", { params }));
      else if (expiresAt === null || end < Date.parse(expiresAt)) {
        await answerOf(api.PATCH("/api-keys/{id}", { params, body: { expiresAt: new Date(end).toISOString() } }));
      }
    },
    onSettled: readAgain,
  });
  const creation = useMutation({
    mutationFn: () => answerOf(api.POST("/api-keys", { body: { name, scopes, expiresAt, allWorkspaces } })),
    onSuccess: () => retirement.mutate(),
  });
  return { creation, retirement };
}
