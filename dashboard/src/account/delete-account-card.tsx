import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import type { User } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { saveJson } from "../base/save-json.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { ActionRow } from "../ui/form-card.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** Saves the person's data as a file, then deletes their account. */
export function DeleteAccountCard({ user }: { user: User }) {
  const { administration } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card>
      <ActionRow title={administration.deleteOwn} about={administration.deleteOwnAbout}>
        <Button variant="danger" onClick={() => setOpen(true)}>
          {administration.deleteUser}
        </Button>
      </ActionRow>
      {isOpen && <DeleteAccountDialog user={user} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function DeleteAccountDialog({ user, onClose }: { user: User; onClose(): void }) {
  const { administration, settings } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [confirm, setConfirm] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const deletion = useMutation({
    async mutationFn() {
      const exported = await answerOf(waypost.GET("/user/export"));
      await answerOf(
        waypost.POST("/user/deletion", { body: { confirm, ...(user.hasPassword && { currentPassword }) } }),
      );
      saveJson("waypost-account.json", exported);
    },
    async onSuccess() {
      queries.clear();
      await navigate({ to: "/sign-in" });
    },
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={administration.deleteOwn}
      about={administration.deleteOwnText}
      action={administration.deleteUser}
      onSubmit={() => deletion.mutate()}
      isBusy={deletion.isPending}
      error={deletion.error}
      shownFields={["confirm", "currentPassword"]}
    >
      <Field label={administration.confirmEmail} fieldError={fieldErrorOf(deletion.error, "confirm")}>
        <Input required autoComplete="off" value={confirm} onChange={(event) => setConfirm(event.target.value)} />
      </Field>
      {user.hasPassword && (
        <Field label={settings.currentPassword} fieldError={fieldErrorOf(deletion.error, "currentPassword")}>
          <Input
            type="password"
            required
            autoComplete="current-password"
            value={currentPassword}
            onChange={(event) => setCurrentPassword(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}
