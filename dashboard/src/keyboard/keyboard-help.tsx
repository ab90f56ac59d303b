import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { areLetterShortcutsOn } from "./letter-shortcuts.ts";

const loadDialog = async () => (await import("./keyboard-help-dialog.tsx")).KeyboardHelpDialog;

/** Elements in which `?` is typed, or that have to be closed first. */
const typingSelector = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=dialog]";

const Opening = createContext<() => void>(() => {});

/** Returns a function that opens the help. */
export function useKeyboardHelp(): () => void {
  return useContext(Opening);
}

/** Opens the help when `?` is pressed on any page inside. */
export function KeyboardHelpProvider({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const HelpDialog = useLazyComponent(loadDialog, isOpen, () => setOpen(false));
  const open = useMemo(() => () => setOpen(true), []);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!areLetterShortcutsOn()) return;
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(typingSelector) !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return (
    <Opening value={open}>
      {children}
      {isOpen && HelpDialog !== undefined && <HelpDialog onClose={() => setOpen(false)} />}
    </Opening>
  );
}
