import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { rememberLink } from "../api/recent-links.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import type { RowActions } from "./link-actions.ts";
import { LinkRow } from "./link-row.tsx";
import { type Link, listedLinksMax, useFolders } from "./links-api.ts";
import type { LinkListQuery } from "./links-search.ts";
import { RowSkeleton, rowGrid } from "./list-skeleton.tsx";
import { useCreators } from "./use-creators.ts";
import { useLinkPages } from "./use-link-pages.ts";
import { useRowLayout } from "./use-row-layout.ts";
import { useSelection } from "./use-selection.ts";

/** Rows rendered above and below the visible ones. */
const overscan = 6;
/** Sticky bars cover this much of the window's top and bottom edges. */
const coveredPx = 64;
const rowClass = "absolute inset-x-0 top-0 outline-offset-[-2px]";

/** The state that the bar above the list uses. */
export type ListState = {
  selection: ReturnType<typeof useSelection>;
  loaded(): Link[];
};

type LinkListProps = {
  query: LinkListQuery;
  count: number;
  actions: RowActions;
  /** True while no dialog covers the list, so that it handles shortcuts. */
  isActive: boolean;
  bar(state: ListState): ReactNode;
};

/** The virtual list of links: only visible rows are rendered. Remount it for another query. */
export function LinkList({ query, count, actions, isActive, bar }: LinkListProps) {
  const { links } = useTexts();
  const { id } = useWorkspace();
  const listElement = useRef<HTMLUListElement>(null);
  const rowsCount = Math.min(count, listedLinksMax);
  const { isNarrow, rowPx } = useRowLayout();
  const active = useActiveRow(rowsCount, listElement);
  const { rows, pagedRange, show } = useRows({ count: rowsCount, active: active.index, rowPx }, listElement);
  const pages = useLinkPages(query, pagedRange);
  const selection = useSelection(pages.linkAt);
  const { drop } = selection;
  const rowActions = useMemo<RowActions>(
    () => ({
      ...actions,
      edit: (link) => {
        rememberLink(id, link.id);
        actions.edit(link);
      },
      move: (moved) => actions.move(moved, drop),
      remove: (removed) => actions.remove(removed, drop),
    }),
    [actions, drop, id],
  );
  const folders = useFolders().data;
  const folderNames = useMemo(() => new Map(folders?.map(({ id, name }) => [id, name])), [folders]);
  const creators = useCreators();
  const open = (event: KeyboardEvent) => {
    const link = active.index === undefined ? undefined : pages.linkAt(active.index);
    if (link === undefined) return;
    // Otherwise the key would go to the field of the drawer that it opens, and Enter would close the drawer again.
    event.preventDefault();
    rowActions.edit(link);
  };
  useShortcuts(
    {
      ArrowDown: (event) => active.move(event, 1, show),
      ArrowUp: (event) => active.move(event, -1, show),
      j: (event) => active.move(event, 1, show),
      k: (event) => active.move(event, -1, show),
      e: open,
      Enter: (event) => event.target instanceof HTMLElement && "row" in event.target.dataset && open(event),
      x: () => active.index !== undefined && selection.toggle(active.index, false),
      X: () => active.index !== undefined && selection.toggle(active.index, true),
      Escape: selection.clear,
    },
    isActive,
  );
  return (
    <section data-list tabIndex={-1} className="rounded-xl border border-line bg-surface shadow-card outline-none">
      {bar({ selection, loaded: pages.loaded })}
      {pages.error != null && (
        <div className="border-b border-line p-3">
          <ErrorNote error={pages.error} onRetry={pages.retry} />
        </div>
      )}
      <ul
        ref={listElement}
        aria-label={links.title}
        className="@container relative"
        style={{ height: rowsCount * rowPx }}
      >
        {rows.map((index) => {
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
              className={classNames(rowGrid(isNarrow), rowClass, isSelected ? "bg-accent-soft" : "hover:bg-canvas")}
              style={{ height: rowPx, transform: `translateY(${index * rowPx}px)` }}
            >
              {link === undefined ? (
                <RowSkeleton />
              ) : (
                // After a refetch a position may show another link; an open menu stays with its own link.
                <LinkRow
                  key={link.id}
                  link={link}
                  index={index}
                  isSelected={isSelected}
                  isNarrow={isNarrow}
                  folderName={folderNames.get(link.folderId ?? "")}
                  creator={creators.get(link.userId ?? "")}
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

type RowsState = { count: number; active: number | undefined; rowPx: number };

/**
 * The rows to render, in order: the visible ones, some around them, and the active one, which would lose the focus if
 * it were removed. `pagedRange` is the range of rows to load: the visible ones and those around them.
 */
function useRows({ count, active, rowPx }: RowsState, list: RefObject<HTMLUListElement | null>) {
  const [scrollMargin, setScrollMargin] = useState(0);
  // Content that appears above the list moves the list.
  useLayoutEffect(() => {
    if (list.current !== null) setScrollMargin(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count,
    overscan,
    scrollMargin,
    estimateSize: () => rowPx,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    scrollPaddingStart: coveredPx,
    scrollPaddingEnd: coveredPx,
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), active, range),
  });
  const measure = useRef(rowPx);
  useLayoutEffect(() => {
    if (measure.current === rowPx) return;
    measure.current = rowPx;
    virtualizer.measure();
  }, [rowPx, virtualizer]);
  const rows = virtualizer.getVirtualItems().map(({ index }) => index);
  const { startIndex = 0, endIndex = -1 } = virtualizer.range ?? {};
  return {
    rows,
    pagedRange: { first: Math.max(0, startIndex - overscan), last: Math.min(count - 1, endIndex + overscan) },
    show: (index: number) => virtualizer.scrollToIndex(index),
  };
}

function withRow(rows: number[], row: number | undefined, { count }: Range): number[] {
  if (row === undefined || row >= count || rows.includes(row)) return rows;
  return row < (rows[0] ?? 0) ? [row, ...rows] : [...rows, row];
}

/** The row to which shortcuts apply. After a move, it is scrolled into view, and focused once it is rendered. */
function useActiveRow(count: number, list: RefObject<HTMLUListElement | null>) {
  const [chosen, setIndex] = useState<number | undefined>(undefined);
  const pendingFocus = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (pendingFocus.current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${pendingFocus.current}"]`);
    if (row == null) return;
    pendingFocus.current = undefined;
    row.focus({ preventScroll: true });
  });
  // The list may have become shorter, or empty.
  const index = chosen === undefined || count === 0 ? undefined : Math.min(chosen, count - 1);
  const move = (event: KeyboardEvent, by: number, show: (index: number) => void) => {
    if (count === 0) return;
    event.preventDefault();
    const next = index === undefined ? 0 : Math.max(0, Math.min(count - 1, index + by));
    pendingFocus.current = next;
    setIndex(next);
    show(next);
  };
  return { index, set: setIndex, move };
}
