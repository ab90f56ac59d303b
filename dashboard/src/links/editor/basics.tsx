import { Shuffle } from "lucide-react";
import { rootKey } from "../../api/short-link.ts";
import { useTexts } from "../../texts/texts.tsx";
import { IconButton } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Input, Select, TextArea, UnlessReadOnly } from "../../ui/field.tsx";
import { keyCharactersMax } from "../bounds.ts";
import { useDefaultDomain, useDomains, useFolders } from "../links-api.ts";
import { randomKey } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { TagPicker } from "./tag-picker.tsx";

/** The fields that every link has: destination, short link, tags, folder and comment. */
export function Basics() {
  const { links, words } = useTexts();
  const { draft, set } = useEditor();
  const { editor } = links;
  const { data: folders = [], error, refetch } = useFolders();
  return (
    <div className="grid gap-4 pb-5">
      <Field label={editor.url} fieldError={useFieldError("url")}>
        <Input
          autoFocus
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.com/spring-sale"
          value={draft.url}
          onChange={(event) => set({ url: event.target.value })}
        />
      </Field>
      <ShortLinkFields />
      <TagPicker />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={links.filters.folder} fieldError={useFieldError("folderId")}>
          <Select value={draft.folderId} onChange={(event) => set({ folderId: event.target.value })}>
            <option value="">{links.noFolder}</option>
            {folders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label={editor.comments}
          fieldError={useFieldError("comments")}
          aside={
            <UnlessReadOnly>
              <span className="text-[13px] text-faint">{words.optional}</span>
            </UnlessReadOnly>
          }
        >
          <TextArea rows={1} value={draft.comments} onChange={(event) => set({ comments: event.target.value })} />
        </Field>
      </div>
      <ErrorNote error={error} onRetry={() => void refetch()} />
    </div>
  );
}

function ShortLinkFields() {
  const { editor } = useTexts().links;
  const { draft, set, link } = useEditor();
  const slugs = (useDomains().data ?? []).map(({ slug }) => slug);
  const defaultSlug = useDefaultDomain();
  const others = [draft.domain, link?.domain ?? ""].filter((slug) => slug !== "" && !slugs.includes(slug));
  const isRoot = link?.key === rootKey;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Field label={editor.domain} fieldError={useFieldError("domain")}>
        <Select
          disabled={isRoot}
          value={draft.domain || defaultSlug}
          onChange={(event) => set({ domain: event.target.value })}
        >
          {defaultSlug === "" && link === undefined && <option value="">{editor.defaultDomain}</option>}
          {[...new Set([...others, ...slugs])].map((slug) => (
            <option key={slug} value={slug}>
              {slug}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={editor.key} fieldError={useFieldError("key")}>
        <div className="flex gap-1.5">
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={keyCharactersMax}
            disabled={isRoot}
            placeholder={editor.keyHint}
            value={isRoot ? "/" : draft.key}
            onChange={(event) => set({ key: event.target.value })}
          />
          <UnlessReadOnly>
            <IconButton
              label={editor.randomKey}
              disabled={isRoot}
              onClick={() => set({ key: randomKey() })}
              className="size-9 border border-line bg-surface shadow-card"
            >
              <Shuffle />
            </IconButton>
          </UnlessReadOnly>
        </div>
      </Field>
    </div>
  );
}
