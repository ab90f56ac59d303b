import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormCard } from "../ui/form-card.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { useMistakeOf } from "../ui/told.tsx";
import { type User, userKey, useUser } from "./user-queries.ts";

/** The person's name and e-mail. */
export function ProfilePage() {
  const { settings } = useTexts();
  const { data: user, error, refetch } = useUser();
  if (user) return <ProfileForm key={`${user.name} ${user.email}`} user={user} />;
  return (
    <Card title={settings.profile}>
      <div className="grid gap-3 p-5">
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-24" />}
      </div>
    </Card>
  );
}

function ProfileForm({ user }: { user: User }) {
  const mistakeOf = useMistakeOf();
  const { settings } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email ?? "");
  const [currentPassword, setCurrentPassword] = useState("");
  const isOtherEmail = email !== (user.email ?? "");
  const update = useMutation({
    mutationFn: () =>
      answerOf(waypost.PATCH("/user", { body: { name, ...(isOtherEmail && { email, currentPassword }) } })),
    onSuccess(changed) {
      queries.setQueryData(userKey, changed);
      notify({ kind: "done", text: settings.saved });
    },
  });
  return (
    <FormCard
      title={settings.profile}
      onSave={() => update.mutate()}
      isBusy={update.isPending}
      isChanged={name !== user.name || isOtherEmail}
    >
      <Field label={settings.name} mistake={mistakeOf(update.error, "name")}>
        <Input
          required
          maxLength={nameCharactersMax}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field
        label={settings.email}
        hint={user.emailVerified ? settings.emailHint : settings.emailUnverifiedHint}
        mistake={mistakeOf(update.error, "email")}
      >
        <Input
          type="email"
          required
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      {isOtherEmail && (
        <Field
          label={settings.currentPassword}
          hint={settings.currentPasswordHint}
          mistake={mistakeOf(update.error, "currentPassword", "password.current")}
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
