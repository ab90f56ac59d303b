import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { createPasskey, PasskeyError } from "../api/passkeys.ts";
import { type Passkey, passkeysKey, useSessions } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { sessionLabel } from "../texts/session-label.ts";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { PasskeyNote } from "../ui/passkey-note.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { CurrentPassword } from "./current-password.tsx";

const nameCharactersMax = 100;

/** Adds a passkey: its name and the password, then the browser's dialog. */
export function AddPasskeyDialog({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const { passkeys } = texts;
  const notify = useNotify();
  const queries = useQueryClient();
  const { data: sessions } = useSessions();
  const suggestion = sessionLabel(sessions?.find(({ isCurrent }) => isCurrent)?.label ?? "", texts);
  const [typed, setTyped] = useState<string>();
  const [currentPassword, setCurrentPassword] = useState("");
  const name = typed ?? suggestion;
  const add = useMutation({
    async mutationFn() {
      const options = await answerOf(waypost.POST("/user/passkeys/options", { body: { currentPassword } }));
      const response = await createPasskey(options);
      return await answerOf(waypost.POST("/user/passkeys", { body: { name, ...response } }));
    },
    onSuccess() {
      onClose();
      notify({ kind: "done", text: passkeys.addedDone(name) });
      // Workspaces that require two factors are open now.
      return queries.invalidateQueries();
    },
  });
  const ofBrowser = add.error instanceof PasskeyError;
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={passkeys.addTitle}
      action={passkeys.next}
      onSubmit={() => add.mutate()}
      isBusy={add.isPending}
      error={ofBrowser ? null : add.error}
      shownFields={["currentPassword", "name"]}
    >
      <p className="text-muted">{passkeys.addText}</p>
      <NameField value={name} onChange={setTyped} error={add.error} />
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={add.error} />
      {ofBrowser && <PasskeyNote error={add.error} />}
    </FormDialog>
  );
}

/** Renames a passkey. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { passkeys } = useTexts();
  const queries = useQueryClient();
  const [name, setName] = useState(passkey.name);
  const rename = useMutation({
    mutationFn: () =>
      answerOf(waypost.PATCH("/user/passkeys/{id}", { params: { path: { id: passkey.id } }, body: { name } })),
    onSuccess() {
      onClose();
      return queries.invalidateQueries({ queryKey: passkeysKey });
    },
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={passkeys.renameTitle}
      action={passkeys.rename}
      onSubmit={() => rename.mutate()}
      isBusy={rename.isPending}
      error={rename.error}
      shownFields={["name"]}
    >
      <NameField value={name} onChange={setName} error={rename.error} />
    </FormDialog>
  );
}

/** Removes a passkey, after the password. */
export function RemovePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { passkeys } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const remove = useMutation({
    mutationFn: () =>
      answerOf(
        waypost.POST("/user/passkeys/{id}/removal", {
          params: { path: { id: passkey.id } },
          body: { currentPassword },
        }),
      ),
    onSuccess() {
      onClose();
      notify({ kind: "done", text: passkeys.removed(passkey.name) });
      // Workspaces that require two factors may be closed now.
      return queries.invalidateQueries();
    },
  });
  return (
    <FormDialog
      isOpen
      isDangerous
      onClose={onClose}
      title={passkeys.removeTitle(passkey.name)}
      action={passkeys.remove}
      onSubmit={() => remove.mutate()}
      isBusy={remove.isPending}
      error={remove.error}
      shownFields={["currentPassword"]}
    >
      <p className="text-muted">{passkeys.removeText}</p>
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={remove.error} />
    </FormDialog>
  );
}

function NameField({ value, onChange, error }: { value: string; onChange(name: string): void; error: unknown }) {
  const { passkeys } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  return (
    <Field label={passkeys.name} hint={passkeys.nameHint} fieldError={fieldErrorOf(error, "name")}>
      <Input
        required
        autoComplete="off"
        maxLength={nameCharactersMax}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
