/** A place of the focus: an element and what is around it, the innermost first. Any of them can be gone later. */
type Place = readonly HTMLElement[];

/** Where the focus was when a dialog opened. */
const behindDialogs = new WeakMap<Element, Place>();
const nowhere: Place = [];
let current = nowhere;

/** Follows the focus from the start, because the script of a dialog is loaded after the focus has left its menu. */
export function followFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    const element = target instanceof HTMLElement ? openerOf(target) : null;
    if (element === null) return;
    const dialog = element.closest("[role=dialog]");
    // The focus enters a dialog as soon as it opens.
    if (dialog !== null && !behindDialogs.has(dialog)) behindDialogs.set(dialog, current);
    current = [element, ...(dialog === null ? around(element) : (behindDialogs.get(dialog) ?? nowhere))];
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    const isInDialog = target.closest("[role=dialog], [role=menu]") !== null;
    setTimeout(() => {
      if (isInDialog || target !== current[0] || document.activeElement !== document.body) return;
      // A click beside all controls leaves the focus nowhere, and no dialog that a shortcut opens then returns it.
      if (target.isConnected) current = nowhere;
      // The focused element was removed, as the button of a deleted link.
      else focusPlace(current);
    });
  });
}

/** The element itself, or the trigger of the menu that it is in: an item is gone once it is chosen. */
function openerOf(element: HTMLElement): HTMLElement | null {
  const menu = element.closest("[role=menu]");
  return menu === null ? element : document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
}

/** What can have the focus around an element, such as its row and the page. */
function around(element: HTMLElement): Place {
  const outer = element.parentElement?.closest<HTMLElement>("[tabindex]") ?? null;
  return outer === null ? nowhere : [outer, ...around(outer)];
}

function focusPlace(place: Place): void {
  const outer = place.find((element) => element.isConnected);
  // In a list, the row where the person was, so that the arrow keys go on from there. Its bar loses the buttons of a bulk
  // change once the change is made.
  const row = outer?.matches("[data-list]") ? outer.querySelector<HTMLElement>("[data-row][tabindex='0']") : null;
  (row ?? outer)?.focus({ preventScroll: true });
}

/**
 * Returns the focus to where it was when the dialog opened. Called when the dialog has closed. Does nothing when the
 * focus has moved elsewhere, as into another dialog.
 */
export function returnFocus(event: Event): void {
  // Otherwise Radix would focus the dialog's trigger, which these dialogs do not have.
  event.preventDefault();
  if (!(event.target instanceof Element) || document.activeElement !== document.body) return;
  const place = behindDialogs.get(event.target) ?? nowhere;
  // A shortcut can open a dialog when nothing has the focus.
  focusPlace(place.length > 0 ? place : [...document.querySelectorAll<HTMLElement>("main[tabindex]")]);
}
