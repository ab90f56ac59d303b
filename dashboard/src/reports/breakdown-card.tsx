import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { BreakdownRow, UnknownRow } from "./breakdown-row.tsx";
import { type CardName, cards, type Grouping, groupings, isOutsideTotals, rowKey } from "./groupings.ts";
import { useRows, useUnknown } from "./report-queries.ts";
import { selectedTab, selectTab } from "./search.ts";
import { numberOf } from "./series.ts";
import { useView } from "./view.tsx";

const rowsShown = 7;
const loadDialog = async () => (await import("./breakdown-dialog.tsx")).BreakdownDialog;

type CardProps = {
  card: CardName;
  /** All groupings of the card by default. */
  tabs?: readonly Grouping[];
};

/** A card with the rows of a grouping; each tab is another grouping. */
export function BreakdownCard({ card, tabs = cards[card] }: CardProps) {
  const { analytics } = useTexts();
  const { search, change, metric, source } = useView();
  const names = tabs.filter((name) => source.groupings.includes(name));
  if (names.length === 0) return null;
  const tab = selectedTab(search, names);
  return (
    <section
      aria-label={analytics.cards[card]}
      className="flex lg:min-h-[23rem] min-w-0 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card"
    >
      <h2 className="sr-only">{analytics.cards[card]}</h2>
      <Tabs
        label={analytics.cards[card]}
        value={tab}
        onChange={(name) => change(selectTab(search, names, name))}
        tabs={names.map((value) => ({ value, label: analytics.groupings[value] }))}
        className="flex grow flex-col [&>[role=tabpanel]]:grow"
      >
        <div className="flex items-center justify-between px-4 pt-2.5 text-xs font-medium text-faint">
          <span>
            {analytics.groupings[tab]}
            {isOutsideTotals(groupings[tab].filter, search) && ` · ${analytics.outsideTotals}`}
          </span>
          <span>{analytics[metric]}</span>
        </div>
        <Breakdown key={tab} grouping={tab} />
      </Tabs>
    </section>
  );
}

/** The first rows of a grouping, and a button that shows all. */
function Breakdown({ grouping }: { grouping: Grouping }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { metric, search } = useView();
  const [isOpen, setOpen] = useState(false);
  const BreakdownDialog = useLazyComponent(loadDialog, isOpen, () => setOpen(false));
  const { data: rows, error, isPlaceholderData, refetch } = useRows(grouping);
  const unknown = useUnknown(grouping, rows);
  if (error && !rows) {
    return (
      <div className="p-4">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (rows === undefined) return <RowSkeletons />;
  // With only unknown values, the card shows its empty text, unless the page is filtered by this grouping.
  const isUnknownShown = unknown > 0 && (rows.length > 0 || search[groupings[grouping].filter] !== undefined);
  if (rows.length === 0 && !isUnknownShown) return <EmptyCard grouping={grouping} />;
  const max = Math.max(...rows.map((row) => numberOf(row, metric)));
  return (
    <>
      <ul className={classNames("grid grid-cols-1 gap-0.5 p-2 transition-opacity", isPlaceholderData && "opacity-50")}>
        {rows.slice(0, rowsShown).map((row) => (
          <li key={rowKey(grouping, row)}>
            <BreakdownRow grouping={grouping} row={row} max={max} />
          </li>
        ))}
        {isUnknownShown && (
          <li>
            <UnknownRow grouping={grouping} number={unknown} />
          </li>
        )}
      </ul>
      {rows.length > rowsShown && (
        <div className="px-1.5 pb-3">
          <Button variant="quiet" size="small" onClick={() => setOpen(true)}>
            {analytics.showAll} <span className="text-faint">{format.number(rows.length)}</span>
            <span className="sr-only">{analytics.groupings[grouping]}</span>
          </Button>
        </div>
      )}
      {BreakdownDialog !== undefined && (
        <BreakdownDialog grouping={grouping} rows={rows} isOpen={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function RowSkeletons() {
  return (
    <div className="grid gap-2.5 p-4">
      {["w-full", "w-4/5", "w-3/5", "w-1/2", "w-2/5"].map((width) => (
        <Skeleton key={width} className={`h-7 ${width}`} />
      ))}
    </div>
  );
}

function EmptyCard({ grouping }: { grouping: Grouping }) {
  const { analytics } = useTexts();
  const { isAdministrator } = useView();
  const { emptyCard } = analytics;
  const isPlace = grouping === "cities" || grouping === "regions";
  const text = Object.hasOwn(emptyCard, grouping) ? emptyCard[grouping as keyof typeof emptyCard] : emptyCard.plain;
  return (
    <div className="grid min-h-40 grow place-content-center justify-items-center gap-1 px-6 text-center text-muted">
      <p>{text}</p>
      {isPlace && <p className="max-w-xs text-balance text-[13px] text-faint">{analytics.cityHint(isAdministrator)}</p>}
    </div>
  );
}
