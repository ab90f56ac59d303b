import { type FormEvent, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { ShareFields, shareFields } from "./share-fields.tsx";
import type { ShareSubject } from "./share-subject.ts";
import { type NewShare, useNewShare } from "./shares.ts";

const empty: NewShare = { name: "", password: "", expiresAt: "" };

/** Creates a share, with an optional password and end. */
export function ShareForm({ subject }: { subject: ShareSubject }) {
  const { share } = useTexts();
  const notify = useNotify();
  const [draft, setDraft] = useState(empty);
  const creation = useNewShare(subject, () => {
    setDraft(empty);
    notify({ kind: "done", text: share.created });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate(draft);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <ShareFields
        value={draft}
        onChange={setDraft}
        passwordLabel={share.password}
        passwordHint={share.passwordHint}
        error={creation.error}
      />
      <ErrorNote error={creation.error} shownFields={shareFields} />
      <Button type="submit" variant="primary" isBusy={creation.isPending} className="justify-self-end">
        {share.create}
      </Button>
    </form>
  );
}
