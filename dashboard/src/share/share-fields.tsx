import { nameCharactersMax } from "../api/bounds.ts";
import { useTexts } from "../texts/texts.tsx";
import { DateField } from "../ui/date-field.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import type { NewShare } from "./shares.ts";

/** The API's names of the fields that show their own errors. */
export const shareFields = ["name", "password", "expiresAt"] as const;

type FieldsProps = {
  value: NewShare;
  onChange(value: NewShare): void;
  passwordLabel: string;
  passwordHint: string;
  /** Hides the password field. */
  isOpenToAll?: boolean;
  error: unknown;
};

/** The fields of a share: the page's title, a password and an end. */
export function ShareFields({ value, onChange, passwordLabel, passwordHint, isOpenToAll, error }: FieldsProps) {
  const fieldErrorOf = useFieldErrorOf();
  const { share } = useTexts();
  const control = (field: "name" | "password") => ({
    value: value[field],
    onChange: (event: { target: { value: string } }) => onChange({ ...value, [field]: event.target.value }),
  });
  return (
    <>
      <Field label={share.name} aside={<Optional />} hint={share.nameHint} fieldError={fieldErrorOf(error, "name")}>
        <Input maxLength={nameCharactersMax} {...control("name")} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,4fr)_minmax(0,5fr)]">
        {isOpenToAll !== true && (
          <Field
            label={passwordLabel}
            aside={<Optional />}
            hint={passwordHint}
            fieldError={fieldErrorOf(error, "password")}
          >
            <Input type="password" autoComplete="new-password" {...control("password")} />
          </Field>
        )}
        <Field
          label={share.expiresAt}
          aside={<Optional />}
          hint={share.expiresAtHint}
          fieldError={fieldErrorOf(error, "expiresAt")}
        >
          <DateField
            kind="dayOrInstant"
            value={value.expiresAt}
            onChange={(expiresAt) => onChange({ ...value, expiresAt })}
          />
        </Field>
      </div>
    </>
  );
}

function Optional() {
  const { words } = useTexts();
  return <span className="text-xs text-faint">{words.optional}</span>;
}
