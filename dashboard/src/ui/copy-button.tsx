import { Check, Copy } from "lucide-react";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";
import { useNotify } from "./toasts.tsx";

const shownMs = 1_500;

const Copied = createContext<(text: string) => void>(() => {});

/** Tells the caller each text that a copy button among the children has copied. */
export function CopyObserver({ onCopied, children }: { onCopied(text: string): void; children: ReactNode }) {
  return <Copied value={onCopied}>{children}</Copied>;
}

type CopyProps = {
  text: string;
  label: string;
  /** Shows the label too, in a button of this variant. */
  variant?: "primary" | "plain";
  size?: "small" | "normal";
  autoFocus?: boolean;
};

/** Copies a text on click, and shows whether the browser allowed it. */
export function CopyButton({ text, label, variant, size = "normal", autoFocus }: CopyProps) {
  const { words } = useTexts();
  const notify = useNotify();
  const onCopied = useContext(Copied);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (!(await copyText(text))) return notify({ kind: "failed", text: words.notCopied });
    setCopied(true);
    onCopied(text);
  };
  const icon = isCopied ? <Check className={variant === "primary" ? undefined : "text-success"} /> : <Copy />;
  return (
    <>
      {variant !== undefined ? (
        <Button variant={variant} size={size} onClick={copy} autoFocus={autoFocus}>
          {icon}
          {isCopied ? words.copied : label}
        </Button>
      ) : (
        <IconButton label={isCopied ? words.copied : label} onClick={copy}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {isCopied ? words.copied : ""}
      </span>
    </>
  );
}

/**
 * Copies a text to the clipboard, also on a page served over plain HTTP, where the Clipboard API is missing.
 * Resolves with true on success; browsers may refuse.
 */
export async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The browser refused, for example because of a policy.
    return false;
  }
}

function copySelected(text: string): boolean {
  const { activeElement: before } = document;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "fixed opacity-0";
  // An open dialog takes the focus from everything outside it, and only focused text is copied.
  const container = [...document.querySelectorAll("[role=dialog][data-state=open]")].at(-1) ?? document.body;
  container.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
