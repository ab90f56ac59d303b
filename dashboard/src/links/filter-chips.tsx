import { X } from "lucide-react";
import { useMembers } from "../api/members.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useFolders, useTags } from "./links-api.ts";
import { tagIdsOf, withoutFilters } from "./links-search.ts";
import { SaveViewButton } from "./save-view-button.tsx";
import { type SearchChanges, useLinksSearch } from "./use-links-search.ts";

/** The active filters, each with a button that removes it. */
export function FilterChips() {
  const { links, words } = useTexts();
  const { search, change, replace } = useLinksSearch();
  const chips = useChips();
  return (
    <div className="flex flex-wrap items-center gap-1.5 empty:hidden">
      {chips.map(({ name, value, without }) => (
        <span
          key={`${name} ${value}`}
          className="inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-surface py-0.5 pl-2.5 pr-0.5 text-[13px]"
        >
          <span className="text-faint">{name}</span>
          <span className="min-w-0 truncate font-medium">{value}</span>
          <button
            type="button"
            aria-label={links.filters.remove(`${name} ${value}`)}
            onClick={() => change(without)}
            className="grid size-6 place-items-center rounded-full text-faint hover:bg-sunken hover:text-ink"
          >
            <X className="size-3.5" aria-hidden />
          </button>
        </span>
      ))}
      {chips.length > 0 && (
        <Button variant="quiet" size="small" onClick={() => replace(withoutFilters(search))}>
          {words.clear}
        </Button>
      )}
      <SaveViewButton />
    </div>
  );
}

type Chip = { name: string; value: string; without: SearchChanges };

function useChips(): Chip[] {
  const { links } = useTexts();
  const format = useFormat();
  const { search } = useLinksSearch();
  const tags = useTags().data;
  const folders = useFolders().data;
  const members = useMembers().data;
  const { filters } = links;
  const chosen = tagIdsOf(search);
  const folder = search.folder === "unsorted" ? links.noFolder : folders?.find(({ id }) => id === search.folder)?.name;
  const creator = members?.find(({ userId }) => userId === search.creator);
  const single = (name: string, value: string | undefined, without: SearchChanges): Chip[] =>
    value === undefined ? [] : [{ name, value, without }];
  const day = (text: string | undefined) => (text === undefined ? undefined : format.day(`${text}T00:00`));
  return [
    ...single(filters.domain, search.domain, { domain: undefined }),
    ...single(filters.folder, search.folder && (folder ?? "…"), { folder: undefined }),
    ...chosen.map((id) => ({
      name: search.tagMatch === "all" ? filters.tagAll : filters.tag,
      value: tags?.find((tag) => tag.id === id)?.name ?? "…",
      without: { tags: chosen.filter((each) => each !== id).join(",") || undefined },
    })),
    ...single(filters.creator, search.creator && (creator?.name || creator?.email || "…"), { creator: undefined }),
    ...single(filters.from, day(search.from), { from: undefined }),
    ...single(filters.to, day(search.to), { to: undefined }),
    ...single(links.list.archived, search.archived && filters.shown, { archived: undefined }),
  ];
}
