import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { type UtmTemplate, utmTemplatesKey } from "../api/utm-templates.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { utmNames } from "../base/utm-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

const examples = {
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "spring-sale",
  utm_term: "",
  utm_content: "",
} as const;

type UtmDialogProps = {
  /** The template to edit; absent for a new one. */
  template?: UtmTemplate;
  onClose(): void;
};

/** Creates or edits a UTM template. */
export function UtmDialog({ template, onClose }: UtmDialogProps) {
  const fieldErrorOf = useFieldErrorOf();
  const { settings, words } = useTexts();
  const [name, setName] = useState(template?.name ?? "");
  const [values, setValues] = useState(() =>
    Object.fromEntries(utmNames.map((each) => [each, template?.[each] ?? ""])),
  );
  const saving = useSaving(template, { name, ...values }, onClose);
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={template ? settings.utmEdit : settings.utmAdd}
      action={template ? words.save : words.create}
      onSubmit={() => saving.mutate()}
      isBusy={saving.isPending}
      error={saving.error}
      shownFields={["name", ...utmNames]}
    >
      <Field label={settings.utmName} fieldError={fieldErrorOf(saving.error, "name")}>
        <Input required maxLength={nameCharactersMax} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      {utmNames.map((each) => (
        <Field
          key={each}
          label={settings.utmNames[each]}
          aside={<code className="font-mono text-xs text-faint">{each}</code>}
          fieldError={fieldErrorOf(saving.error, each)}
        >
          <Input
            placeholder={examples[each]}
            autoCapitalize="none"
            spellCheck={false}
            value={values[each] ?? ""}
            onChange={(event) => setValues({ ...values, [each]: event.target.value })}
          />
        </Field>
      ))}
    </FormDialog>
  );
}

function useSaving(template: UtmTemplate | undefined, body: { name: string }, onSaved: () => void) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      template === undefined
        ? answerOf(api.POST("/utm-templates", { body }))
        : answerOf(api.PATCH("/utm-templates/{id}", { params: { path: { id: template.id } }, body })),
    async onSuccess() {
      onSaved();
      await queries.invalidateQueries({ queryKey: utmTemplatesKey(id) });
    },
  });
}
