import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { LinkRow } from "./link-row.tsx";
import { type Link, listedLinksMax, useFolders } from "./links-api.ts";
import type { LinkListQuery } from "./links-search.ts";
import { RowSkeleton, rowGrid, rowPx } from "./list-skeleton.tsx";
import type { RowActions } from "./row-menu.tsx";
import { useLinkPages } from "./use-link-pages.ts";
import { useSelection } from "./use-selection.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { useVisibleRows } from "./use-visible-rows.ts";

const overscan = 6;
const rowClass = classNames(rowGrid, "absolute inset-x-0 top-0 outline-offset-[-2px]");

/** What the bar above the list works with. */
export type ListState = {
  selection: ReturnType<typeof useSelection>;
  loaded(): Link[];
};

type LinkListProps = {
  query: LinkListQuery;
  count: number;
  actions: RowActions;
  /** Whether keys are the list's, as they are while no window lies over it. */
  isActive: boolean;
  bar(state: ListState): ReactNode;
};

/** The list: as many rows as there are links, of which those in sight are there. Mount it anew for another query. */
export function LinkList({ query, count, actions, isActive, bar }: LinkListProps) {
  const { links } = useTexts();
  const place = useRef<HTMLUListElement>(null);
  const rowsCount = Math.min(count, listedLinksMax);
  const rows = useVisibleRows({ count: rowsCount, rowPx, overscan }, place);
  const pages = useLinkPages(query, rows);
  const selection = useSelection(pages.linkAt);
  const { drop } = selection;
  const rowActions = useMemo<RowActions>(
    () => ({ ...actions, move: (some) => actions.move(some, drop), remove: (some) => actions.remove(some, drop) }),
    [actions, drop],
  );
  const active = useActiveRow(rowsCount, rows.show, place);
  const folders = useFolders().data;
  const folderNames = useMemo(() => new Map(folders?.map(({ id, name }) => [id, name])), [folders]);
  const current = () => (active.index === undefined ? undefined : pages.linkAt(active.index));
  const open = () => {
    const link = current();
    if (link !== undefined) actions.edit(link);
  };
  useShortcuts(
    {
      ArrowDown: active.down,
      ArrowUp: active.up,
      j: active.down,
      k: active.up,
      e: open,
      Enter: (event) => event.target instanceof HTMLElement && "row" in event.target.dataset && open(),
      x: () => active.index !== undefined && selection.toggle(active.index, false),
      X: () => active.index !== undefined && selection.toggle(active.index, true),
      Escape: selection.clear,
    },
    isActive,
  );
  return (
    <section className="rounded-xl border border-line bg-surface shadow-card">
      {bar({ selection, loaded: pages.loaded })}
      {pages.error != null && (
        <div className="border-b border-line p-3">
          <ErrorNote error={pages.error} onRetry={pages.retry} />
        </div>
      )}
      <ul ref={place} aria-label={links.title} className="relative" style={{ height: rowsCount * rowPx }}>
        {places(rows, rowsCount, active.index).map((index) => {
          const link = pages.linkAt(index);
          const isSelected = link !== undefined && selection.selected.has(link.id);
          return (
            <li
              key={index}
              aria-setsize={rowsCount}
              aria-posinset={index + 1}
              data-row={index}
              tabIndex={index === (active.index ?? 0) ? 0 : -1}
              onFocus={() => active.set(index)}
              className={classNames(rowClass, isSelected ? "bg-accent-soft" : "hover:bg-canvas")}
              style={{ height: rowPx, transform: `translateY(${index * rowPx}px)` }}
            >
              {link === undefined ? (
                <RowSkeleton />
              ) : (
                // A place gets another link when the list is read again; an open menu stays with its own.
                <LinkRow
                  key={link.id}
                  link={link}
                  index={index}
                  isSelected={isSelected}
                  folderName={folderNames.get(link.folderId ?? "")}
                  onToggle={selection.toggle}
                  actions={rowActions}
                />
              )}
            </li>
          );
        })}
      </ul>
      {count > listedLinksMax && <p className="p-4 text-center text-muted">{links.list.tooMany}</p>}
    </section>
  );
}

/** The rows that are there, in their order: those in sight, and the one that keys are for, which would lose the focus. */
function places({ first, last }: { first: number; last: number }, count: number, active = -1): number[] {
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  if (active < 0 || active >= count || shown.includes(active)) return shown;
  return active < first ? [active, ...shown] : [...shown, active];
}

/** The row that keys are for. Moved, it is brought into sight and gets the focus as soon as it is there. */
function useActiveRow(count: number, show: (index: number) => void, place: React.RefObject<HTMLUListElement | null>) {
  const [index, setIndex] = useState<number | undefined>(undefined);
  const wanted = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = place.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (row == null) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const move = (by: number) => (event: KeyboardEvent) => {
    if (count === 0) return;
    event.preventDefault();
    const next = index === undefined ? 0 : Math.max(0, Math.min(count - 1, index + by));
    wanted.current = next;
    setIndex(next);
    show(next);
  };
  return { index, set: setIndex, down: move(1), up: move(-1) };
}
