import { classNames } from "../base/class-names.ts";
import { useFormat } from "../texts/texts.tsx";
import type { ShadeScale } from "./shade-scale.ts";
import { shadeGrounds } from "./shades.ts";

/** The shades of a drawing with their numbers. */
export function ShadeLegend({ scale }: { scale: ShadeScale }) {
  const format = useFormat();
  return (
    <ul className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted tabular">
      {scale.ranges.map(({ shade, range: { from, to } }) => (
        <li key={shade} className="flex items-center gap-1.5">
          <span aria-hidden className={classNames("size-3 rounded-sm", shadeGrounds[shade])} />
          {from === to ? format.number(from) : `${format.number(from)}–${format.number(to)}`}
        </li>
      ))}
    </ul>
  );
}
