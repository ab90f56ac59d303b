/**
 * Whether keys that write something do something, too: who speaks to the computer, or strikes keys by accident, can
 * switch them off (WCAG 2.1.4). Kept in this browser.
 */
const storeKey = "waypost_letter_keys";
const off = "off";

/** Whether letters are keys: true until they are switched off, and where the browser keeps nothing. */
export function areLetterShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storeKey) !== off;
  } catch {
    // A browser may keep nothing for anybody.
    return true;
  }
}

/** Switches them on or off for later visits; a browser that keeps nothing forgets it. */
export function saveLetterShortcuts(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(storeKey);
    else localStorage.setItem(storeKey, off);
  } catch {
    // As above: it then holds for nothing.
  }
}
