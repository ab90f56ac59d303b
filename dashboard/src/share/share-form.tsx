import { CircleCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ShareFields, shareFields } from "./share-fields.tsx";
import type { ShareSubject } from "./share-subject.ts";
import { type NewShare, type Share, shareUrl, useNewShare, useShares } from "./shares.ts";

const empty: NewShare = { name: "", password: "", expiresAt: "" };

/** Creates a share, with an optional password and end, and then offers its link to copy. */
export function ShareForm({ subject }: { subject: ShareSubject }) {
  const { share } = useTexts();
  const [draft, setDraft] = useState(empty);
  const creation = useNewShare(subject, () => setDraft(empty));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate(draft);
  };
  // Without the row of the new share, it was revoked.
  const created = useShares(subject).data?.find(({ id }) => id === creation.data?.id);
  if (created !== undefined) return <NewShareLink share={created} onAnother={creation.reset} />;
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

function NewShareLink({ share: created, onAnother }: { share: Share; onAnother(): void }) {
  const { share } = useTexts();
  const url = shareUrl(created);
  return (
    <section aria-label={share.created} className="grid grid-cols-1 gap-3">
      <div role="status">
        <h3 className="flex items-center gap-2 font-medium">
          <CircleCheck className="size-4 text-success" aria-hidden />
          {share.created}
        </h3>
      </div>
      <Code text={url} label={share.link} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onAnother}>{share.another}</Button>
        <CopyButton text={url} label={share.copy} variant="primary" autoFocus />
      </div>
    </section>
  );
}
