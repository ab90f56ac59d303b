import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { type User, userKey, useUser } from "../api/user.ts";
import { warningCodes } from "../api/warnings.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { AvatarCard } from "./avatar-card.tsx";
import { DeleteAccountCard } from "./delete-account-card.tsx";

/** The person's name, e-mail address and picture. */
export function ProfilePage() {
  const { settings } = useTexts();
  const { data: user, error, refetch } = useUser();
  if (user) {
    return (
      <>
        <ProfileForm user={user} />
        <AvatarCard user={user} />
        <DeleteAccountCard user={user} />
      </>
    );
  }
  return (
    <Card title={settings.profile}>
      <div className="grid gap-3 p-5">
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-24" />}
      </div>
    </Card>
  );
}

function ProfileForm({ user }: { user: User }) {
  const fieldErrorOf = useFieldErrorOf();
  const { settings } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const draft = useDraft({ name: user.name, email: user.email ?? "" });
  const { name, email } = draft.values;
  const [currentPassword, setCurrentPassword] = useState("");
  const isEmailChanged = email !== (user.email ?? "");
  const update = useMutation({
    async mutationFn() {
      const sent = waypost.PATCH("/user", { body: { name, ...(isEmailChanged && { email, currentPassword }) } });
      return { updatedUser: await answerOf(sent), warnings: warningCodes((await sent).response) };
    },
    onSuccess({ updatedUser, warnings }) {
      queries.setQueryData(userKey, updatedUser);
      setCurrentPassword("");
      const isLinkMailed = !warnings.includes("link_not_mailed");
      const address = updatedUser.email ?? "";
      const linkText = isLinkMailed
        ? settings.emailLinkSent(address)
        : settings.emailLinkNotSent(address, updatedUser.isAdministrator);
      notify({
        kind: "done",
        text: isEmailChanged
          ? `${settings.saved}
${linkText}`
          : settings.saved,
      });
    },
  });
  return (
    <FormCard
      title={settings.profile}
      onSave={() => update.mutate(undefined, { onSuccess: draft.clear })}
      isBusy={update.isPending}
      isChanged={draft.isChanged}
    >
      <Field label={settings.name} fieldError={fieldErrorOf(update.error, "name")}>
        <Input
          required
          maxLength={nameCharactersMax}
          autoComplete="name"
          value={name}
          onChange={(event) => draft.edit({ name: event.target.value })}
        />
      </Field>
      <Field
        label={settings.email}
        hint={
          user.emailVerified || user.email === null
            ? settings.emailHint
            : settings.emailUnverifiedHint(user.email, user.isAdministrator)
        }
        fieldError={fieldErrorOf(update.error, "email")}
      >
        <Input
          type="email"
          required
          autoComplete="email"
          value={email}
          onChange={(event) => draft.edit({ email: event.target.value })}
        />
      </Field>
      {user.email !== null && !user.emailVerified && <SendVerificationLink email={user.email} />}
      {isEmailChanged && (
        <Field
          label={settings.currentPassword}
          hint={settings.currentPasswordHint}
          fieldError={fieldErrorOf(update.error, "currentPassword", "password.current")}
        >
          <Input
            type="password"
            required
            autoComplete="current-password"
            value={currentPassword}
            onChange={(event) => setCurrentPassword(event.target.value)}
          />
        </Field>
      )}
      <ErrorNote error={update.error} shownFields={["name", "email", "currentPassword", "password.current"]} />
    </FormCard>
  );
}

/** A button that mails another link for verifying the e-mail address. */
function SendVerificationLink({ email }: { email: string }) {
  const { settings } = useTexts();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const send = useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/verification-mail")),
    onSuccess: () => notify({ kind: "done", text: settings.emailLinkSent(email) }),
    onError: notifyFailure,
  });
  return (
    <div>
      <Button isBusy={send.isPending} onClick={() => send.mutate()}>
        {settings.sendEmailLink}
      </Button>
    </div>
  );
}
