import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";

type CodeFormProps = { isBusy: boolean; error: unknown; onSubmit(code: string): void; onCancel(): void };

/** Asks for a one-time code or a recovery code after the password. */
export function CodeForm({ isBusy, error, onSubmit, onCancel }: CodeFormProps) {
  const { security } = useTexts();
  const [code, setCode] = useState("");
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(code);
      }}
    >
      <Field label={security.code} hint={security.codeHint}>
        <Input
          required
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
      <ErrorNote error={error} />
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {security.verify}
      </Button>
      <button type="button" className="justify-self-center text-accent hover:underline" onClick={onCancel}>
        {security.otherAccount}
      </button>
    </form>
  );
}
