import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
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
  const { data: known = [] } = useTags();
  // The link's own tags are shown before all tags are read.
  const byId = new Map([...(link?.tags ?? []), ...known].map((tag) => [tag.id, tag]));
  const searchText = text.trim().toLowerCase();
  const others = known.filter(({ id, name }) => !draft.tagIds.includes(id) && name.toLowerCase().includes(searchText));
  const isNew = searchText !== "" && !known.some(({ name }) => name.toLowerCase() === searchText);
  const isOffering = isOpen && (others.length > 0 || isNew);
  const add = (id: string) => {
    set({ tagIds: [...draft.tagIds, id] });
    setText("");
    setOpen(false);
  };
  const creation = useNewTag(add);
  const problem = useProblemOf()(creation.error);
  const fieldError = useFieldError("tagIds") ?? (problem && <ProblemText message={problem.message} />);
  const enter = () => {
    const exact = others.find(({ name }) => name.toLowerCase() === searchText) ?? (isNew ? undefined : others[0]);
    if (exact !== undefined) add(exact.id);
    else if (isNew) creation.mutate(text.trim());
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
          aria-expanded={isOffering}
          aria-controls={listId}
          autoComplete="off"
          dir="auto"
          placeholder={draft.tagIds.length === 0 ? links.editor.tagsHint : ""}
          value={text}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setOpen(true);
            setText(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && searchText !== "") {
              event.preventDefault();
              enter();
            }
            if (event.key === "Backspace" && text === "") set({ tagIds: draft.tagIds.slice(0, -1) });
            if (event.key === "Escape" && isOpen) {
              event.stopPropagation();
              setOpen(false);
            }
          }}
          className="h-7 w-auto min-w-24 flex-1 border-0 px-1"
        />
        <Offers
          id={listId}
          isShown={isOffering}
          tags={others.slice(0, offeredMax)}
          newName={isNew ? text.trim() : undefined}
          onPick={add}
          onCreate={(name) => creation.mutate(name)}
        />
      </fieldset>
    </Field>
  );
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
  isShown: boolean;
  tags: readonly Tag[];
  /** The name for a new tag, if one can be created. */
  newName: string | undefined;
  onPick(id: string): void;
  onCreate(name: string): void;
};

function Offers({ id, isShown, tags, newName, onPick, onCreate }: OffersProps) {
  const { editor } = useTexts().links;
  return (
    // Hidden instead of unmounted: when an element disappears while the focus moves, the drawer takes the focus.
    <ul
      id={id}
      hidden={!isShown}
      className="absolute inset-x-0 top-full z-20 mt-1 rounded-xl border border-line bg-surface p-1 shadow-raised"
    >
      {tags.map((tag) => (
        <Offer key={tag.id} onPick={() => onPick(tag.id)}>
          <TagDot color={tag.color} />
          {tag.name}
        </Offer>
      ))}
      {newName !== undefined && (
        <Offer onPick={() => onCreate(newName)}>
          <Plus className="size-3.5 text-faint" aria-hidden />
          {editor.createTag(newName)}
        </Offer>
      )}
    </ul>
  );
}

function Offer({ onPick, children }: { onPick(): void; children: React.ReactNode }) {
  return (
    <li>
      <button
        type="button"
        onClick={onPick}
        className="flex w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-left hover:bg-sunken focus-visible:bg-sunken focus-visible:-outline-offset-2"
      >
        {children}
      </button>
    </li>
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
