import { type ReactNode, useId } from "react";
import { DateField } from "../../ui/date-field.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Switch } from "../../ui/switch.tsx";
import type { Draft } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";

type Named<Value> = { [Name in keyof Draft]: Draft[Name] extends Value ? Name : never }[keyof Draft];

type TextProps = {
  name: Named<string>;
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  type?: "text" | "url" | "number";
  maxLength?: number;
  className?: string;
};

/** A text field of the form. */
export function TextField({ name, label, hint, className, type = "text", ...rest }: TextProps) {
  const { draft, set } = useEditor();
  return (
    <Field label={label} hint={hint} fieldError={useFieldError(name)} {...(className !== undefined && { className })}>
      <Input
        {...rest}
        // The API alone validates the text: it accepts URLs without a scheme.
        type={type === "url" ? "text" : type}
        inputMode={type === "url" ? "url" : type === "number" ? "numeric" : undefined}
        {...(type === "number" && { min: 1, step: 1 })}
        autoComplete="off"
        spellCheck={type === "text"}
        value={draft[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  );
}

/** A field of the form for a moment. */
export function MomentField({ name, label }: Pick<TextProps, "name" | "label">) {
  const { draft, set } = useEditor();
  return (
    <Field label={label} fieldError={useFieldError(name)}>
      <DateField kind="moment" value={draft[name]} onChange={(moment) => set({ [name]: moment })} />
    </Field>
  );
}

/** The ARIA attributes of an invalid control outside a Field, and the error text to show below it. */
export function useMarks(fieldError: ReactNode) {
  const id = useId();
  if (fieldError === undefined) return { marks: {}, note: null };
  return {
    marks: { "aria-invalid": true, "aria-describedby": id },
    note: <FieldErrorText id={id}>{fieldError}</FieldErrorText>,
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

type FlagProps = { name: Named<boolean>; label: string; hint?: ReactNode };

/** A switch of the form. */
export function FlagField({ name, label, hint }: FlagProps) {
  const { draft, set } = useEditor();
  return <Switch label={label} hint={hint} checked={draft[name]} onChange={(checked) => set({ [name]: checked })} />;
}
