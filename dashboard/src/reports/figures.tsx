import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Skeleton } from "../ui/states.tsx";
import { ChangeBadge } from "./change-badge.tsx";
import { useCount } from "./report-queries.ts";
import { type Metric, numberOf } from "./series.ts";
import { useView } from "./view.tsx";

const metrics: readonly Metric[] = ["clicks", "visitors"];

/** The headline numbers; the selected one determines what the page counts. */
export function Figures() {
  const { analytics } = useTexts();
  return (
    <fieldset className="grid min-w-0 grow grid-cols-2 sm:flex">
      <legend className="sr-only">{analytics.metric}</legend>
      {metrics.map((metric) => (
        <Figure key={metric} metric={metric} />
      ))}
    </fieldset>
  );
}

function Figure({ metric }: { metric: Metric }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { metric: shown, change, search, reportQuery, timeLabels } = useView();
  const { data, isPlaceholderData } = useCount();
  const now = data && numberOf(data, metric);
  const period = data?.previous === undefined ? "" : timeLabels.between(data.previous.start, data.previous.end);
  const before = data?.previous && numberOf(data.previous, metric);
  return (
    <button
      type="button"
      aria-pressed={metric === shown}
      onClick={() => change({ metric: metric === "visitors" ? "visitors" : undefined })}
      className={classNames(
        "group relative grid content-start gap-1 border-line px-4 py-3.5 text-left transition-colors hover:bg-sunken/60 sm:min-w-44 sm:border-r sm:px-5",
        "focus-visible:-outline-offset-2 max-sm:first-of-type:border-r",
        "after:absolute after:inset-x-0 after:-bottom-px after:h-0.5 after:bg-transparent aria-pressed:after:bg-accent",
      )}
    >
      <span className="text-[13px] font-medium text-muted group-aria-pressed:text-ink">{analytics[metric]}</span>
      {now === undefined ? (
        <Skeleton className="my-0.5 h-7 w-24" />
      ) : (
        <span
          className={classNames(
            "text-2xl font-semibold tracking-tight tabular transition-opacity",
            isPlaceholderData && "opacity-50",
          )}
        >
          {format.number(now)}
        </span>
      )}
      {now === undefined && search.compare !== "none" && reportQuery.interval !== "all" && (
        <Skeleton className="h-5 w-16" />
      )}
      {now !== undefined && before !== undefined && now + before > 0 && !isPlaceholderData && (
        <span className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
          <ChangeBadge now={now} before={before} period={period} />
          <span className="text-xs text-faint" aria-hidden>
            {analytics.versus(format.number(before))}
          </span>
        </span>
      )}
    </button>
  );
}
