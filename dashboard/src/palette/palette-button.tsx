import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Loaded when first opened, since most visits do without the palette. */
const loadPalette = async () => (await import("./palette.tsx")).Palette;

/** Opens the palette on click, or anywhere with Cmd or Ctrl and K. */
export function PaletteButton() {
  const { palette } = useTexts().shell;
  const [isOpen, setOpen] = useState(false);
  const Palette = useLazyComponent(loadPalette, isOpen, () => setOpen(false));
  const typed = useTypedAhead(isOpen && Palette === undefined);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(isApple ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
        onClick={() => setOpen(true)}
        className="hidden h-9 items-center gap-2.5 rounded-lg bg-sunken px-2.5 text-left text-muted transition-colors hover:text-ink md:flex"
      >
        <Search className="size-4 shrink-0" aria-hidden />
        <span className="min-w-0 grow truncate">{palette.jump}</span>
        <Kbd>{isApple ? "⌘K" : "Ctrl K"}</Kbd>
      </button>
      <IconButton label={palette.search} className="ml-auto size-9 md:hidden" onClick={() => setOpen(true)}>
        <Search />
      </IconButton>
      {isOpen && Palette !== undefined && <Palette typed={typed} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The text typed while the palette loads, which would otherwise be lost or trigger shortcuts of the page. */
function useTypedAhead(isLoading: boolean): string {
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (!isLoading) return;
    const listen = (event: KeyboardEvent) => {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isText && event.key !== "Backspace") return;
      event.preventDefault();
      event.stopPropagation();
      setTyped((before) => (isText ? before + event.key : before.slice(0, -1)));
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => {
      window.removeEventListener("keydown", listen, { capture: true });
      // The palette has taken the text over; it opens empty the next time.
      setTyped("");
    };
  }, [isLoading]);
  return typed;
}
