import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useRowLayout } from "./use-row-layout.ts";

/** The grid of a row. Title and short link keep their room beside the columns, however many tags a link has. */
export function rowGrid(isNarrow: boolean): string {
  return classNames(
    "grid items-center gap-2.5 border-b border-line px-3 sm:gap-3 sm:px-4",
    isNarrow
      ? "grid-cols-[auto_auto_minmax(0,1fr)_auto]"
      : "grid-cols-[auto_auto_minmax(0,1fr)_fit-content(32%)_auto_auto] @4xl:grid-cols-[auto_auto_minmax(0,1fr)_fit-content(46%)_auto_auto]",
  );
}

/** Placeholder rows while the number of links is unknown; about as many as a window shows. */
const rows = [1, 2, 3, 4, 5, 6];

/** Shown while the links are counted; the list appears at the same position. */
export function ListSkeleton() {
  const { words } = useTexts();
  const { isNarrow, rowPx } = useRowLayout();
  return (
    <section aria-label={words.loading} className="rounded-xl border border-line bg-surface shadow-card">
      <div className="flex h-12 items-center gap-3 border-b border-line px-3 sm:px-4">
        <Skeleton className="size-4" />
        <Skeleton className="h-4 w-16" />
      </div>
      {rows.map((row) => (
        <div key={row} className={classNames(rowGrid(isNarrow), "last:border-0")} style={{ height: rowPx }}>
          <RowSkeleton />
        </div>
      ))}
    </section>
  );
}

/** Shown in a row while its link loads. */
export function RowSkeleton() {
  return (
    <>
      <Skeleton className="size-4" />
      <Skeleton className="size-9 rounded-lg" />
      <div className="grid grid-cols-1 gap-2">
        <Skeleton className="h-4 w-48 max-w-full" />
        <Skeleton className="h-3 w-72 max-w-full" />
      </div>
    </>
  );
}
