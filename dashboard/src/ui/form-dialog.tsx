import { type FormEvent, type ReactNode, useId } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";
import { type Secret, SecretDialog } from "./secret-dialog.tsx";

type FormDialogProps = {
  isOpen: boolean;
  onClose(): void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
  /** Label of the submit button. */
  action: string;
  onSubmit(): void;
  isBusy: boolean;
  /** False while the form cannot be submitted yet. */
  isComplete?: boolean;
  /** True for something that cannot be undone. */
  isDangerous?: boolean;
  error: unknown;
  /** Fields that show their own errors. */
  shownFields?: readonly string[];
  /** Replaces the form after success, with a secret that is shown only once. */
  result?: { secret: Secret; content: ReactNode } | undefined;
  className?: string;
};

/**
 * A dialog with a form: the fields, then errors, and below them a cancel and a submit button.
 * Guarantee: Enter in a field submits like the button does, after the browser's own validation.
 */
export function FormDialog({
  children,
  action,
  onSubmit,
  isBusy,
  isComplete = true,
  isDangerous = false,
  error,
  shownFields,
  result,
  ...dialog
}: FormDialogProps) {
  const { words } = useTexts();
  const formId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  if (result !== undefined) {
    return (
      <SecretDialog {...dialog} secret={result.secret} isBusy={isBusy}>
        {result.content}
      </SecretDialog>
    );
  }
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{words.cancel}</Button>
          <Button
            variant={isDangerous ? "danger" : "primary"}
            type="submit"
            form={formId}
            isBusy={isBusy}
            disabled={!isComplete}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={submit}>
        {children}
        <ErrorNote error={error} {...(shownFields && { shownFields })} />
      </form>
    </Dialog>
  );
}
