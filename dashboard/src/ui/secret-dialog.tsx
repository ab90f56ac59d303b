import { type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { CopyButton, CopyObserver } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** A text that the service shows only once. */
export type Secret = {
  text: string;
  copyLabel: string;
  /** True when the text has also reached its recipient by mail, so that it need not be copied. */
  isSent?: boolean;
};

type SecretDialogProps = {
  isOpen: boolean;
  onClose(): void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
  secret: Secret;
  isBusy: boolean;
  className?: string;
};

/**
 * A dialog about a secret. Copying it is the main action, which has the focus; closing the dialog without having copied
 * the secret asks first. A copied selection, and a command that contains the secret, count as copies.
 */
export function SecretDialog({ secret, isBusy, onClose, children, ...dialog }: SecretDialogProps) {
  const { words } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const note = (text: string) => text.includes(secret.text) && setCopied(true);
  const close = () => (isCopied || secret.isSent === true ? onClose() : setAsking(true));
  return (
    <CopyObserver onCopied={note}>
      <Dialog
        {...dialog}
        onClose={close}
        footer={
          <>
            <Button variant={isCopied ? "primary" : "plain"} isBusy={isBusy} onClick={close}>
              {words.done}
            </Button>
            <CopyButton
              text={secret.text}
              label={secret.copyLabel}
              variant={isCopied ? "plain" : "primary"}
              autoFocus
            />
          </>
        }
      >
        <div onCopy={() => note(String(getSelection()))}>{children}</div>
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={words.uncopied.title}
        action={words.uncopied.close}
        cancelLabel={words.uncopied.stay}
        onConfirm={onClose}
      >
        <p>{words.uncopied.text}</p>
      </ConfirmDialog>
    </CopyObserver>
  );
}
