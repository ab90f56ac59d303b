import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";

const shownMs = 1_500;

/** Copies a text with one click, and says so. */
export function CopyButton({ text, label, isWide = false }: { text: string; label: string; isWide?: boolean }) {
  const { words } = useTexts();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => copyText(text).then(() => setCopied(true));
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

/** Puts a text on the clipboard, also on a page that was not served by https, where browsers have no other way. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "fixed opacity-0";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
