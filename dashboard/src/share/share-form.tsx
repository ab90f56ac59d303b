import { type FormEvent, useState } from "react";
import { nameCharactersMax } from "../api/bounds.ts";
import { mistakeOf } from "../api/problem.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import { useNotify } from "../ui/toasts.tsx";
import type { ShareSubject } from "./share-subject.ts";
import { type NewShare, useNewShare } from "./shares.ts";

const empty: NewShare = { name: "", password: "", expiresAt: "" };
const fields = ["name", "password", "expiresAt"] as const;

/** Makes an address, with a password and an end if wanted. */
export function ShareForm({ subject }: { subject: ShareSubject }) {
  const { share, words } = useTexts();
  const notify = useNotify();
  const [wanted, setWanted] = useState(empty);
  const creation = useNewShare(subject, () => {
    setWanted(empty);
    notify({ kind: "done", text: share.created });
  });
  const control = (field: keyof NewShare) => ({
    value: wanted[field],
    onChange: (event: { target: { value: string } }) => setWanted({ ...wanted, [field]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate(wanted);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={share.name}
        aside={<Optional text={words.optional} />}
        hint={share.nameHint}
        mistake={mistakeOf(creation.error, "name")}
      >
        <Input maxLength={nameCharactersMax} {...control("name")} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          className="content-start"
          label={share.password}
          aside={<Optional text={words.optional} />}
          hint={share.passwordHint}
          mistake={mistakeOf(creation.error, "password")}
        >
          <Input type="password" autoComplete="new-password" {...control("password")} />
        </Field>
        <Field
          className="content-start"
          label={share.expiresAt}
          aside={<Optional text={words.optional} />}
          hint={share.expiresAtHint}
          mistake={mistakeOf(creation.error, "expiresAt")}
        >
          <Input type="datetime-local" {...control("expiresAt")} />
        </Field>
      </div>
      <ErrorNote error={creation.error} shownFields={fields} />
      <Button type="submit" look="primary" isBusy={creation.isPending} className="justify-self-end">
        {share.create}
      </Button>
    </form>
  );
}

function Optional({ text }: { text: string }) {
  return <span className="text-xs text-faint">{text}</span>;
}
