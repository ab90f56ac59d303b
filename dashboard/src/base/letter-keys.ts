/**
 * Whether keys that write something do something, too: who speaks to the computer, or strikes keys by accident, can
 * switch them off (WCAG 2.1.4). Kept in this browser.
 */
const storeKey = "waypost_letter_keys";
const off = "off";

export function areLettersKeys(): boolean {
  try {
    return localStorage.getItem(storeKey) !== off;
  } catch {
    // A browser may keep nothing for anybody.
    return true;
  }
}

export function keepLettersKeys(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(storeKey);
    else localStorage.setItem(storeKey, off);
  } catch {
    // As above: it then holds for nothing.
  }
}
