import { Command } from "cmdk";
import { Check, ChevronLeft, ChevronRight, Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { type FilterName, readFilters, toggled } from "./filters.ts";
import { canChoose, groupingFor, type Row, rowKey, rowValue } from "./groupings.ts";
import { IconOrCode } from "./icon-or-code.tsx";
import { useLabels } from "./labels.ts";
import { useFoundLinks, useRows } from "./report-queries.ts";
import { numberOf } from "./series.ts";
import { useView } from "./view.tsx";

/** Values offered at once; a search finds the others. */
const valuesShown = 100;
const itemClass =
  "flex h-8 cursor-default select-none items-center gap-2.5 rounded-lg px-2 outline-none data-[selected=true]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0";

/** A list of filters, then of the values that clicks have. With `only`, it starts at the values of one filter. */
export function FilterLists({ only }: { only?: FilterName | undefined }) {
  const [name, setName] = useState<FilterName | undefined>(only);
  if (name === undefined) return <Names onChoose={setName} />;
  return <Values name={name} {...(only === undefined && { onBack: () => setName(undefined) })} />;
}

function Names({ onChoose }: { onChoose(name: FilterName): void }) {
  const { analytics } = useTexts();
  const { source } = useView();
  return (
    <Command label={analytics.findFilter}>
      <SearchField placeholder={analytics.findFilter} />
      <Command.List className="max-h-77 overflow-y-auto p-1">
        <Command.Empty className="p-4 text-center text-muted">{analytics.noFilter}</Command.Empty>
        {source.filters.map((name) => (
          <Command.Item
            key={name}
            value={analytics.filters[name]}
            onSelect={() => onChoose(name)}
            className={itemClass}
          >
            <span className="grow">{analytics.filters[name]}</span>
            <ChevronRight className="text-faint" aria-hidden />
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

function Values({ name, onBack }: { name: FilterName; onBack?: () => void }) {
  const { analytics } = useTexts();
  const { search } = useView();
  const [text, setText] = useState("");
  const [selected, setSelected] = useState("");
  const searchText = useDeferredValue(text.trim().toLowerCase());
  const grouping = groupingFor(name);
  const labels = useLabels();
  // Includes values that the filter currently excludes.
  const { data: rows, error, refetch } = useRows(grouping, { [name]: undefined });
  const others = useFoundLinks(searchText, name === "linkId").data ?? [];
  const ids = new Set(rows?.map(({ id }) => id));
  const newOnes = others.filter(({ id }) => !ids.has(id));
  const found = rows
    ?.concat(newOnes)
    .filter((row) => canChoose(grouping, row))
    .filter((row) => labels.isFound(grouping, row, searchText))
    .slice(0, valuesShown);
  const keys = found?.map((row) => rowKey(grouping, row)) ?? [];
  const set = readFilters({ ...(search[name] !== undefined && { [name]: search[name] }) })[0]?.values ?? [];
  return (
    <Command
      label={analytics.findValue(analytics.filters[name])}
      shouldFilter={false}
      // cmdk does not select values that load later, and Enter would choose nothing.
      value={keys.includes(selected) ? selected : (keys[0] ?? "")}
      onValueChange={setSelected}
    >
      <SearchField
        placeholder={analytics.findValue(analytics.filters[name])}
        text={text}
        onText={setText}
        onBack={onBack}
      />
      <Command.List className="max-h-77 overflow-y-auto p-1">
        {error && !rows && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {rows === undefined && !error && <Skeleton className="m-2 h-24" />}
        {found?.length === 0 && <p className="p-4 text-center text-muted">{analytics.noValue}</p>}
        {found?.map((row) => (
          <Value key={rowKey(grouping, row)} name={name} row={row} isTicked={set.includes(rowValue(grouping, row))} />
        ))}
      </Command.List>
    </Command>
  );
}

function Value({ name, row, isTicked }: { name: FilterName; row: Row; isTicked: boolean }) {
  const format = useFormat();
  const { search, change, metric } = useView();
  const grouping = groupingFor(name);
  const value = rowValue(grouping, row);
  const label = useLabels().ofRow(grouping, row);
  return (
    <Command.Item
      value={rowKey(grouping, row)}
      onSelect={() => change({ [name]: toggled(name, search[name], value) })}
      aria-checked={isTicked}
      className={itemClass}
    >
      <Check className={isTicked ? "text-accent" : "invisible"} aria-hidden />
      <IconOrCode {...label} />
      <span className="min-w-0 grow truncate">{label.text}</span>
      <span className="text-xs text-muted tabular">{format.number(numberOf(row, metric))}</span>
    </Command.Item>
  );
}

type SearchProps = {
  placeholder: string;
  text?: string;
  onText?: (text: string) => void;
  onBack?: (() => void) | undefined;
};

function SearchField({ placeholder, text, onText, onBack }: SearchProps) {
  const { words } = useTexts();
  return (
    <div className="flex items-center gap-2 border-b border-line px-2.5">
      {onBack === undefined ? (
        <Search className="size-4 shrink-0 text-faint" aria-hidden />
      ) : (
        <button
          type="button"
          aria-label={words.back}
          onClick={onBack}
          className="rounded p-1 text-muted hover:bg-sunken"
        >
          <ChevronLeft className="size-4" aria-hidden />
        </button>
      )}
      <Command.Input
        autoFocus
        aria-label={placeholder}
        placeholder={placeholder}
        {...(text !== undefined && { value: text })}
        {...(onText && { onValueChange: onText })}
        className="h-10 w-full min-w-0 bg-transparent outline-none"
      />
    </div>
  );
}
