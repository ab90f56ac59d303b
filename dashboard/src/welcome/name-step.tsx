import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace, workspacesKey } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { StepCard } from "./step-card.tsx";

const nameCharactersMax = 190;

/** Asks for the workspace's name. */
export function NameStep({ onDone }: { onDone(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { welcome, settings } = useTexts();
  const { api, id, name: before } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState(before);
  const renaming = useMutation({
    async mutationFn() {
      if (name.trim() === before) return;
      const params = { path: { workspaceId: id } };
      await answerOf(api.PATCH("/workspaces/{workspaceId}", { params, body: { name } }));
      await queries.invalidateQueries({ queryKey: workspacesKey });
    },
    onSuccess: onDone,
  });
  return (
    <StepCard
      title={welcome.nameTitle}
      about={welcome.nameHint}
      action={welcome.goOn}
      isBusy={renaming.isPending}
      onSubmit={() => renaming.mutate()}
    >
      <Field label={settings.workspaceName} fieldError={fieldErrorOf(renaming.error, "name")} className="max-w-md">
        <Input
          required
          autoFocus
          maxLength={nameCharactersMax}
          autoComplete="organization"
          value={name}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setName(event.target.value)}
          className="h-11 text-base"
        />
      </Field>
      <ErrorNote error={renaming.error} shownFields={["name"]} />
    </StepCard>
  );
}
