import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";

/** Points next to each other, by their indexes; both are included. */
export type Selection = { first: number; last: number };

type CursorOptions = {
  /** The index of the last point. */
  last: number;
  /** The point at a position from 0 to 1 of the element with the handlers. */
  pointAt(event: PointerEvent): number;
  /** Zooms in; undefined while that is not possible. */
  onZoom: ((selection: Selection) => void) | undefined;
  /** Zooms out; undefined when nothing is zoomed. */
  onReset: (() => void) | undefined;
};

/** A finger that moves less than this reads a point; a tap is rarely still. */
const touchDragPxMin = 12;

/**
 * The point that the pointer or the keyboard is at, and the points selected by dragging or with Shift. A drag zooms in
 * when it ends, the keyboard with Enter. A finger selects sideways and reads a point with a tap; the element leaves
 * vertical moves to the browser, which cancels the touch and scrolls.
 */
export function useSeriesCursor({ last, pointAt, onZoom, onReset }: CursorOptions) {
  const [at, setAt] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const shown = at === undefined ? undefined : Math.min(at, last);
  const begin = anchor === undefined ? undefined : Math.min(anchor, last);
  const selection = begin === undefined || shown === undefined ? undefined : selectionOf(begin, shown);
  const zoom = (chosen: Selection) => {
    setAnchor(undefined);
    onZoom?.(chosen);
  };
  const onEscape = () => {
    if (anchor === undefined) onReset?.();
    setAnchor(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = shown ?? last;
    const next = pointAfterKey(event.key, from, last);
    if (next === undefined && event.key !== "Enter" && (event.key !== "Escape" || (anchor ?? onReset) === undefined))
      return;
    event.preventDefault();
    if (event.key === "Enter") zoom(selection ?? { first: from, last: from });
    else if (event.key === "Escape") onEscape();
    else {
      setAnchor(event.shiftKey ? (anchor ?? from) : undefined);
      setAt(next);
    }
  };
  return {
    shown,
    selection,
    handlers: {
      onKeyDown,
      onFocus: () => setAt((before) => before ?? last),
      onBlur: () => {
        setAt(undefined);
        setAnchor(undefined);
      },
      ...usePointer({ pointAt, setAt, setAnchor, begin, zoom: onZoom === undefined ? undefined : zoom }),
    },
  };
}

type PointerOptions = Pick<CursorOptions, "pointAt"> & {
  setAt(at: number | undefined): void;
  setAnchor(anchor: number | undefined): void;
  /** Where a drag began. */
  begin: number | undefined;
  zoom: ((selection: Selection) => void) | undefined;
};

function usePointer({ pointAt, setAt, setAnchor, begin, zoom }: PointerOptions) {
  const downAt = useRef(0);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || !event.isPrimary) return;
      if (isTouch(event)) setAt(pointAt(event));
      if (zoom === undefined) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      downAt.current = event.clientX;
      setAnchor(pointAt(event));
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.isPrimary) setAt(pointAt(event));
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (!event.isPrimary) return;
      const isDrag = !isTouch(event) || Math.abs(event.clientX - downAt.current) >= touchDragPxMin;
      // Uses this event's position, because a busy page may not have rendered the last moves before it.
      const selection = begin === undefined ? undefined : selectionOf(begin, pointAt(event));
      setAnchor(undefined);
      if (isDrag && selection !== undefined && selection.first < selection.last) {
        if (isTouch(event)) setAt(undefined);
        zoom?.(selection);
      } else if (isTouch(event)) {
        // The point stays shown until the focus leaves.
        event.currentTarget.focus({ preventScroll: true });
      }
    },
    onPointerCancel: () => {
      setAnchor(undefined);
      setAt(undefined);
    },
    onPointerLeave: (event: PointerEvent) => {
      if (!isTouch(event)) setAt(undefined);
    },
  };
}

function isTouch({ pointerType }: PointerEvent): boolean {
  return pointerType === "touch";
}

function selectionOf(one: number, other: number): Selection {
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

/** The point that a key moves to; undefined for other keys. */
function pointAfterKey(key: string, at: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - 7,
    PageUp: at + 7,
    Home: 0,
    End: last,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.max(0, Math.min(last, next));
}
