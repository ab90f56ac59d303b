import { type ReactNode, useId, useState } from "react";
import { useMembers } from "../api/members.ts";
import { parseTime } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Choice } from "../ui/choice.tsx";
import { DateField } from "../ui/date-field.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Select } from "../ui/field.tsx";
import { PopoverPanel } from "../ui/popover-panel.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Switch } from "../ui/switch.tsx";
import { useDomains, useFolders, useTags } from "./links-api.ts";
import { searchOfView, tagIdsOf, viewQueryOf } from "./links-search.ts";
import { OrderSelect } from "./order-select.tsx";
import { useSavedViews } from "./saved-views.ts";
import { TagDot } from "./tag-chip.tsx";
import { useLinksSearch } from "./use-links-search.ts";

/** All filters of the list in a popover, which starts open. */
export function FilterPopover({ trigger }: { trigger: ReactNode }) {
  const { filters } = useTexts().links;
  const [isOpen, setOpen] = useState(true);
  return (
    <PopoverPanel
      label={filters.title}
      align="end"
      className="max-h-[min(40rem,var(--radix-popper-available-height))] w-[min(26rem,calc(100vw-1rem))] p-4"
      trigger={trigger}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <Filters />
    </PopoverPanel>
  );
}

function Filters() {
  const { links, words } = useTexts();
  const { search, change } = useLinksSearch();
  const lists = { folders: useFolders(), members: useMembers(), domains: useDomains(), tags: useTags() };
  const folders = lists.folders.data ?? [];
  const members = lists.members.data ?? [];
  const domains = lists.domains.data ?? [];
  const unread = Object.values(lists).filter(({ isError }) => isError);
  const { filters } = links;
  const set = (name: "domain" | "folder" | "creator") => ({
    value: search[name] ?? "",
    onChange: ({ target }: { target: { value: string } }) =>
      change({ [name]: target.value === "" ? undefined : target.value }),
  });
  const day = (name: "from" | "to") => ({
    value: search[name] ?? "",
    onChange(value: string) {
      const read = parseTime(value, "day");
      if (read !== search[name]) change({ [name]: read }, { replace: true });
    },
  });
  return (
    <div className="grid gap-4">
      <ErrorNote error={unread[0]?.error} onRetry={() => void Promise.all(unread.map(({ refetch }) => refetch()))} />
      <ViewChoice />
      <Field label={links.orderBy} className="sm:hidden">
        <OrderSelect />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={filters.domain}>
          <Select {...set("domain")}>
            <option value="">{words.all}</option>
            {domains.map(({ id, slug }) => (
              <option key={id} value={slug}>
                {slug}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={filters.folder}>
          <Select {...set("folder")}>
            <option value="">{words.all}</option>
            <option value="unsorted">{links.noFolder}</option>
            {folders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <TagFilter />
      <Field label={filters.creator}>
        <Select {...set("creator")}>
          <option value="">{words.all}</option>
          {members.map(({ userId, name, email }) => (
            <option key={userId} value={userId}>
              {name || email}
            </option>
          ))}
        </Select>
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={filters.from}>
          <DateField kind="day" {...day("from")} />
        </Field>
        <Field label={filters.to}>
          <DateField kind="day" {...day("to")} />
        </Field>
      </div>
      <Switch
        label={filters.archived}
        checked={search.archived ?? false}
        onChange={(archived) => change({ archived: archived || undefined })}
      />
    </div>
  );
}

/** Opens a saved view on a phone, where the sidebar does not show them. */
function ViewChoice() {
  const { views } = useTexts().links;
  const { search, replace } = useLinksSearch();
  const saved = useSavedViews().data ?? [];
  if (saved.length === 0) return null;
  const query = viewQueryOf(search);
  return (
    <Field label={views.title} className="md:hidden">
      <Select
        value={saved.find((view) => view.query === query)?.id ?? ""}
        onChange={({ target }) => {
          const chosen = saved.find(({ id }) => id === target.value);
          if (chosen !== undefined) replace(searchOfView(chosen.query));
        }}
      >
        <option value="">{views.choose}</option>
        {saved.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function TagFilter() {
  const { links } = useTexts();
  const { search, change } = useLinksSearch();
  const { data: tags, isError } = useTags();
  const headingId = useId();
  const chosen = tagIdsOf(search);
  const toggle = (id: string) => {
    const ids = chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id];
    change({ tags: ids.length === 0 ? undefined : ids.join(","), ...(ids.length < 2 && { tagMatch: undefined }) });
  };
  return (
    <fieldset className="grid min-w-0 gap-1.5" aria-labelledby={headingId}>
      <div className="flex h-7 items-center justify-between">
        <span id={headingId} className="font-medium">
          {links.filters.tags}
        </span>
        {chosen.length > 1 && (
          <Choice
            label={links.filters.tagMatch}
            value={search.tagMatch ?? "any"}
            onChange={(match) => change({ tagMatch: match === "all" ? "all" : undefined })}
            choices={[
              { value: "any", label: links.filters.any },
              { value: "all", label: links.filters.all },
            ]}
          />
        )}
      </div>
      {tags === undefined && !isError && <Skeleton className="h-7" />}
      {tags?.length === 0 && <p className="text-[13px] text-faint">{links.noTags}</p>}
      <div className="flex max-h-36 flex-wrap gap-1.5 overflow-y-auto p-0.5">
        {tags?.map((tag) => (
          <button
            key={tag.id}
            type="button"
            aria-pressed={chosen.includes(tag.id)}
            onClick={() => toggle(tag.id)}
            className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line px-2.5 py-1 text-xs font-medium text-muted hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            <TagDot color={tag.color} />
            <span className="truncate">{tag.name}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
