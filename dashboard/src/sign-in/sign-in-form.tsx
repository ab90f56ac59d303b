import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";

type SignInFormProps = {
  email: string;
  onEmail(email: string): void;
  /** True if the browser may offer passkeys in the autofill of the e-mail field. */
  offersPasskeys?: boolean;
  /** Fields below the e-mail address. */
  children?: ReactNode;
  action: string;
  onSubmit(): void;
  isBusy: boolean;
  error: unknown;
};

/** A form for people who are not signed in. The e-mail field comes first, for password managers. */
export function SignInForm({
  email,
  onEmail,
  offersPasskeys = false,
  children,
  action,
  onSubmit,
  isBusy,
  error,
}: SignInFormProps) {
  const { shell } = useTexts();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <Field label={shell.email}>
        <Input
          type="email"
          autoComplete={offersPasskeys ? "username webauthn" : "username"}
          required
          autoFocus
          value={email}
          onChange={(event) => onEmail(event.target.value)}
        />
      </Field>
      {children}
      <ErrorNote error={error} />
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {action}
      </Button>
    </form>
  );
}
