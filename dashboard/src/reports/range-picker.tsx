import { CalendarDays, ChevronDown } from "lucide-react";
import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { customPeriodOf, intervalDefault } from "./search.ts";
import { useView } from "./view.tsx";

/** Loaded when first opened, with the scripts of date fields and of the search for a time zone. */
const loadPanel = async () => (await import("./range-panel.tsx")).RangePanel;

/**
 * Chooses the period: a named one, or a custom one of whole days or to the minute, and the time zone of its days. The
 * short one has no icon on a phone, and shrinks there.
 */
export function RangePicker({ isShort = false }: { isShort?: boolean }) {
  const { analytics } = useTexts();
  const { search, timeLabels } = useView();
  const [isOpen, setOpen] = useState(false);
  const Panel = useLazyComponent(loadPanel, isOpen, () => setOpen(false));
  const { interval = intervalDefault } = search;
  const custom = customPeriodOf(search);
  const shown = custom === undefined ? analytics.intervals[interval] : timeLabels.period(custom);
  return (
    <Popover
      trigger={
        <Button
          aria-label={`${analytics.range}: ${shown}`}
          className={classNames("min-w-0 max-w-full", isShort && "max-sm:shrink max-sm:gap-1 max-sm:px-2")}
        >
          <CalendarDays className={classNames("text-faint", isShort && "max-sm:hidden")} aria-hidden />
          <span className="truncate">{shown}</span>
          <ChevronDown className="text-faint" aria-hidden />
        </Button>
      }
      label={analytics.range}
      align="end"
      className="max-h-[min(42rem,var(--radix-popper-available-height))] w-84 p-0"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      {Panel === undefined ? <Skeleton className="m-3 h-120" /> : <Panel onDone={() => setOpen(false)} />}
    </Popover>
  );
}
