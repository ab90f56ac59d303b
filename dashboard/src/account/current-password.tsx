import { useUser } from "../api/user.ts";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";

/** The field for the password, which people without one do not have. */
export function CurrentPassword(field: { value: string; onChange(value: string): void; error: unknown }) {
  const { security } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const { data: user } = useUser();
  if (user?.hasPassword === false) return null;
  return (
    <>
      {/* Password managers look for the account's name. */}
      <input type="email" autoComplete="username" value={user?.email ?? ""} readOnly hidden />
      <Field label={security.currentPassword} fieldError={fieldErrorOf(field.error, "currentPassword")}>
        <Input
          type="password"
          required
          autoComplete="current-password"
          value={field.value}
          onChange={(event) => field.onChange(event.target.value)}
        />
      </Field>
    </>
  );
}
