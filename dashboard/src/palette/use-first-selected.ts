import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";

const moveKeys = ["ArrowUp", "ArrowDown", "Home", "End"];
/** With Ctrl, as in an editor; cmdk takes them. */
const moveLetters = ["n", "p", "j", "k"];

/**
 * The selection of the palette: the first result, until the person moves it. cmdk keeps to what it has selected, above
 * which links may arrive.
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
    /** Called when other results are asked for. */
    reset() {
      hasMoved.current = false;
    },
    command: {
      value,
      onValueChange: setValue,
      onKeyDown({ key, ctrlKey }: KeyboardEvent) {
        if (moveKeys.includes(key) || (ctrlKey && moveLetters.includes(key))) hasMoved.current = true;
      },
    },
    list: {
      ref: setList,
      onPointerMoveCapture(event: PointerEvent) {
        // Browsers tell of a pointer that rests when what lies below it has changed.
        if (event.movementX === 0 && event.movementY === 0) event.stopPropagation();
        else hasMoved.current = true;
      },
    },
  };
}
