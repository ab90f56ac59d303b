import { useTexts } from "../texts/texts.tsx";
import { Choice } from "../ui/choice.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useCount } from "./report-queries.ts";
import type { Unit } from "./search.ts";
import { unitsFor } from "./series.ts";
import { useView } from "./view.tsx";

/** Chooses the unit of the chart among those that fit the period. */
export function UnitChoice({ unit }: { unit: Unit }) {
  const { analytics } = useTexts();
  const { change } = useView();
  const { data } = useCount();
  if (data === undefined) return <Skeleton className="h-8 w-46" />;
  const units = unitsFor({ from: Date.parse(data.start), to: Date.parse(data.end) });
  if (units.length < 2) return null;
  return (
    <Choice
      label={analytics.unit}
      value={unit}
      onChange={(chosen) => change({ unit: chosen })}
      choices={units.map((value) => ({ value, label: analytics.unitNames[value] }))}
      className="[&>button]:px-2 [&>button]:py-0.5"
    />
  );
}
