import { useEffect, useRef } from "react";
import { areLetterShortcutsOn } from "./letter-shortcuts.ts";

/** Actions by the name of their key, as in KeyboardEvent.key. */
type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/**
 * Runs the action of a pressed key, unless the focus is in a text field, menu or dialog. Keys with Ctrl, Alt or Meta
 * belong to the browser; letters and signs can be switched off.
 */
export function useShortcuts(shortcuts: Shortcuts, isActive: boolean): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    if (!isActive) return;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (event.key.length === 1 && !areLetterShortcutsOn()) return;
      const action = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      action?.(event);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [isActive]);
}

function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=dialog]") !==
    null
  );
}
