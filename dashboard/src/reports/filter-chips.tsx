import { X } from "lucide-react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { FilterMenu } from "./filter-popover.tsx";
import { type Filter, inverted, readFilters } from "./filters.ts";
import { useLabels } from "./labels.ts";
import { useNames } from "./names.ts";
import { withoutFilters } from "./search.ts";
import { useView } from "./view.tsx";

/** Values shown in a chip; further ones are only counted. */
const valuesShown = 2;

/** The active filters: each can be inverted, edited and removed. */
export function FilterChips() {
  const { analytics } = useTexts();
  const { search, change, source } = useView();
  const filters = readFilters(search).filter(({ name }) => source.filters.includes(name));
  if (filters.length === 0) return null;
  return (
    <ul aria-label={analytics.filtersSet} className="flex flex-wrap items-center gap-2">
      {filters.map((filter) => (
        <Chip key={filter.name} filter={filter} />
      ))}
      <li>
        <Button variant="quiet" size="small" onClick={() => change(withoutFilters())}>
          {analytics.clearFilters}
        </Button>
      </li>
    </ul>
  );
}

const part = "h-full shrink-0 px-2 hover:bg-sunken focus-visible:-outline-offset-2";

function Chip({ filter: { name, values, isExcluded } }: { filter: Filter }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const labels = useLabels();
  const { search, change } = useView();
  const called = useNames(name, values).map((value) => labels.ofValue(name, value).text);
  const title = analytics.filters[name];
  const more = called.length - valuesShown;
  const text = `${called.slice(0, valuesShown).join(", ")}${more > 0 ? ` ${analytics.andMore(format.number(more))}` : ""}`;
  return (
    <li className="relative flex h-8 max-w-full items-center divide-x divide-line overflow-hidden rounded-lg border border-line bg-surface text-[13px] shadow-card">
      <span className="shrink-0 px-2.5 text-muted">{title}</span>
      <button
        type="button"
        className={`${part} ${isExcluded ? "text-danger" : "text-muted"}`}
        onClick={() => change({ [name]: inverted(search[name] ?? "") })}
      >
        {isExcluded ? analytics.isNoneOf : analytics.isOneOf}
        <span className="sr-only">{analytics.invertFilter(title)}</span>
      </button>
      <FilterMenu
        only={name}
        trigger={
          <button type="button" className={`${part} min-w-0 shrink! truncate font-medium`}>
            {text}
            <span className="sr-only">{analytics.editFilter(title)}</span>
          </button>
        }
      />
      <button
        type="button"
        aria-label={analytics.removeFilter(title)}
        title={analytics.removeFilter(title)}
        className={`${part} text-muted hover:text-ink`}
        onClick={() => change({ [name]: undefined })}
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </li>
  );
}
