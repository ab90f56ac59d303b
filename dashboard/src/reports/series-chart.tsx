import { area, curveMonotoneX, line } from "d3-shape";
import { type PointerEvent, useId, useMemo } from "react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useCountText } from "./count-text.ts";
import { periodBetween } from "./period.ts";
import { useCount } from "./report-queries.ts";
import { toZoom, type Unit } from "./search.ts";
import { axisOf, isRunning, labelledPoints, type Point } from "./series.ts";
import { SeriesBubble } from "./series-bubble.tsx";
import { type Selection, useSeriesCursor } from "./series-cursor.ts";
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

type ChartProps = {
  points: readonly Point[];
  unit: Unit;
  /** The end of the period; undefined while the chart shows another period. */
  end: number | undefined;
};

/**
 * A metric as a line, with the compared period dashed behind it. The pointer and arrow keys show the value of each
 * point; dragging, or Shift with the arrow keys and then Enter, zooms into the selected points.
 */
export function SeriesChart({ points, unit, end }: ChartProps) {
  const { analytics } = useTexts();
  const { metric } = useView();
  const [measure, width] = useWidth();
  const describe = useDescription(points, unit);
  const layout = useLayout(points, width);
  const last = points.length - 1;
  const pointAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width: all } = currentTarget.getBoundingClientRect();
    const room = all - layout.left - edge.right;
    const part = room <= 0 ? 0 : (clientX - left - layout.left) / room;
    return Math.max(0, Math.min(last, Math.round(part * last)));
  };
  const { shown, selection, handlers } = useSeriesCursor({ last, pointAt, ...useZoom(points, unit, end) });
  return (
    <div ref={measure} className="relative">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${analytics.seriesTitle[metric]}. ${analytics.seriesHint}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? last}
        aria-valuetext={describe(shown ?? last, selection)}
        {...handlers}
        className="touch-pan-y select-none rounded-lg"
      >
        <svg width={width} height={height} aria-hidden className="block overflow-visible">
          <Axes points={points} unit={unit} layout={layout} />
          {selection && <SelectedPart selection={selection} layout={layout} />}
          <Curves points={points} unit={unit} layout={layout} />
          {shown !== undefined && <Cursor point={points[shown]} index={shown} layout={layout} />}
        </svg>
      </div>
      {shown !== undefined && (
        <SeriesBubble {...{ points, unit, selection, width }} index={shown} x={layout.x(shown)} />
      )}
    </div>
  );
}

/** Zooms into points, clipped to the period, and out again. An hour cannot be divided. */
function useZoom(points: readonly Point[], unit: Unit, end: number | undefined) {
  const { search, change, timezone } = useView();
  const { data } = useCount();
  const begin = data === undefined ? 0 : Date.parse(data.start);
  const zoomTo = (end: number, { first, last }: Selection) => {
    if (unit === "hour" && first === last) return;
    const from = Math.max(begin, points[first]?.start ?? begin);
    change(toZoom(periodBetween(from, points[last + 1]?.start ?? end, timezone)));
  };
  return {
    onZoom: end === undefined ? undefined : (selection: Selection) => zoomTo(end, selection),
    onReset: search.zoom === undefined ? undefined : () => change(toZoom(undefined)),
  };
}

function useLayout(points: readonly Point[], width: number): Layout {
  const format = useFormat();
  return useMemo(() => {
    const max = Math.max(0, ...points.map(({ value, before }) => Math.max(value, before?.value ?? 0)));
    const lines = axisOf(max);
    const top = lines.at(-1) ?? 1;
    const left = Math.max(...lines.map((each) => format.number(each).length)) * characterWidth + 12;
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

function useDescription(points: readonly Point[], unit: Unit) {
  const { analytics } = useTexts();
  const format = useFormat();
  const countText = useCountText();
  const { timeLabels } = useView();
  return (index: number, selection: Selection | undefined) => {
    const point = points[index];
    if (point === undefined) return "";
    if (selection !== undefined && selection.first < selection.last) {
      const [first, last] = [points[selection.first] ?? point, points[selection.last] ?? point];
      return analytics.zoomSpoken(timeLabels.long(unit, first.start), timeLabels.long(unit, last.start));
    }
    const now = `${timeLabels.long(unit, point.start)}: ${countText(point.value)}`;
    if (point.before === undefined) return now;
    return `${now}; ${timeLabels.long(unit, point.before.start)}: ${format.number(point.before.value)}`;
  };
}

type DrawingProps = { points: readonly Point[]; unit: Unit; layout: Layout };

function Axes({ points, unit, layout }: DrawingProps) {
  const format = useFormat();
  const { timeLabels } = useView();
  const { width, left, lines, x, y } = layout;
  const labelled = labelledPoints(points.length, Math.floor((width - left) / labelWidth));
  return (
    <g className="text-xs tabular">
      {lines.map((each) => (
        <g key={each}>
          <line x1={left} x2={width - edge.right} y1={y(each)} y2={y(each)} className="stroke-line" />
          <text x={left - 8} y={y(each)} dy="0.32em" textAnchor="end" className="fill-faint">
            {format.number(each)}
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
function Curves({ points, unit, layout: { width, x, y } }: DrawingProps) {
  const id = `series-${useId().replace(/\W/g, "")}`;
  const [gradient, over, running] = [id, `${id}-over`, `${id}-running`];
  const last = points.length - 1;
  const end = last > 0 && isRunning({ points, unit }, last, Date.now()) ? x(last - 1) : width;
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

function SelectedPart({ selection: { first, last }, layout: { x } }: { selection: Selection; layout: Layout }) {
  return (
    <rect
      x={x(first)}
      width={Math.max(0, x(last) - x(first))}
      y={edge.top}
      height={height - edge.top - edge.bottom}
      className="fill-accent/15 stroke-accent/40"
    />
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
