import { type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Field, Input } from "./field.tsx";

type ConfirmProps = {
  isOpen: boolean;
  onClose(): void;
  title: string;
  children: ReactNode;
  /** Label of the confirming button. */
  action: string;
  /** Label of the other button, where "Cancel" would be ambiguous. */
  refusal?: string;
  onConfirm(): void;
  isBusy?: boolean;
  error?: unknown;
  /** A text to type first, such as the number of links, before something that cannot be undone. */
  typed?: string | undefined;
};

/** Asks for confirmation before something that cannot be undone. */
export function ConfirmDialog({
  children,
  typed,
  action,
  refusal,
  onConfirm,
  isBusy = false,
  error,
  ...dialog
}: ConfirmProps) {
  const { words } = useTexts();
  const [text, setText] = useState("");
  const isSure = typed === undefined || text.trim() === typed;
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{refusal ?? words.cancel}</Button>
          <Button variant="danger" disabled={!isSure} isBusy={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <form
        className="grid gap-4 text-muted"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure) onConfirm();
        }}
      >
        <div className="grid gap-2">{children}</div>
        {typed !== undefined && (
          <Field label={words.typeToConfirm(typed)} className="text-ink">
            <Input value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
          </Field>
        )}
        <ErrorNote error={error} />
      </form>
    </Dialog>
  );
}
