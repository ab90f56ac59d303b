import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { sessionsKey, useUser } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { IdentitiesCard } from "./identities-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

const passwordCharacters = { min: 10, max: 200 };

/** The person's password, identity providers, second factor and sessions. */
export function SecurityPage() {
  return (
    <>
      {signInMethods().hasPasswords && <PasswordCard />}
      <PasskeysCard />
      <IdentitiesCard />
      <TwoFactorCard />
      <SessionsCard />
    </>
  );
}

const blank = { current: "", new: "" };

function PasswordCard() {
  const fieldErrorOf = useFieldErrorOf();
  const { settings } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const { data: user } = useUser();
  const [password, setPassword] = useState(blank);
  const update = useMutation({
    mutationFn: () => answerOf(waypost.PATCH("/user", { body: { password } })),
    async onSuccess() {
      setPassword(blank);
      notify({ kind: "done", text: settings.passwordChanged });
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  return (
    <FormCard
      title={settings.password}
      about={settings.passwordAbout}
      onSave={() => update.mutate()}
      isBusy={update.isPending}
      isChanged={password.current !== "" && password.new !== ""}
      action={settings.changePassword}
    >
      {/* Password managers look for the account's name. */}
      <input type="email" autoComplete="username" value={user?.email ?? ""} readOnly hidden />
      <Field
        label={settings.currentPassword}
        fieldError={fieldErrorOf(update.error, "password.current", "currentPassword")}
        className="max-w-sm"
      >
        <Input
          type="password"
          autoComplete="current-password"
          value={password.current}
          onChange={(event) => setPassword({ ...password, current: event.target.value })}
        />
      </Field>
      <Field
        label={settings.newPassword}
        hint={settings.newPasswordHint(passwordCharacters.min)}
        fieldError={fieldErrorOf(update.error, "password.new", "password")}
        className="max-w-sm"
      >
        <Input
          type="password"
          autoComplete="new-password"
          minLength={passwordCharacters.min}
          maxLength={passwordCharacters.max}
          value={password.new}
          onChange={(event) => setPassword({ ...password, new: event.target.value })}
        />
      </Field>
      <ErrorNote
        error={update.error}
        shownFields={["password.current", "currentPassword", "password.new", "password"]}
      />
    </FormCard>
  );
}
