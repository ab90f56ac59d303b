import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";

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
  error: unknown;
  /** Fields that show their own errors. */
  shownFields?: readonly string[];
  /** Replaces the fields after success, for results that are shown only once. */
  result?: ReactNode;
  className?: string;
};

/** The result of the form. The submit button is gone, so the focus moves to the result's first button. */
function Result({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector<HTMLElement>("button")?.focus(), []);
  return <div ref={frame}>{children}</div>;
}

/**
 * A dialog with a form: the fields, then errors, and below them a cancel and a submit button.
 * Guarantee: Enter in a field submits like the button does, after the browser's own validation.
 */
export function FormDialog({
  children,
  action,
  onSubmit,
  isBusy,
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
    const done = (
      <Button variant="primary" isBusy={isBusy} onClick={dialog.onClose}>
        {words.done}
      </Button>
    );
    return (
      <Dialog {...dialog} footer={done}>
        <Result>{result}</Result>
      </Dialog>
    );
  }
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{words.cancel}</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className="grid gap-4" onSubmit={submit}>
        {children}
        <ErrorNote error={error} {...(shownFields && { shownFields })} />
      </form>
    </Dialog>
  );
}
