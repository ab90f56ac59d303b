import { useFormat, useTexts } from "../texts/texts.tsx";
import { useCountText } from "./count-text.ts";
import type { Unit } from "./search.ts";
import { isRunning, type Point } from "./series.ts";
import type { Selection } from "./series-cursor.ts";
import { useView } from "./view.tsx";

const bubbleRoom = 130;

type BubbleProps = {
  points: readonly Point[];
  unit: Unit;
  index: number;
  selection: Selection | undefined;
  /** The position of the point, and the width of the chart, in pixels. */
  x: number;
  width: number;
};

/** Shows the point under the pointer, or the selected points; the slider tells screen readers the same. */
export function SeriesBubble({ points, unit, index, selection, x, width }: BubbleProps) {
  const { analytics } = useTexts();
  const format = useFormat();
  const countText = useCountText();
  const { timeLabels, metric } = useView();
  const point = points[index];
  if (point === undefined) return null;
  const middle = Math.max(bubbleRoom, Math.min(width - bubbleRoom, x));
  const part = selection !== undefined && selection.first < selection.last ? partOf(points, selection) : undefined;
  return (
    <div
      aria-hidden
      style={{ left: middle }}
      className="pointer-events-none absolute top-0 z-10 grid w-max max-w-[15.5rem] -translate-x-1/2 -translate-y-2 gap-1.5 rounded-lg border border-line bg-surface px-3 py-2 text-[13px] shadow-raised"
    >
      {part === undefined ? (
        <>
          <BubbleRow
            swatch="bg-accent"
            when={`${timeLabels.long(unit, point.start)}${isRunning({ points, unit }, index, Date.now()) ? ` (${analytics.soFar})` : ""}`}
            number={countText(point.value)}
          />
          {point.before && (
            <BubbleRow
              swatch="border border-dashed border-field"
              when={timeLabels.long(unit, point.before.start)}
              number={format.number(point.before.value)}
            />
          )}
        </>
      ) : (
        <>
          <BubbleRow
            swatch="bg-accent"
            when={timeLabels.between(new Date(part.from).toISOString(), new Date(part.to).toISOString())}
            // Visitors of several points are not their sum.
            number={metric === "clicks" ? countText(part.sum) : ""}
          />
          <span className="text-xs text-muted">{analytics.zoomHint}</span>
        </>
      )}
    </div>
  );
}

/** The selected part of a series, with the sum of its points. */
function partOf(points: readonly Point[], { first, last }: Selection) {
  const selected = points.slice(first, last + 1);
  const from = selected[0]?.start ?? 0;
  return {
    from,
    to: points[last + 1]?.start ?? (selected.at(-1)?.start ?? from) + 1,
    sum: selected.reduce((sum, { value }) => sum + value, 0),
  };
}

function BubbleRow({ swatch, when, number }: { swatch: string; when: string; number: string }) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-2">
      <span className={`size-2.5 rounded-full ${swatch}`} />
      <span className="truncate text-xs text-muted">{when}</span>
      <span className="col-start-2 font-semibold tabular">{number}</span>
    </div>
  );
}
