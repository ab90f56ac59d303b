import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../../base/class-names.ts";
import { useTexts } from "../../texts/texts.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { Switch } from "../../ui/switch.tsx";
import {
  type CustomControlName,
  type DraftFieldName,
  type DraftFieldOf,
  draftFields,
  edgeOf,
  isOfKind,
  type LinkField,
  linkFields,
  type TableSection,
} from "../link-fields.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";

type FieldProps<Name> = { name: Name };

/** A single-line text field of the form. */
function TextField({ name }: FieldProps<DraftFieldOf<"text" | "url" | "number">>) {
  const { links } = useTexts();
  const { draft, set } = useEditor();
  const field: LinkField = linkFields[name];
  return (
    <Field label={field.label(links)} hint={field.hint?.(links)} fieldError={useFieldError(name)}>
      <Input
        {...inputAttributes(field)}
        autoComplete="off"
        value={draft[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  );
}

/** The attributes of the input of a field's kind. */
function inputAttributes(field: LinkField): ComponentProps<"input"> {
  switch (field.kind) {
    case "number":
      return { type: "number", inputMode: "numeric", min: 1, step: 1, spellCheck: false };
    case "url":
      // The API alone validates the text: it accepts URLs without a scheme.
      return { inputMode: "url", spellCheck: false, placeholder: field.placeholder };
    case "text":
      return { maxLength: field.charactersMax, spellCheck: true, dir: "auto" };
    default:
      return {};
  }
}

function LongTextField({ name, rows }: FieldProps<DraftFieldOf<"text">> & { rows: number }) {
  const { links } = useTexts();
  const { draft, set } = useEditor();
  const field: LinkField & { kind: "text" } = linkFields[name];
  return (
    <Field label={field.label(links)} hint={field.hint?.(links)} fieldError={useFieldError(name)}>
      <TextArea
        rows={rows}
        dir="auto"
        maxLength={field.charactersMax}
        value={draft[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  );
}

/** A field of the form for an instant. */
export function InstantField({ name }: FieldProps<DraftFieldOf<"instant">>) {
  const { links } = useTexts();
  const { draft, set } = useEditor();
  const field: LinkField = linkFields[name];
  return (
    <Field label={field.label(links)} hint={field.hint?.(links)} fieldError={useFieldError(name)}>
      <DateField
        kind="dayOrInstant"
        edge={edgeOf(name)}
        value={draft[name]}
        onChange={(instant) => set({ [name]: instant })}
      />
    </Field>
  );
}

function FlagField({ name }: FieldProps<DraftFieldOf<"flag">>) {
  const { links } = useTexts();
  const { draft, set } = useEditor();
  const { label, hint }: LinkField = linkFields[name];
  return (
    <Switch
      label={label(links)}
      hint={hint?.(links)}
      checked={draft[name]}
      onChange={(checked) => set({ [name]: checked })}
    />
  );
}

/** The control of a field; null for a custom field, whose section passes the control. */
function PlainField({ name }: FieldProps<DraftFieldName>) {
  const field: LinkField = linkFields[name];
  if (isOfKind(name, "flag")) return <FlagField name={name} />;
  if (isOfKind(name, "instant")) return <InstantField name={name} />;
  if (isOfKind(name, "text") && field.kind === "text" && field.rows !== undefined) {
    return <LongTextField name={name} rows={field.rows} />;
  }
  return isOfKind(name, "text", "url", "number") ? <TextField name={name} /> : null;
}

/** A section, and the controls of its fields with a custom control. */
type SectionFieldsProps = {
  [Section in TableSection]: [CustomControlName<Section>] extends [never]
    ? { section: Section; controls?: undefined }
    : { section: Section; controls: Readonly<Record<CustomControlName<Section>, ReactNode>> };
}[TableSection];

/** All fields of a section, in the order of the table. */
export function SectionFields({ section, controls }: SectionFieldsProps) {
  const customControls: Partial<Record<DraftFieldName, ReactNode>> = controls ?? {};
  const names = draftFields.filter((name) => linkFields[name].section === section);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {names.map((name) => {
        const field: LinkField = linkFields[name];
        const isHalfWidth = "isHalfWidth" in field;
        return (
          <div key={name} className={classNames("grid min-w-0 content-start gap-4", !isHalfWidth && "sm:col-span-2")}>
            {customControls[name] ?? <PlainField name={name} />}
          </div>
        );
      })}
    </div>
  );
}

/** The ARIA attributes of an invalid control outside a Field, and the error text to show below it. */
export function useErrorAttributes(fieldError: ReactNode) {
  const id = useId();
  if (fieldError === undefined) return { attributes: {}, errorText: null };
  return {
    attributes: { "aria-invalid": true, "aria-describedby": id },
    errorText: <FieldErrorText id={id}>{fieldError}</FieldErrorText>,
  };
}

/** An error text outside a Field. */
export function FieldErrorText({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="text-[13px] text-danger">
      {children}
    </p>
  );
}
