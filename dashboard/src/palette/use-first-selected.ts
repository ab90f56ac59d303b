import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";

const moveKeys = ["ArrowUp", "ArrowDown", "Home", "End"];
/** Move the selection with Ctrl, as in an editor; cmdk handles them. */
const moveLetters = ["n", "p", "j", "k"];

/**
 * Selects the palette's first result until the person moves the selection. On its own, cmdk keeps the selected item
 * when links arrive above it.
 */
export function useFirstSelected() {
  const [value, setValue] = useState("");
  const hasMoved = useRef(false);
  const [list, setList] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (list === null) return;
    const observer = new MutationObserver(() => {
      const first = list.querySelector<HTMLElement>("[cmdk-item]")?.dataset["value"];
      if (!hasMoved.current && first !== undefined) setValue(first);
    });
    observer.observe(list, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [list]);
  return {
    /** Call it when the search text changes. */
    reset() {
      hasMoved.current = false;
    },
    command: {
      value,
      onValueChange: setValue,
      onKeyDown(event: KeyboardEvent) {
        const { key, ctrlKey } = event;
        // New results are rendered before one of them is selected, and a fast typist presses Enter in between.
        if (key === "Enter" && list?.querySelector("[cmdk-item][aria-selected=true]") === null) {
          event.preventDefault();
          list.querySelector<HTMLElement>("[cmdk-item]")?.click();
        }
        if (moveKeys.includes(key) || (ctrlKey && moveLetters.includes(key))) hasMoved.current = true;
      },
    },
    list: {
      ref: setList,
      onPointerMoveCapture(event: PointerEvent) {
        // Browsers send a move event for a resting pointer when the content below it changes.
        if (event.movementX === 0 && event.movementY === 0) event.stopPropagation();
        else hasMoved.current = true;
      },
    },
  };
}
