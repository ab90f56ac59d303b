import { ChevronDown } from "lucide-react";
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from "react";
import { classNames } from "../base/class-names.ts";

type Named = { id: string; describedBy: string | undefined; isWrong: boolean };
const Current = createContext<Named | undefined>(undefined);
const ReadOnly = createContext(false);

/** Whether the fields inside are to be read alone: their texts can be selected and scrolled, and not be changed. */
export const ReadOnlyFields = ReadOnly.Provider;

/** Whether ReadOnlyFields around it says so; false outside. */
export function useIsReadOnly(): boolean {
  return useContext(ReadOnly);
}

/** What changes fields, such as a button that removes a row: absent where they are to be read alone. */
export function UnlessReadOnly({ children }: { children: ReactNode }) {
  return useIsReadOnly() ? null : children;
}

type FieldProps = {
  label: string;
  /** What helps to fill it in. */
  hint?: ReactNode;
  /** What is wrong with it; shown in place of the hint. */
  fieldError?: ReactNode;
  /** Beside the label, at the right. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
};

/** A field of a form: its label, the control among its children, and what is to be said about it. */
export function Field({ label, hint, fieldError, aside, children, className }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = fieldError ?? hint;
  return (
    <Current value={{ id, describedBy: note ? noteId : undefined, isWrong: fieldError !== undefined }}>
      <div className={classNames("grid content-start gap-1.5", className)}>
        <div className="flex items-center justify-between gap-2">
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
          {aside}
        </div>
        {children}
        {note && (
          <p
            id={noteId}
            className={classNames("text-[13px] [overflow-wrap:anywhere]", fieldError ? "text-danger" : "text-faint")}
            role={fieldError ? "alert" : undefined}
          >
            {note}
          </p>
        )}
      </div>
    </Current>
  );
}

/** What a control inside a Field takes, so that its label and its mistake belong to it. */
export function useFieldControl() {
  const named = useContext(Current);
  if (named === undefined) return {};
  return { id: named.id, "aria-describedby": named.describedBy, "aria-invalid": named.isWrong || undefined };
}

const controlClass =
  "w-full min-w-0 rounded-lg border border-field bg-surface text-ink transition-colors aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-faint [&[readonly]]:bg-sunken";

/** A line of text; inside a Field its label and mistake belong to it. */
export function Input({ className, ...rest }: ComponentProps<"input">) {
  const isReadOnly = useIsReadOnly();
  return (
    <input
      type="text"
      {...useFieldControl()}
      {...rest}
      // An example in what cannot be filled in would be taken for what is in it.
      {...(isReadOnly && { readOnly: true, placeholder: "" })}
      className={classNames(controlClass, "h-9 px-3", className)}
    />
  );
}

/** Lines of text; inside a Field its label and mistake belong to it. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      rows={3}
      {...useFieldControl()}
      {...rest}
      {...(useIsReadOnly() && { readOnly: true })}
      className={classNames(controlClass, "px-3 py-2", className)}
    />
  );
}

/** The system's own list of choices, which every keyboard and telephone knows. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return (
    <span className={classNames("relative inline-block w-full", className)}>
      <select
        {...useFieldControl()}
        {...rest}
        {...(useIsReadOnly() && { disabled: true })}
        className={classNames(controlClass, "h-9 appearance-none pl-3 pr-9")}
      />
      <ChevronDown aria-hidden className="pointer-events-none absolute right-2.5 top-2.5 size-4 text-faint" />
    </span>
  );
}
