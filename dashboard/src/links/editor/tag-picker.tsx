import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ProblemText, useProblemOf } from "../../ui/error-text.tsx";
import { Field, Input, useIsReadOnly } from "../../ui/field.tsx";
import { type Tag, useTags } from "../links-api.ts";
import { TagChip, TagDot } from "../tag-chip.tsx";
import { useEditor, useFieldError } from "./editor-state.tsx";

const offeredMax = 8;

/** The link's tags; typing finds other tags or creates a new one. */
export function TagPicker() {
  return useIsReadOnly() ? <ReadOnlyTags /> : <EditableTags />;
}

function ReadOnlyTags() {
  const { links, words } = useTexts();
  const { link } = useEditor();
  const titleId = useId();
  const tags = link?.tags ?? [];
  return (
    <div className="grid gap-1.5">
      <p id={titleId} className="font-medium">
        {links.filters.tags}
      </p>
      {tags.length === 0 && <p className="text-muted">{words.none}</p>}
      <ul aria-labelledby={titleId} className="flex flex-wrap gap-1.5 empty:hidden">
        {tags.map((tag) => (
          <li key={tag.id} className="flex min-w-0">
            <TagChip tag={tag} className="max-w-full" />
          </li>
        ))}
      </ul>
    </div>
  );
}

function EditableTags() {
  const { links, words } = useTexts();
  const { draft, set, link } = useEditor();
  const listId = useId();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const { data: known = [] } = useTags();
  // The link's own tags are shown before all tags are read.
  const byId = new Map([...(link?.tags ?? []), ...known].map((tag) => [tag.id, tag]));
  const offers = offersFor(text, known, draft.tagIds);
  const isOffering = isOpen && offers.length > 0;
  const active = Math.min(chosen, offers.length - 1);
  const write = (next: string) => {
    setText(next);
    setChosen(0);
    setOpen(next !== "");
  };
  const creation = useNewTag((id) => set({ tagIds: [...draft.tagIds, id] }));
  const problem = useProblemOf()(creation.error);
  const fieldError = useFieldError("tagIds") ?? (problem && <ProblemText message={problem.message} />);
  const take = (offer: Offer) => {
    if (offer.kind === "tag") set({ tagIds: [...draft.tagIds, offer.tag.id] });
    // A refused name is typed again only if the field is still empty.
    else creation.mutate(offer.name, { onError: () => setText((typed) => typed || offer.name) });
    write("");
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const offer = offers[active];
    if (step !== 0 && offers.length > 0) {
      event.preventDefault();
      setOpen(true);
      setChosen(isOffering ? (active + step + offers.length) % offers.length : active);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && isOffering && offer !== undefined) {
      event.preventDefault();
      take(offer);
    } else if (event.key === "Backspace" && text === "") {
      set({ tagIds: draft.tagIds.slice(0, -1) });
    } else if (event.key === "Escape" && isOffering) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <Field label={links.filters.tags} fieldError={fieldError}>
      <fieldset
        aria-label={links.filters.tags}
        className="relative flex min-h-9 flex-wrap items-center gap-1.5 rounded-lg border border-field bg-surface px-2 py-1"
        onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
      >
        {draft.tagIds.map((id) => (
          <ChosenTag
            key={id}
            tag={byId.get(id)}
            label={words.remove}
            onRemove={() => set({ tagIds: draft.tagIds.filter((each) => each !== id) })}
          />
        ))}
        <Input
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isOffering}
          aria-controls={listId}
          aria-activedescendant={isOffering ? `${listId}-${active}` : undefined}
          autoComplete="off"
          dir="auto"
          placeholder={draft.tagIds.length === 0 ? links.editor.tagsHint : ""}
          value={text}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onChange={(event) => write(event.target.value)}
          onKeyDown={press}
          className="h-7 w-auto min-w-24 flex-1 border-0 px-1"
        />
        <Offers id={listId} label={links.filters.tags} isShown={isOffering} {...{ offers, active }} onPick={take} />
      </fieldset>
    </Field>
  );
}

/** A tag that can be added, or the name of one that can be created. */
type Offer = { kind: "tag"; tag: Tag } | { kind: "new"; name: string };

/**
 * The tags that contain a text, the one with exactly this name first, then those that begin with it; last, a new tag if
 * no tag has this name.
 */
function offersFor(text: string, known: readonly Tag[], chosenIds: readonly string[]): Offer[] {
  const name = text.trim();
  const searched = name.toLowerCase();
  const rank = (tag: Tag) => {
    const at = tag.name.toLowerCase().indexOf(searched);
    return at === 0 && tag.name.length === name.length ? -1 : at;
  };
  const tags = known
    .filter((tag) => !chosenIds.includes(tag.id) && tag.name.toLowerCase().includes(searched))
    .sort((left, right) => Math.min(rank(left), 1) - Math.min(rank(right), 1))
    .slice(0, offeredMax)
    .map((tag) => ({ kind: "tag", tag }) as const);
  const isNew = name !== "" && !known.some((tag) => tag.name.toLowerCase() === searched);
  return isNew ? [...tags, { kind: "new", name }] : tags;
}

function useNewTag(onMade: (id: string) => void) {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => answerOf(api.POST("/tags", { body: { name } })),
    async onSuccess(tag) {
      queries.setQueryData<Tag[]>([id, "tags"], (tags) => [...(tags ?? []), tag]);
      onMade(tag.id);
      await queries.invalidateQueries({ queryKey: [id, "tags"] });
    },
  });
}

type OffersProps = {
  id: string;
  label: string;
  isShown: boolean;
  offers: readonly Offer[];
  /** The index of the offer that Enter takes. */
  active: number;
  onPick(offer: Offer): void;
};

/** The list of a combobox: the focus stays in its field. */
function Offers({ id, label, isShown, offers, active, onPick }: OffersProps) {
  const { editor } = useTexts().links;
  return (
    <div
      id={id}
      role="listbox"
      aria-label={label}
      hidden={!isShown}
      className="absolute inset-x-0 top-full z-20 mt-1 rounded-xl border border-line bg-surface p-1 shadow-raised"
    >
      {offers.map((offer, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
        <div
          key={offer.kind === "tag" ? offer.tag.id : offer.kind}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(offer)}
          className="flex w-full cursor-default items-center gap-2 rounded-lg px-2.5 py-1.5 hover:bg-sunken aria-selected:bg-sunken"
        >
          {offer.kind === "tag" ? (
            <TagDot color={offer.tag.color} />
          ) : (
            <Plus className="size-3.5 text-faint" aria-hidden />
          )}
          {offer.kind === "tag" ? offer.tag.name : editor.createTag(offer.name)}
        </div>
      ))}
    </div>
  );
}

function ChosenTag({ tag, label, onRemove }: { tag: Tag | undefined; label: string; onRemove(): void }) {
  const name = tag?.name ?? "…";
  return (
    <span className="inline-flex max-w-40 items-center gap-1.5 rounded-full border border-line bg-sunken py-0.5 pl-2 pr-0.5 text-xs font-medium">
      {tag !== undefined && <TagDot color={tag.color} />}
      <span className="truncate">{name}</span>
      <button
        type="button"
        aria-label={`${label} ${name}`}
        onClick={onRemove}
        className="grid size-5 place-items-center rounded-full text-faint hover:text-ink"
      >
        <X className="size-3" aria-hidden />
      </button>
    </span>
  );
}
