import { lazy, Suspense } from "react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ScrollBox } from "../ui/scroll-box.tsx";
import { Skeleton } from "../ui/states.tsx";
import type { Row } from "./groupings.ts";
import { useCount, useRows } from "./report-queries.ts";
import { isTable } from "./search.ts";
import { numberOf } from "./series.ts";
import { TableSwitch } from "./table-switch.tsx";
import { useInView } from "./use-in-view.ts";
import { useView } from "./view.tsx";

/** Loaded when the map is scrolled into view, because the borders are a quarter as large as all other scripts. */
const WorldMap = lazy(async () => ({ default: (await import("./world-map.tsx")).WorldMap }));

/** A map of the visitors' countries. */
export function MapCard() {
  const { analytics } = useTexts();
  const { data: rows, error, isPlaceholderData, refetch } = useRows("countries");
  const [watch, isInView] = useInView();
  return (
    <Card
      title={analytics.mapTitle}
      aside={<TableSwitch drawing="map" name={analytics.mapTitle} />}
      className="flex lg:min-h-[23rem] min-w-0 flex-col"
    >
      <div ref={watch} className={classNames("grid grow p-3 transition-opacity", isPlaceholderData && "opacity-50")}>
        {error && !rows ? (
          <ErrorNote error={error} onRetry={() => void refetch()} />
        ) : rows === undefined ? (
          <Skeleton className="h-64" />
        ) : (
          <Countries rows={rows} isInView={isInView} />
        )}
      </div>
    </Card>
  );
}

/** The countries as a table, or as a map once the card has been seen. */
function Countries({ rows, isInView }: { rows: readonly Row[]; isInView: boolean }) {
  const { search } = useView();
  if (isTable(search, "map")) return <CountryTable rows={rows} />;
  if (!isInView) return <div className="h-64" />;
  return (
    <Suspense fallback={<Skeleton className="h-64" />}>
      <div className="self-center">
        <WorldMap rows={rows} />
      </div>
    </Suspense>
  );
}

function CountryTable({ rows }: { rows: readonly Row[] }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { metric } = useView();
  const count = useCount().data;
  const total = count === undefined ? 0 : numberOf(count, metric);
  const shareOf = (row: Row) => format.share(total === 0 ? 0 : numberOf(row, metric) / total);
  if (rows.length === 0) return <p className="text-center text-muted">{analytics.noCountries}</p>;
  return (
    <ScrollBox label={analytics.mapTitle} className="max-h-72 self-start px-2">
      <table className="w-full tabular">
        <thead className="sticky top-0 bg-surface text-left text-xs text-faint">
          <tr className="[&>th]:py-2 [&>th]:font-medium">
            <th scope="col">{analytics.country}</th>
            <th scope="col" className="text-right">
              {analytics[metric]}
            </th>
            <th scope="col" className="text-right">
              {analytics.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.country} className="border-t border-line [&>*]:py-1.5">
              <th scope="row" className="text-left font-normal">
                {format.country(row.country ?? "")}
              </th>
              <td className="text-right font-medium">{format.number(numberOf(row, metric))}</td>
              <td className="text-right text-muted">{shareOf(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
