import { useVirtualizer } from "@tanstack/react-virtual";
import { Search } from "lucide-react";
import { useState } from "react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import { BreakdownRow } from "./breakdown-row.tsx";
import type { Grouping, Row } from "./groupings.ts";
import { useLabels } from "./labels.ts";
import { numberOf } from "./series.ts";
import { useView } from "./view.tsx";

const rowHeight = 34;
const rowsBeyond = 10;

type DialogProps = { grouping: Grouping; rows: readonly Row[]; isOpen: boolean; onClose(): void };

/** All rows of a grouping, with a search. */
export function BreakdownDialog({ grouping, rows, isOpen, onClose }: DialogProps) {
  const { analytics } = useTexts();
  const format = useFormat();
  const labels = useLabels();
  const [text, setText] = useState("");
  const searchText = text.trim().toLowerCase();
  const found = searchText === "" ? rows : rows.filter((row) => labels.isFound(grouping, row, searchText));
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={analytics.groupings[grouping]}
      about={analytics.rowsShown(format.number(found.length))}
      className="max-w-xl"
    >
      <div className="relative mb-3">
        <Search className="pointer-events-none absolute left-3 top-2.5 size-4 text-faint" aria-hidden />
        <Input
          type="search"
          aria-label={analytics.findRow}
          placeholder={analytics.findRow}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="pl-9"
        />
      </div>
      <Rows grouping={grouping} rows={found} onChosen={onClose} />
    </Dialog>
  );
}

/** A virtual list: only visible rows are rendered. */
function Rows({ grouping, rows, onChosen }: { grouping: Grouping; rows: readonly Row[]; onChosen(): void }) {
  const { metric } = useView();
  const [box, setBox] = useState<HTMLElement | null>(null);
  const max = Math.max(0, ...rows.map((row) => numberOf(row, metric)));
  const { getTotalSize, getVirtualItems } = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: () => rowHeight,
    overscan: rowsBeyond,
  });
  return (
    <div ref={setBox} className="-mx-2 h-[min(26rem,55dvh)] overflow-y-auto px-2">
      <ul className="relative" style={{ height: getTotalSize() }}>
        {getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <li key={index} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
                <BreakdownRow grouping={grouping} row={row} max={max} onChosen={onChosen} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
