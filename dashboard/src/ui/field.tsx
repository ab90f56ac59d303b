import { ChevronDown } from "lucide-react";
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from "react";
import { classNames } from "../base/class-names.ts";

type Named = { id: string; describedBy: string | undefined; isWrong: boolean };
const Current = createContext<Named | undefined>(undefined);
const ReadOnly = createContext(false);

/** Makes the fields inside read-only: their text can be selected and scrolled, but not changed. */
export const ReadOnlyFields = ReadOnly.Provider;

/** True inside ReadOnlyFields with a true value; false elsewhere. */
export function useIsReadOnly(): boolean {
  return useContext(ReadOnly);
}

/** Renders its children, such as a button that removes a row, only where fields can be changed. */
export function UnlessReadOnly({ children }: { children: ReactNode }) {
  return useIsReadOnly() ? null : children;
}

type FieldProps = {
  label: string;
  /** Helps to fill in the field. */
  hint?: ReactNode;
  /** Replaces the hint. */
  fieldError?: ReactNode;
  /** Beside the label, at the right. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
};

/** A form field: its label, the control among its children, and a hint or error below. */
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

/** The attributes that connect a control to the label and the error of the Field around it. */
export function useFieldControl() {
  const named = useContext(Current);
  if (named === undefined) return {};
  return { id: named.id, "aria-describedby": named.describedBy, "aria-invalid": named.isWrong || undefined };
}

const controlClass =
  "w-full min-w-0 rounded-lg border border-field bg-surface text-ink transition-colors aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-faint [&[readonly]]:bg-sunken";

/** A single-line text input; inside a Field, its label and error belong to it. */
export function Input({ className, ...rest }: ComponentProps<"input">) {
  const isReadOnly = useIsReadOnly();
  return (
    <input
      type="text"
      {...useFieldControl()}
      {...rest}
      // A placeholder in a read-only field would look like its value.
      {...(isReadOnly && { readOnly: true, placeholder: "" })}
      className={classNames(controlClass, "h-9 px-3 pointer-coarse:h-11", className)}
    />
  );
}

/** A multi-line text input; inside a Field, its label and error belong to it. */
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

/** The native select, which works with every keyboard and phone. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return (
    <span className={classNames("relative inline-block w-full", className)}>
      <select
        {...useFieldControl()}
        {...rest}
        {...(useIsReadOnly() && { disabled: true })}
        className={classNames(controlClass, "h-9 appearance-none pl-3 pr-9 pointer-coarse:h-11")}
      />
      <ChevronDown aria-hidden className="pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4 text-faint" />
    </span>
  );
}

type ChoiceButtonProps = { isOpen: boolean; onClick(): void; children: ReactNode };

/** Looks like a select and opens a list below it, for choices that are searched. */
export function ChoiceButton({ isOpen, onClick, children }: ChoiceButtonProps) {
  return (
    <button
      type="button"
      {...useFieldControl()}
      aria-expanded={isOpen}
      onClick={onClick}
      className={classNames(controlClass, "flex h-9 items-center gap-2 pl-3 pr-2.5 text-left pointer-coarse:h-11")}
    >
      <span className="min-w-0 grow truncate">{children}</span>
      <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
    </button>
  );
}
