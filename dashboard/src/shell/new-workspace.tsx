import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { waypost } from "../api/waypost.ts";
import { workspacesKey } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** A dialog that creates a workspace and opens it. */
export function NewWorkspaceDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { shell, words, settings } = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const creation = useMutation({
    mutationFn: () => answerOf(waypost.POST("/workspaces", { body: { name } })),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: workspacesKey });
      setName("");
      onClose();
      await navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) } });
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={shell.newWorkspace}
      action={words.create}
      onSubmit={() => creation.mutate()}
      isBusy={creation.isPending}
      error={creation.error}
      shownFields={["name"]}
    >
      <Field label={settings.workspaceName} fieldError={fieldErrorOf(creation.error, "name")}>
        <Input required maxLength={nameCharactersMax} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

/** A button that opens the dialog for a new workspace. */
export function NewWorkspaceButton() {
  const { shell } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {shell.newWorkspace}
      </Button>
      <NewWorkspaceDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
