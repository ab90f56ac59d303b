import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Switch } from "../ui/switch.tsx";
import { beginsWithWww, domainIn } from "./domain-name.ts";
import { domainsKey } from "./domain-queries.ts";

/** A dialog that adds a domain, and then shows the DNS records to create. */
export function AddDomainDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { domains } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [slug, setSlug] = useState("");
  // Kept after "www." was removed, to say that nothing is lost.
  const [hasWww, setHasWww] = useState(false);
  const [caseSensitive, setCaseSensitive] = useState(false);
  const addition = useMutation({
    mutationFn: () => answerOf(api.POST("/domains", { body: { slug: domainIn(slug), caseSensitive } })),
    async onSuccess(added) {
      await queries.invalidateQueries({ queryKey: domainsKey(id) });
      await navigate({
        to: "/w/$workspaceId/domains/$slug",
        params: { workspaceId: String(id), slug: added.slug },
      });
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={domains.addTitle}
      about={domains.addHint}
      action={domains.add}
      onSubmit={() => addition.mutate()}
      isBusy={addition.isPending}
      error={addition.error}
      shownFields={["slug"]}
    >
      <Field
        label={domains.slug}
        hint={hasWww && domains.coversWww(`www.${domainIn(slug)}`)}
        fieldError={fieldErrorOf(addition.error, "slug")}
      >
        <Input
          required
          value={slug}
          placeholder="go.example.com"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          onChange={({ target: { value } }) => {
            setSlug(value);
            setHasWww(beginsWithWww(value));
          }}
          onBlur={() => setSlug(domainIn)}
        />
      </Field>
      <Switch
        label={domains.caseSensitive}
        hint={domains.caseSensitiveHint}
        checked={caseSensitive}
        onChange={setCaseSensitive}
      />
    </FormDialog>
  );
}
