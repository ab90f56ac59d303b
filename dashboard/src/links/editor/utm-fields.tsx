import { useMutation, useQueryClient } from "@tanstack/react-query";
import { BookmarkPlus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { nameCharactersMax } from "../../api/bounds.ts";
import { useUtmTemplates, utmTemplatesKey } from "../../api/utm-templates.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { type UtmName, utmNames } from "../../base/utm-names.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Input, Select, UnlessReadOnly } from "../../ui/field.tsx";
import { utmCharactersMax } from "../bounds.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { readUtm, writeUtmEverywhere } from "./utm.ts";

const examples: Record<UtmName, string> = {
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "spring-sale",
  utm_term: "running shoes",
  utm_content: "header",
};

/** Edits the UTM parameters, which are part of the destination URL and of every variant of a test. */
export function UtmFields() {
  const { utm } = useTexts().links;
  const { draft, set } = useEditor();
  const values = readUtm(draft.url);
  const given = utmNames.map((field) => values[field]).filter((value) => value !== "");
  return (
    <>
      <p className="text-[13px] text-muted">{utm.about}</p>
      <UnlessReadOnly>
        <Templates isEmpty={given.length === 0} />
      </UnlessReadOnly>
      <div className="grid gap-4 sm:grid-cols-2">
        {utmNames.map((field) => (
          <UtmInput key={field} field={field} value={values[field]} />
        ))}
      </div>
      {given.length > 0 && (
        <div>
          <UnlessReadOnly>
            <Button
              size="small"
              variant="quiet"
              className="-ml-2.5"
              onClick={() => set(writeUtmEverywhere(draft, Object.fromEntries(utmNames.map((field) => [field, ""]))))}
            >
              {utm.removeAll}
            </Button>
          </UnlessReadOnly>
        </div>
      )}
    </>
  );
}

function UtmInput({ field, value }: { field: UtmName; value: string }) {
  const { utm } = useTexts().links;
  const { draft, set } = useEditor();
  const fieldError = useFieldError(field);
  const [text, setText] = useState(value);
  // The URL has no trailing spaces, but they must not disappear while the person types.
  const shown = text.trim() === value ? text : value;
  return (
    <Field label={utm.fields[field]} fieldError={fieldError}>
      <Input
        autoComplete="off"
        dir="auto"
        maxLength={utmCharactersMax}
        placeholder={examples[field]}
        value={shown}
        onChange={(event) => {
          setText(event.target.value);
          set(writeUtmEverywhere(draft, { [field]: event.target.value.trim() }));
        }}
      />
    </Field>
  );
}

/** Fills in the parameters from a template, and saves them as one. */
function Templates({ isEmpty }: { isEmpty: boolean }) {
  const { links, words } = useTexts();
  const { id, api } = useWorkspace();
  const { draft, set } = useEditor();
  const queries = useQueryClient();
  const [name, setName] = useState<string>();
  const { data: templates = [], error } = useUtmTemplates();
  const creation = useMutation({
    mutationFn: (title: string) =>
      answerOf(api.POST("/utm-templates", { body: { name: title, ...readUtm(draft.url) } })),
    async onSuccess() {
      setName(undefined);
      await queries.invalidateQueries({ queryKey: utmTemplatesKey(id) });
    },
  });
  const { utm } = links;
  const keep = (title: string) => {
    if (title.trim() !== "" && !creation.isPending) creation.mutate(title);
  };
  const apply = (templateId: string) => {
    const template = templates.find((each) => each.id === templateId);
    if (template === undefined) return;
    const values = utmNames.flatMap((field) => (template[field] === null ? [] : [[field, template[field]]]));
    set(writeUtmEverywhere(draft, Object.fromEntries(values)));
  };
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <Field label={utm.template} className="min-w-44 grow basis-0">
          <Select value="" disabled={templates.length === 0} onChange={(event) => apply(event.target.value)}>
            <option value="">{templates.length === 0 ? utm.noTemplates : utm.chooseTemplate}</option>
            {templates.map((template) => (
              <option key={template.id} value={template.id}>
                {template.name}
              </option>
            ))}
          </Select>
        </Field>
        {name === undefined && (
          <Button disabled={isEmpty} onClick={() => setName("")}>
            <BookmarkPlus />
            {utm.saveTemplate}
          </Button>
        )}
      </div>
      {name !== undefined && (
        <div className="flex items-end gap-2">
          <Field label={utm.templateName} className="grow">
            <Input
              autoFocus
              dir="auto"
              value={name}
              maxLength={nameCharactersMax}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                // The field is inside the link's form, which must not be submitted.
                event.preventDefault();
                event.stopPropagation();
                keep(name);
              }}
            />
          </Field>
          <Button disabled={name.trim() === ""} isBusy={creation.isPending} onClick={() => keep(name)}>
            {words.add}
          </Button>
          <Button variant="quiet" onClick={() => setName(undefined)}>
            {words.cancel}
          </Button>
        </div>
      )}
      <ErrorNote error={creation.error ?? error} />
    </div>
  );
}
