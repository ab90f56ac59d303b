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
      {isOpen && Palette !== undefined && <Palette onClose={() => setOpen(false)} />}
    </>
  );
}
