/**
 * Whether single letters are shortcuts. People who use speech input or hit keys by accident can switch them off (WCAG
 * 2.1.4). Stored in this browser.
 */
const storeKey = "waypost_letter_keys";
const off = "off";

/** True until the shortcuts are switched off, and when the browser stores nothing. */
export function areLetterShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storeKey) !== off;
  } catch {
    // Browsers may forbid storage.
    return true;
  }
}

/** Switches the shortcuts on or off for later visits, if the browser stores anything. */
export function saveLetterShortcuts(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(storeKey);
    else localStorage.setItem(storeKey, off);
  } catch {
    // Browsers may forbid storage; the choice is then lost.
  }
}
