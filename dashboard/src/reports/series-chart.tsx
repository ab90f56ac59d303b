import { area, curveMonotoneX, line } from "d3-shape";
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from "react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useCountText } from "./count-text.ts";
import { axisOf, isRunning, labelledPoints, type Point, unitOf } from "./series.ts";
import { useWidth } from "./use-width.ts";
import { useView } from "./view.tsx";

const height = 264;
const edge = { top: 12, right: 14, bottom: 26 };
const labelWidth = 84;
const characterWidth = 7;

/** Positions of the points in the drawing. */
type Layout = {
  width: number;
  left: number;
  lines: number[];
  x(index: number): number;
  y(value: number): number;
};

/**
 * A metric as a line, with the previous period dashed behind it. The pointer and arrow keys show the value of each
 * point.
 */
export function SeriesChart({ points }: { points: readonly Point[] }) {
  const { analytics } = useTexts();
  const { metric } = useView();
  const [measure, width] = useWidth();
  const [at, setAt] = useState<number>();
  const describe = useDescription(points);
  const layout = useLayout(points, width);
  const last = points.length - 1;
  const shown = at === undefined ? undefined : Math.min(at, last);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = pointAfterKey(event.key, shown ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width: all } = currentTarget.getBoundingClientRect();
    const room = all - layout.left - edge.right;
    const part = room <= 0 ? 0 : (clientX - left - layout.left) / room;
    setAt(Math.max(0, Math.min(last, Math.round(part * last))));
  };
  return (
    <div ref={measure} className="relative">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${analytics.seriesTitle[metric]}. ${analytics.seriesHint}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? last}
        aria-valuetext={describe(shown ?? last)}
        onKeyDown={onKeyDown}
        onFocus={() => setAt((before) => before ?? last)}
        onBlur={() => setAt(undefined)}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setAt(undefined)}
        className="touch-pan-y rounded-lg"
      >
        <svg width={width} height={height} aria-hidden className="block overflow-visible">
          <Axes points={points} layout={layout} />
          <Curves points={points} layout={layout} />
          {shown !== undefined && <Cursor point={points[shown]} index={shown} layout={layout} />}
        </svg>
      </div>
      {shown !== undefined && <Bubble points={points} index={shown} layout={layout} />}
    </div>
  );
}

function useLayout(points: readonly Point[], width: number): Layout {
  const format = useFormat();
  return useMemo(() => {
    const max = Math.max(0, ...points.map(({ value, before }) => Math.max(value, before?.value ?? 0)));
    const lines = axisOf(max);
    const top = lines.at(-1) ?? 1;
    const left = Math.max(...lines.map((each) => format.short(each).length)) * characterWidth + 12;
    const room = Math.max(0, width - left - edge.right);
    const tall = height - edge.top - edge.bottom;
    return {
      width,
      left,
      lines,
      x: (index) => left + (points.length < 2 ? room / 2 : (index / (points.length - 1)) * room),
      y: (value) => edge.top + tall - (value / top) * tall,
    };
  }, [points, width, format]);
}

function useDescription(points: readonly Point[]) {
  const format = useFormat();
  const countText = useCountText();
  const { timeLabels } = useView();
  const unit = unitOf(points);
  return (index: number) => {
    const point = points[index];
    if (point === undefined) return "";
    const now = `${timeLabels.long(unit, point.start)}: ${countText(point.value)}`;
    if (point.before === undefined) return now;
    return `${now}; ${timeLabels.long(unit, point.before.start)}: ${format.number(point.before.value)}`;
  };
}

function Axes({ points, layout }: { points: readonly Point[]; layout: Layout }) {
  const format = useFormat();
  const { timeLabels } = useView();
  const { width, left, lines, x, y } = layout;
  const unit = unitOf(points);
  const labelled = labelledPoints(points.length, Math.floor((width - left) / labelWidth));
  return (
    <g className="text-xs tabular">
      {lines.map((each) => (
        <g key={each}>
          <line x1={left} x2={width - edge.right} y1={y(each)} y2={y(each)} className="stroke-line" />
          <text x={left - 8} y={y(each)} dy="0.32em" textAnchor="end" className="fill-faint">
            {format.short(each)}
          </text>
        </g>
      ))}
      {labelled.map((index) => (
        <text
          key={index}
          x={x(index)}
          y={height - 6}
          textAnchor={
            points.length < 2 ? "middle" : index === 0 ? "start" : index === points.length - 1 ? "end" : "middle"
          }
          className="fill-faint"
        >
          {timeLabels.short(unit, points[index]?.start ?? 0)}
        </text>
      ))}
    </g>
  );
}

/** The part that has not ended is dashed, so that its few clicks do not look like a drop. */
function Curves({ points, layout: { width, x, y } }: { points: readonly Point[]; layout: Layout }) {
  const id = `series-${useId().replace(/\W/g, "")}`;
  const [gradient, over, running] = [id, `${id}-over`, `${id}-running`];
  const last = points.length - 1;
  const end = last > 0 && isRunning(points, last, Date.now()) ? x(last - 1) : width;
  const at = (_: Point, index: number) => x(index);
  const curve = line<Point>()
    .x(at)
    .y(({ value }) => y(value))
    .curve(curveMonotoneX);
  const ground = area<Point>()
    .x(at)
    .y0(y(0))
    .y1(({ value }) => y(value))
    .curve(curveMonotoneX);
  const before = line<Point>()
    .defined((point) => point.before !== undefined)
    .x(at)
    .y((point) => y(point.before?.value ?? 0))
    .curve(curveMonotoneX);
  const all = [...points];
  return (
    <g fill="none" strokeLinejoin="round" strokeLinecap="round">
      <linearGradient id={gradient} x1="0" x2="0" y1="0" y2="1">
        <stop offset="0" className="[stop-color:var(--accent)] [stop-opacity:0.22]" />
        <stop offset="1" className="[stop-color:var(--accent)] [stop-opacity:0.02]" />
      </linearGradient>
      <clipPath id={over}>
        <rect width={end} height={height} />
      </clipPath>
      <clipPath id={running}>
        <rect x={end} width={Math.max(0, width - end)} height={height} />
      </clipPath>
      <path d={before(all) ?? ""} className="stroke-field" strokeWidth={1.5} strokeDasharray="4 5" />
      <path d={ground(all) ?? ""} fill={`url(#${gradient})`} clipPath={`url(#${over})`} />
      <path d={curve(all) ?? ""} className="stroke-accent" strokeWidth={2} clipPath={`url(#${over})`} />
      <path
        d={curve(all) ?? ""}
        className="stroke-accent"
        strokeWidth={2}
        strokeDasharray="1 5"
        clipPath={`url(#${running})`}
      />
      {points.length === 1 && points[0] && (
        <circle cx={x(0)} cy={y(points[0].value)} r={4} className="fill-accent stroke-surface" />
      )}
    </g>
  );
}

type CursorProps = { point: Point | undefined; index: number; layout: Layout };

function Cursor({ point, index, layout: { x, y } }: CursorProps) {
  if (point === undefined) return null;
  return (
    <g>
      <line x1={x(index)} x2={x(index)} y1={edge.top} y2={height - edge.bottom} className="stroke-field" />
      {point.before && (
        <circle cx={x(index)} cy={y(point.before.value)} r={3.5} className="fill-surface stroke-field" />
      )}
      <circle cx={x(index)} cy={y(point.value)} r={4.5} strokeWidth={2} className="fill-accent stroke-surface" />
    </g>
  );
}

const bubbleRoom = 130;

/** Shows the point under the pointer; the slider tells screen readers the same. */
function Bubble({ points, index, layout }: { points: readonly Point[]; index: number; layout: Layout }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const countText = useCountText();
  const { timeLabels } = useView();
  const point = points[index];
  if (point === undefined) return null;
  const unit = unitOf(points);
  const middle = Math.max(bubbleRoom, Math.min(layout.width - bubbleRoom, layout.x(index)));
  return (
    <div
      aria-hidden
      style={{ left: middle }}
      className="pointer-events-none absolute top-0 z-10 grid w-max max-w-[15.5rem] -translate-x-1/2 -translate-y-2 gap-1.5 rounded-lg border border-line bg-surface px-3 py-2 text-[13px] shadow-raised"
    >
      <BubbleRow
        swatch="bg-accent"
        when={`${timeLabels.long(unit, point.start)}${isRunning(points, index, Date.now()) ? ` (${analytics.soFar})` : ""}`}
        number={countText(point.value)}
      />
      {point.before && (
        <BubbleRow
          swatch="border border-dashed border-field"
          when={timeLabels.long(unit, point.before.start)}
          number={format.number(point.before.value)}
        />
      )}
    </div>
  );
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

/** The point that a key moves to; undefined for other keys. */
function pointAfterKey(key: string, at: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - 7,
    PageUp: at + 7,
    Home: 0,
    End: last,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.max(0, Math.min(last, next));
}
