import { FilterX } from "lucide-react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { MiddleTruncated } from "../ui/middle-truncated.tsx";
import { excluded, type FilterName, selected, unknownValue } from "./filters.ts";
import { canChoose, type Grouping, groupings, isOutsideTotals, type Row, rowValue } from "./groupings.ts";
import { IconOrCode } from "./icon-or-code.tsx";
import { type Label, useLabels } from "./labels.ts";
import { useCount } from "./report-queries.ts";
import { numberOf } from "./series.ts";
import { useView } from "./view.tsx";

type RowProps = { grouping: Grouping; row: Row; max: number; onChosen?: () => void };

/** A value and its share of all clicks, with buttons that filter by it or exclude it. */
export function BreakdownRow({ grouping, row, max, onChosen }: RowProps) {
  const { metric, source } = useView();
  const labels = useLabels();
  const number = numberOf(row, metric);
  return (
    <ValueRow
      filter={groupings[grouping].filter}
      value={rowValue(grouping, row)}
      label={labels.ofRow(grouping, row)}
      number={number}
      barPart={max === 0 ? 0 : number / max}
      isPossible={source.filters.includes(groupings[grouping].filter) && canChoose(grouping, row)}
      isGone={row.deleted === true}
      {...(onChosen !== undefined && { onChosen })}
    />
  );
}

/** The clicks without a known value, below the values. They have no bar, since they are not a value. */
export function UnknownRow({ grouping, number }: { grouping: Grouping; number: number }) {
  const labels = useLabels();
  const { filter } = groupings[grouping];
  return (
    <ValueRow
      filter={filter}
      value={unknownValue}
      label={labels.ofValue(filter, unknownValue)}
      number={number}
      barPart={0}
      isPossible
    />
  );
}

type ValueRowProps = {
  filter: FilterName;
  value: string;
  label: Label;
  number: number;
  /** Length of the bar, as a part of the longest. */
  barPart: number;
  isPossible: boolean;
  isGone?: boolean;
  onChosen?: () => void;
};

function ValueRow({ filter, value, label, number, barPart, isPossible, isGone = false, onChosen }: ValueRowProps) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { search, change, metric } = useView();
  const total = useCount().data;
  const hasPart = total !== undefined && !isOutsideTotals(filter, search);
  const part = hasPart ? number / Math.max(1, numberOf(total, metric)) : undefined;
  const set = (text: string | undefined) => {
    change({ [filter]: text });
    onChosen?.();
  };
  return (
    <div className="group relative">
      <button
        type="button"
        disabled={!isPossible}
        title={isPossible || value === "" || isGone ? undefined : analytics.notFilterable}
        aria-pressed={search[filter] !== undefined && !search[filter].startsWith("-")}
        onClick={() => set(selected(filter, search[filter], value))}
        className="flex h-8 w-full items-center gap-2.5 rounded-md pr-2 text-left hover:bg-sunken focus-visible:-outline-offset-2"
      >
        <span className="relative flex h-7 min-w-0 grow items-center px-2">
          <span
            aria-hidden
            style={{ width: `${barPart * 100}%` }}
            className="absolute inset-y-0 left-0 rounded-md bg-accent-soft transition-[width] duration-300 ease-out"
          />
          <RowLabel {...label} />
        </span>
        <span className="min-w-11 shrink-0 text-right font-medium tabular">{format.number(number)}</span>
        <span className="w-11 shrink-0 text-right text-xs text-muted tabular group-focus-within:invisible group-hover:invisible max-sm:visible!">
          {part === undefined ? "" : format.share(Math.min(1, part))}
        </span>
        {isPossible && <span className="sr-only">{analytics.filterByIt}</span>}
      </button>
      {isPossible && (
        <IconButton
          label={analytics.exclude(label.text)}
          onClick={() => set(excluded(filter, search[filter], value))}
          className="absolute right-1 top-0.5 size-7 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 max-sm:hidden"
        >
          <FilterX aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

function RowLabel(label: Label) {
  const { text, host, about } = label;
  return (
    <span className="relative flex min-w-0 grow items-center gap-2">
      <IconOrCode {...label} />
      <span className="@container flex min-w-0 grow items-baseline gap-2">
        <span className="min-w-0 truncate">
          {host === undefined ? text : <ShortLink text={text} host={host} hasAbout={Boolean(about)} />}
        </span>
        {about && (
          // Two fifths of the row, less if it needs less, and more if the short link leaves it.
          <span
            dir="auto"
            title={about}
            className="max-w-max shrink-0 grow basis-2/5 truncate text-xs text-muted max-sm:hidden"
          >
            {about}
          </span>
        )}
      </span>
    </span>
  );
}

/**
 * Links of a domain differ in their ends, so only their host is cut while that is enough. In a narrow row, the host gives
 * its room to the text beside it. Screen readers get one text.
 */
function ShortLink({ text, host, hasAbout }: { text: string; host: string; hasAbout: boolean }) {
  return (
    <>
      <span aria-hidden title={text} className="flex">
        <span className={classNames("min-w-5 shrink-[999] truncate", hasAbout && "sm:@max-3xs:hidden")}>{host}</span>
        <MiddleTruncated text={text.slice(host.length)} />
      </span>
      <span className="sr-only">{text}</span>
    </>
  );
}
