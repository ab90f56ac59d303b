import { ListFilter, Search, X } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { FilterChips } from "./filter-chips.tsx";
import { filtersCountOf } from "./links-search.ts";
import { OrderSelect } from "./order-select.tsx";
import { useLinksSearch } from "./use-links-search.ts";

const loadFilters = async () => (await import("./filter-popover.tsx")).FilterPopover;

/** A search waits this long for the next key stroke. */
const debounceMs = 180;

/** The search, filters and order of the list. The URL keeps all of them. */
export function FilterBar({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { links } = useTexts();
  return (
    <div className="grid gap-3">
      <div className="flex items-center gap-2 sm:flex-wrap">
        <SearchField field={field} />
        <FilterButton />
        {/* On a phone the order is among the filters. */}
        <OrderSelect
          aria-label={links.orderBy}
          className="max-sm:hidden sm:w-auto [&>select]:border-line [&>select]:shadow-card"
        />
      </div>
      <FilterChips />
    </div>
  );
}

/** Opens the filters; their script is loaded on the first click. */
function FilterButton() {
  const { links } = useTexts();
  const { search } = useLinksSearch();
  const count = filtersCountOf(search);
  const [isRequested, setRequested] = useState(false);
  const FilterPopover = useLazyComponent(loadFilters, isRequested, () => setRequested(false));
  const content = (
    <>
      <ListFilter />
      <span className="max-sm:sr-only">{links.filters.title}</span>
      {count > 0 && (
        <span className="grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1.5 text-xs text-on-accent tabular">
          {count}
        </span>
      )}
    </>
  );
  if (FilterPopover !== undefined) {
    return <FilterPopover trigger={<Button className="max-sm:px-2.5">{content}</Button>} />;
  }
  return (
    <Button className="max-sm:px-2.5" aria-haspopup="dialog" aria-expanded={false} onClick={() => setRequested(true)}>
      {content}
    </Button>
  );
}

function SearchField({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const { links, words } = useTexts();
  const { search, change } = useLinksSearch();
  const [text, setText] = useDebouncedText(search.search ?? "", (typed) =>
    change({ search: typed === "" ? undefined : typed }, { replace: true }),
  );
  return (
    <div className="relative min-w-0 grow basis-40">
      <Search className="pointer-events-none absolute left-3 top-1/2 size-4 -translate-y-1/2 text-faint" aria-hidden />
      <Input
        ref={field}
        role="searchbox"
        inputMode="search"
        aria-label={links.searchLabel}
        placeholder={links.searchHint}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className={classNames("border-line pl-9 shadow-card", text === "" ? "pr-3 sm:pr-9" : "pr-9")}
      />
      <span className="absolute right-1.5 top-1/2 flex -translate-y-1/2">
        {text === "" ? (
          <span className="pointer-events-none mr-1 hidden sm:block" aria-hidden>
            <Kbd>/</Kbd>
          </span>
        ) : (
          <IconButton label={words.clear} className="size-7" onClick={() => setText("")}>
            <X />
          </IconButton>
        )}
      </span>
    </div>
  );
}

/** A text that is reported once typing pauses, and that follows changes from outside. */
function useDebouncedText(outside: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(outside);
  const reported = useRef(outside);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  });
  useEffect(() => {
    if (outside === reported.current) return;
    reported.current = outside;
    setText(outside);
  }, [outside]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      report.current(text);
    }, debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
