import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import type { User } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { ExportFirstDialog } from "../ui/export-first-dialog.tsx";
import { Field, Input } from "../ui/field.tsx";
import { ActionRow } from "../ui/form-card.tsx";
import { CurrentPassword } from "./current-password.tsx";

/** Deletes the person's account, after their data was saved to a file. */
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
  const { administration } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [confirm, setConfirm] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const deletion = useMutation({
    mutationFn: () =>
      answerOf(waypost.POST("/user/deletion", { body: { confirm, ...(user.hasPassword && { currentPassword }) } })),
    async onSuccess() {
      queries.clear();
      await navigate({ to: "/sign-in" });
    },
  });
  return (
    <ExportFirstDialog
      onClose={onClose}
      title={administration.deleteOwn}
      about={administration.deleteText}
      file="waypost-account.json"
      read={() => answerOf(waypost.GET("/user/export"))}
      action={administration.deleteUser}
      onDelete={() => deletion.mutate()}
      isBusy={deletion.isPending}
      error={deletion.error}
      shownFields={["confirm", "currentPassword"]}
    >
      <Field label={administration.confirmEmail} fieldError={fieldErrorOf(deletion.error, "confirm")}>
        <Input
          required
          autoFocus
          autoComplete="off"
          value={confirm}
          onChange={(event) => setConfirm(event.target.value)}
        />
      </Field>
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={deletion.error} />
    </ExportFirstDialog>
  );
}
