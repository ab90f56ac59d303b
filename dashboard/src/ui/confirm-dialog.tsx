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
  cancelLabel?: string;
  onConfirm(): void;
  isBusy?: boolean;
  error?: unknown;
  /** A text that the person has to type before confirming, such as the name of what is deleted. */
  textToType?: string | undefined;
};

/** Asks for confirmation before something that cannot be undone. */
export function ConfirmDialog({
  children,
  textToType,
  action,
  cancelLabel,
  onConfirm,
  isBusy = false,
  error,
  ...dialog
}: ConfirmProps) {
  const { words } = useTexts();
  const [text, setText] = useState("");
  const isSure = textToType === undefined || text.trim() === textToType;
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{cancelLabel ?? words.cancel}</Button>
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
        {textToType !== undefined && (
          <Field label={words.typeToConfirm(textToType)} className="text-ink">
            <Input value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
          </Field>
        )}
        <ErrorNote error={error} />
      </form>
    </Dialog>
  );
}
