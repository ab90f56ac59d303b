import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";
import { useNotify } from "./toasts.tsx";

const shownMs = 1_500;

/** Copies a text on click, and shows whether the browser allowed it. */
export function CopyButton({ text, label, isWide = false }: { text: string; label: string; isWide?: boolean }) {
  const { words } = useTexts();
  const notify = useNotify();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    else notify({ kind: "failed", text: words.notCopied });
  };
  const icon = isCopied ? <Check className="text-success" /> : <Copy />;
  return (
    <>
      {isWide ? (
        <Button onClick={copy}>
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
