import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { StepCard } from "./step-card.tsx";
import type { WelcomeSearch } from "./welcome-search.ts";

/** Creates the first link, then opens the step that shows its clicks. */
export function LinkStep({ onDone }: { onDone(search: WelcomeSearch): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { welcome, words } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const hasOwnKey = key.trim() !== "";
  const creation = useMutation({
    mutationFn: () => answerOf(api.POST("/links", { body: { url, ...(hasOwnKey && { key }) } })),
    async onSuccess(link) {
      await queries.invalidateQueries({ queryKey: [id, "links"] });
      onDone({ link: link.id, ...(hasOwnKey && { hasOwnKey }) });
    },
  });
  return (
    <StepCard
      title={welcome.linkTitle}
      action={welcome.create}
      isBusy={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
    >
      <div className="grid items-start gap-5 sm:grid-cols-[minmax(0,1fr)_14rem]">
        <Field label={welcome.url} fieldError={fieldErrorOf(creation.error, "url")}>
          <Input
            required
            autoFocus
            inputMode="url"
            autoCapitalize="none"
            autoComplete="url"
            spellCheck={false}
            placeholder="https://example.com/spring-sale"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            className="h-11 text-base"
          />
        </Field>
        <Field
          label={welcome.key}
          hint={welcome.keyHint}
          fieldError={fieldErrorOf(creation.error, "key")}
          aside={<span className="text-[13px] text-faint">{words.optional}</span>}
        >
          <Input
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            placeholder="spring"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            className="h-11 text-base"
          />
        </Field>
      </div>
      <ErrorNote error={creation.error} shownFields={["url", "key"]} />
    </StepCard>
  );
}
