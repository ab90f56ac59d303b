import { type KeyboardEvent, type PointerEvent, useState } from "react";

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

/**
 * The point that the pointer or the keyboard is at, and the points selected by dragging or with Shift. A drag zooms in
 * when it ends, the keyboard with Enter. Touches only move, since a finger that moves sideways reads the chart.
 */
export function useSeriesCursor({ last, pointAt, onZoom, onReset }: CursorOptions) {
  const [at, setAt] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const shown = at === undefined ? undefined : Math.min(at, last);
  const selection =
    anchor === undefined || shown === undefined ? undefined : selectionOf(Math.min(anchor, last), shown);
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
      onPointerDown: (event: PointerEvent) => {
        if (event.pointerType === "touch" || event.button !== 0 || onZoom === undefined) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setAnchor(pointAt(event));
      },
      onPointerMove: (event: PointerEvent) => setAt(pointAt(event)),
      onPointerUp: () => {
        if (selection !== undefined && selection.first < selection.last) zoom(selection);
        setAnchor(undefined);
      },
      onPointerCancel: () => setAnchor(undefined),
      onPointerLeave: () => setAt(undefined),
    },
  };
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
