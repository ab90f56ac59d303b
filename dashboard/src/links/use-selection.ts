import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Link } from "./links-api.ts";

/** The selected links, as they were read. */
type Selection = ReadonlyMap<string, Link>;

/** The selection of links. A range goes from the link selected last to another one, over the links that are loaded. */
export function useSelection(linkAt: (index: number) => Link | undefined) {
  const [selected, setSelected] = useState<Selection>(new Map());
  const anchor = useRef<number | undefined>(undefined);
  const reader = useRef(linkAt);
  useEffect(() => {
    reader.current = linkAt;
  });
  const toggle = useCallback((index: number, isRange: boolean) => {
    const from = isRange ? (anchor.current ?? index) : index;
    anchor.current = index;
    setSelected((before) => withRange(before, from, index, reader.current));
  }, []);
  const drop = useCallback((links: readonly Link[]) => {
    const gone = new Set(links.map(({ id }) => id));
    setSelected((before) => new Map([...before].filter(([id]) => !gone.has(id))));
  }, []);
  return useMemo(
    () => ({
      selected,
      toggle,
      choose: (links: readonly Link[]) => setSelected(new Map(links.map((link) => [link.id, link]))),
      clear: () => setSelected(new Map()),
      drop,
    }),
    [selected, toggle, drop],
  );
}

/** A single link is toggled; in a range all links become what its end becomes. */
function withRange(
  before: Selection,
  from: number,
  to: number,
  linkAt: (index: number) => Link | undefined,
): Selection {
  const end = linkAt(to);
  if (end === undefined) return before;
  const isChosen = !before.has(end.id);
  const after = new Map(before);
  for (let index = Math.min(from, to); index <= Math.max(from, to); index++) {
    const link = linkAt(index);
    if (link === undefined) continue;
    if (isChosen) after.set(link.id, link);
    else after.delete(link.id);
  }
  return after;
}
