import { Search } from "lucide-react";
import { type ComponentType, useEffect, useEffectEvent, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { useNotify } from "../ui/toasts.tsx";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette: by a click, or from anywhere with Cmd or Ctrl and K. */
export function PaletteButton() {
  const { palette } = useTexts().shell;
  const [isOpen, setOpen] = useState(false);
  const Palette = usePalette(isOpen, () => setOpen(false));
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

type PaletteType = ComponentType<{ onClose(): void }>;

/**
 * The palette, whose script is loaded when it is first opened, since most visits do without it. Where it does not come,
 * that is said, and the page is left as it is; browsers ask for a script that failed again in a new page alone.
 */
function usePalette(isOpen: boolean, onFailed: () => void): PaletteType | undefined {
  const { palette } = useTexts().shell;
  const notify = useNotify();
  const [Palette, setPalette] = useState<PaletteType>();
  const fail = useEffectEvent(() => {
    onFailed();
    notify({ kind: "failed", text: palette.notLoaded });
  });
  const isWanted = isOpen && Palette === undefined;
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    import("./palette.tsx").then(
      (script) => isGone || setPalette(() => script.Palette),
      () => isGone || fail(),
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return Palette;
}
