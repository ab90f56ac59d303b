import { type FormEvent, useState } from "react";
import { fieldValueOf } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Switch } from "../ui/switch.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { shareChangeOf } from "./share-change.ts";
import { ShareFields, shareFields } from "./share-fields.tsx";
import type { ShareSubject } from "./share-subject.ts";
import { type NewShare, type Share, useShareChange } from "./shares.ts";

type EditProps = { subject: ShareSubject; share: Share; onClose(): void };

/** Edits a share; its URL stays the same. */
export function ShareEdit({ subject, share, onClose }: EditProps) {
  const { share: texts, words } = useTexts();
  const notify = useNotify();
  const [draft, setDraft] = useState<NewShare>({
    name: share.name ?? "",
    password: "",
    expiresAt: share.expiresAt === null ? "" : fieldValueOf(share.expiresAt, "end"),
  });
  const [isLocked, setLocked] = useState(share.hasPassword);
  const change = useShareChange(subject, () => {
    notify({ kind: "done", text: texts.changed });
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ id: share.id, body: shareChangeOf(share, draft, isLocked) });
  };
  return (
    <form onSubmit={submit} className="grid w-full gap-4 py-1">
      {share.hasPassword && <Switch label={texts.askPassword} checked={isLocked} onChange={setLocked} />}
      <ShareFields
        value={draft}
        onChange={setDraft}
        passwordLabel={share.hasPassword ? texts.newPassword : texts.password}
        passwordHint={share.hasPassword ? texts.newPasswordHint : texts.passwordHint}
        isOpenToAll={share.hasPassword && !isLocked}
        error={change.error}
      />
      <ErrorNote error={change.error} shownFields={shareFields} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button type="submit" variant="primary" isBusy={change.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
