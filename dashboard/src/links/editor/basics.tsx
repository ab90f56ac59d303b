import { Shuffle } from "lucide-react";
import { useRef } from "react";
import { rootKey } from "../../api/short-link.ts";
import { isTouchScreen } from "../../base/touch-screen.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Input, Select, TextArea, UnlessReadOnly } from "../../ui/field.tsx";
import { keyCharactersMax, titleCharactersMax } from "../bounds.ts";
import { useDefaultDomain, useDomains, useFolders } from "../links-api.ts";
import { allowedKey } from "./allowed-key.ts";
import { randomKey } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { useKeyError } from "./use-key-error.ts";
import { usePageTitle } from "./use-page-title.ts";
import { writeDestination } from "./utm.ts";

/** The fields that are always shown: destination, title and short link. */
export function Basics() {
  const { editor } = useTexts().links;
  const { draft, set } = useEditor();
  return (
    <div className="grid gap-4 pb-5">
      <Field label={editor.url} fieldError={useFieldError("url")}>
        <Input
          // The form of a link appears after its drawer has opened.
          autoFocus={draft.url === "" || !isTouchScreen()}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.com/spring-sale"
          value={draft.url}
          onChange={(event) => set(writeDestination(draft, event.target.value))}
        />
      </Field>
      <TitleField />
      <ShortLinkFields />
    </div>
  );
}

function TitleField() {
  const { editor } = useTexts().links;
  const { draft, set } = useEditor();
  usePageTitle();
  return (
    <Field label={editor.title} fieldError={useFieldError("title")} aside={<Optional />}>
      <Input
        autoComplete="off"
        dir="auto"
        maxLength={titleCharactersMax}
        value={draft.title}
        onChange={(event) => set({ title: event.target.value })}
      />
    </Field>
  );
}

function Optional() {
  const { words } = useTexts();
  return (
    <UnlessReadOnly>
      <span className="text-[13px] text-faint">{words.optional}</span>
    </UnlessReadOnly>
  );
}

/** The folder of the link. */
export function FolderField() {
  const { links } = useTexts();
  const { draft, set } = useEditor();
  const { data: folders = [], error, refetch } = useFolders();
  return (
    <>
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
      <ErrorNote error={error} onRetry={() => void refetch()} />
    </>
  );
}

/** A comment that only members see. */
export function CommentField() {
  const { editor } = useTexts().links;
  const { draft, set } = useEditor();
  return (
    <Field label={editor.comments} fieldError={useFieldError("comments")}>
      <TextArea
        rows={2}
        dir="auto"
        value={draft.comments}
        onChange={(event) => set({ comments: event.target.value })}
      />
    </Field>
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
      <KeyField isRoot={isRoot} />
    </div>
  );
}

/** The slug. While it contains what no slug may, a button offers an allowed one. */
function KeyField({ isRoot }: { isRoot: boolean }) {
  const { editor } = useTexts().links;
  const { draft, set } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const error = useKeyError();
  const offered = error === undefined ? undefined : allowedKey(draft.key);
  const accept = (key: string) => {
    set({ key });
    // The button disappears, and would take the focus with it.
    input.current?.focus();
  };
  return (
    <div className="grid content-start justify-items-start gap-1.5">
      <Field label={editor.key} fieldError={error} className="w-full">
        <div className="flex gap-1.5">
          <Input
            ref={input}
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
      {offered !== undefined && (
        <Button size="small" onClick={() => accept(offered)} className="max-w-full">
          <span className="truncate">{editor.offerKey(offered)}</span>
        </Button>
      )}
    </div>
  );
}
