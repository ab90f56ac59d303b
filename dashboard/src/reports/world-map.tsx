import { geoEqualEarth, geoPath } from "d3-geo";
import type { Feature, Geometry } from "geojson";
import { useMemo, useState } from "react";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import world from "world-atlas/countries-110m.json";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useCountText } from "./count-text.ts";
import { countryCode } from "./country-codes.ts";
import { selected } from "./filters.ts";
import type { Row } from "./groupings.ts";
import { numberOf } from "./series.ts";
import { ShadeLegend } from "./shade-legend.tsx";
import { type ShadeScale, shadeScaleOf } from "./shade-scale.ts";
import { shadeFills } from "./shades.ts";
import { useView } from "./view.tsx";

const size = { width: 640, height: 304 };

type Country = { key: string; code: string | undefined; path: string; middle: [number, number] };
/** A country with clicks. */
type Shown = Country & { code: string; number: number };

/** A map of clicks by country. Each country with clicks is a button that shows its number and filters by it. */
export function WorldMap({ rows }: { rows: readonly Row[] }) {
  const { analytics } = useTexts();
  const { metric, search, change } = useView();
  const [hoveredCode, setHoveredCode] = useState<string>();
  const countries = useMemo(drawCountries, []);
  const numbers = new Map(rows.map((row) => [row.country, numberOf(row, metric)]));
  const withNumbers = countries.map((country) => ({ ...country, number: numbers.get(country.code) ?? 0 }));
  const shown = withNumbers
    .filter((country): country is Shown => country.code !== undefined && country.number > 0)
    .sort((one, other) => other.number - one.number);
  const scale = shadeScaleOf(shown.map(({ number }) => number));
  const hovered = shown.find(({ code }) => code === hoveredCode);
  return (
    <div className="grid gap-2">
      <div className="relative">
        <svg viewBox={`0 0 ${size.width} ${size.height}`} className="block w-full">
          <title>{analytics.mapTitle}</title>
          <g className="fill-line stroke-surface" strokeWidth={0.6}>
            {withNumbers.map(({ key, path, number }) => number === 0 && <path key={key} d={path} />)}
          </g>
          {shown.map((country) => (
            <CountryShape
              key={country.key}
              country={country}
              shade={scale.shadeOf(country.number)}
              isChosen={search.country === country.code}
              onOver={setHoveredCode}
              onChoose={() => change({ country: selected("country", search.country, country.code) })}
            />
          ))}
        </svg>
        {hovered && <CountryBubble country={hovered} />}
      </div>
      <Legend scale={scale} />
    </div>
  );
}

type ShapeProps = {
  country: Shown;
  shade: number;
  isChosen: boolean;
  onOver(code: string | undefined): void;
  onChoose(): void;
};

function CountryShape({ country, shade, isChosen, onOver, onChoose }: ShapeProps) {
  const format = useFormat();
  const { analytics } = useTexts();
  const countText = useCountText();
  const { code, number, path } = country;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the shapes of a drawing cannot be buttons of HTML
    <path
      d={path}
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      aria-label={analytics.filterBy(format.country(code), countText(number))}
      strokeWidth={0.6}
      className={classNames(
        "cursor-pointer stroke-surface outline-none hover:stroke-ink hover:stroke-[1.2] focus-visible:stroke-ink focus-visible:stroke-[1.6]",
        isChosen && "stroke-ink",
        shadeFills[shade],
      )}
      onPointerEnter={() => onOver(code)}
      onPointerLeave={() => onOver(undefined)}
      onFocus={() => onOver(code)}
      onBlur={() => onOver(undefined)}
      onClick={onChoose}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onChoose();
      }}
    />
  );
}

function CountryBubble({ country: { code, number, middle } }: { country: Shown }) {
  const format = useFormat();
  const countText = useCountText();
  const [x, y] = middle;
  return (
    <div
      aria-hidden
      style={{
        left: `${Math.max(16, Math.min(84, (x / size.width) * 100))}%`,
        top: `${(y / size.height) * 100}%`,
      }}
      className="pointer-events-none absolute z-10 w-max -translate-x-1/2 -translate-y-[calc(100%+0.75rem)] rounded-lg border border-line bg-surface px-2.5 py-1.5 text-[13px] shadow-raised"
    >
      <span className="font-medium">{format.country(code)}</span>{" "}
      <span className="tabular text-muted">{countText(number)}</span>
    </div>
  );
}

function Legend({ scale }: { scale: ShadeScale }) {
  const { analytics } = useTexts();
  if (scale.ranges.length === 0) return <p className="text-center text-[13px] text-muted">{analytics.noCountries}</p>;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5 px-1 text-xs text-faint">
      <span>{analytics.mapHint}</span>
      <ShadeLegend scale={scale} />
    </div>
  );
}

type Shapes = Topology<{ countries: GeometryCollection<{ name: string }> }>;

/** Draws the outlines of the inhabited countries. Antarctica would take a fifth of the space. */
function drawCountries(): Country[] {
  // The package's own type; the type of the JSON file is too wide.
  const topology = world as unknown as Shapes;
  const all = feature(topology, topology.objects.countries).features.filter(isInhabited);
  // The map is cut in the Bering Strait, so that it splits no land.
  const projection = geoEqualEarth()
    .rotate([-11, 0])
    .fitSize([size.width, size.height], { type: "FeatureCollection", features: all });
  const draw = geoPath(projection).digits(1);
  return all.map((country) => ({
    key: `${country.id ?? country.properties.name}`,
    code: countryCode(country.id, country.properties.name),
    path: draw(country) ?? "",
    middle: draw.centroid(country),
  }));
}

/** False for Antarctica and the French Southern Territories, by their ISO 3166-1 numbers. */
function isInhabited({ id }: Feature<Geometry, { name: string }>): boolean {
  return id !== "010" && id !== "260";
}
