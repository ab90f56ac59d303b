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
  /** The fields. */
  children: ReactNode;
  /** What the button says that sends the form. */
  action: string;
  onSubmit(): void;
  isBusy: boolean;
  error: unknown;
  /** Fields that show their own mistakes. */
  shownFields?: readonly string[];
  /** What came of it, where that is shown only now; it takes the place of the fields. */
  result?: ReactNode;
  className?: string;
};

/** What came of the form. The focus, whose button is gone, goes to the first thing that can be done with it. */
function Result({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector<HTMLElement>("button")?.focus(), []);
  return <div ref={frame}>{children}</div>;
}

/**
 * A window with a form: what it asks for, then what went wrong, and below both how to leave it and how to send it.
 * Guarantee: Enter in a field sends it as the button does, and the browser's own checks come first.
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
