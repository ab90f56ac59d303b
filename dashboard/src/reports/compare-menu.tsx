import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Popover } from "../ui/popover.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { OptionButton } from "./option-button.tsx";
import { type CustomPeriod, periodBetween } from "./period.ts";
import { useCount } from "./report-queries.ts";
import { customPeriodOf, intervalDefault, type SearchChange } from "./search.ts";
import { useView } from "./view.tsx";

/** Loaded when first needed, with the script of date fields. */
const loadForm = async () => (await import("./period-form.tsx")).PeriodForm;

const choices = ["previous", "year", "custom", "none"] as const;
type Choice = (typeof choices)[number];

/** Chooses the period with which the report is compared. All time has no other period. */
export function CompareMenu() {
  const { analytics } = useTexts();
  const { search, change } = useView();
  const [isOpen, setOpen] = useState(false);
  const [isCustom, setCustom] = useState(false);
  const Form = useLazyComponent(loadForm, isOpen && isCustom, () => setCustom(false));
  const initial = useCustomPeriod();
  const { interval = intervalDefault, compare = "previous" } = search;
  if (interval === "all" && customPeriodOf(search) === undefined) return null;
  const apply = (comparison: SearchChange) => {
    change({ compare: undefined, compareStart: undefined, compareEnd: undefined, ...comparison });
    setOpen(false);
  };
  const choose = (choice: Choice) => {
    if (choice === "custom") setCustom(true);
    else apply({ compare: choice === "previous" ? undefined : choice });
  };
  const selected = isCustom ? "custom" : compare;
  return (
    <Popover
      trigger={<Trigger compare={compare} />}
      label={analytics.compare}
      className="max-h-[min(38rem,var(--radix-popper-available-height))] w-80 p-0"
      isOpen={isOpen}
      onOpenChange={(isToOpen) => {
        setOpen(isToOpen);
        setCustom(compare === "custom");
      }}
    >
      <ul className="grid gap-0.5 p-1.5">
        {choices.map((choice) => (
          <li key={choice}>
            <OptionButton isSelected={choice === selected} onSelect={() => choose(choice)}>
              {analytics.comparisons[choice]}
            </OptionButton>
          </li>
        ))}
      </ul>
      {isCustom ? (
        Form === undefined ? (
          <Skeleton className="m-3 h-48" />
        ) : (
          <Form
            title={analytics.comparedPeriod}
            initial={initial}
            onSubmit={({ start, end }) => apply({ compare: "custom", compareStart: start, compareEnd: end })}
          />
        )
      ) : (
        <p className="border-t border-line px-4 py-2.5 text-[13px] text-faint">{analytics.compareHint}</p>
      )}
    </Popover>
  );
}

function Trigger({ compare, ...props }: { compare: Choice }) {
  const { analytics } = useTexts();
  const { timeLabels } = useView();
  const { data } = useCount();
  const previous = data?.previous;
  const isOff = compare === "none";
  return (
    <button
      type="button"
      {...props}
      className="-mx-1.5 flex min-w-0 items-center gap-1.5 rounded-md px-1.5 py-0.5 text-left hover:bg-sunken hover:text-ink"
    >
      <span
        className={classNames("w-4 shrink-0 border-t-2 border-dashed border-field", isOff && "hidden")}
        aria-hidden
      />
      {isOff ? analytics.compare : analytics.comparisons[compare]}
      {!isOff && data === undefined && <Skeleton className="h-4 w-30" />}
      {!isOff && previous !== undefined && (
        <span className="text-faint tabular">{timeLabels.between(previous.start, previous.end)}</span>
      )}
      <ChevronDown className="size-3.5 shrink-0 text-faint" aria-hidden />
    </button>
  );
}

/** The compared period, in whole days as long as the report's. */
function useCustomPeriod(): CustomPeriod {
  const { search, timezone } = useView();
  const { data } = useCount();
  const { compareStart, compareEnd } = search;
  if (compareStart !== undefined && compareEnd !== undefined) return { start: compareStart, end: compareEnd };
  if (data === undefined) return { start: "", end: "" };
  const from = data.previous?.start ?? data.start;
  const length = Date.parse(data.end) - Date.parse(data.start);
  return periodBetween(from, Date.parse(from) + length, timezone);
}
