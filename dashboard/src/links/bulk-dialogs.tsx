import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { shortLinkParts } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNotify, useWithoutActions } from "../ui/toasts.tsx";
import { deleteLinks, type Link, readLinks, useFolders, useRefreshLinks, useTags } from "./links-api.ts";
import { TagDot } from "./tag-chip.tsx";
import { tagSets, tagShare } from "./tag-sets.ts";
import { useBulkChange } from "./use-bulk-change.tsx";

type BulkDialogProps = {
  links: readonly Link[];
  onClose(): void;
  /** Closes the dialog. `changed` are the links that were changed. */
  onDone(changed: readonly Link[]): void;
};

/** Deleting this many links or more requires typing their number. */
const typedFrom = 2;

/** Adds tags to links and removes tags from them. */
export function TagLinksDialog({ links, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts();
  const format = useFormat();
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const changeAll = useBulkChange();
  const refresh = useRefreshLinks();
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [name, setName] = useState("");
  const creation = useMutation({
    mutationFn: () => answerOf(api.POST("/tags", { body: { name } })),
    async onSuccess(tag) {
      setName("");
      setChanges((before) => new Map(before).set(tag.id, true));
      await queries.invalidateQueries({ queryKey: [id, "tags"] });
    },
  });
  const change = useMutation({
    mutationFn: () =>
      changeAll({
        links,
        async read() {
          // A change replaces all tags of a link, so the links are read again: others may have added tags.
          const fresh = await readLinks(api, idsOf(links));
          const byId = new Map(fresh.map((link) => [link.id, link]));
          return tagSets(fresh, changes).map(({ tagIds, linkIds }) => ({
            links: linkIds.flatMap((linkId) => byId.get(linkId) ?? []),
            data: { tagIds },
          }));
        },
        doneText: texts.links.bulk.tagged(links.length, format.number(links.length)),
      }),
    // A batch without an answer may have been changed.
    onError: refresh,
    async onSuccess(changed) {
      onDone(changed);
      await refresh();
    },
  });
  const { bulk } = texts.links;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={bulk.tagTitle(links.length, format.number(links.length))}
      footer={
        <>
          <Button onClick={onClose}>{texts.words.cancel}</Button>
          <Button
            variant="primary"
            disabled={changes.size === 0}
            isBusy={change.isPending}
            onClick={() => change.mutate()}
          >
            {texts.words.save}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TagChoices
          links={links}
          changes={changes}
          onChange={(tagId, isAdded) => setChanges((before) => new Map(before).set(tagId, isAdded))}
        />
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") creation.mutate();
          }}
        >
          <Field label={texts.links.newTag} className="grow">
            <Input value={name} maxLength={nameCharactersMax} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Button type="submit" isBusy={creation.isPending} disabled={name.trim() === ""}>
            {texts.words.add}
          </Button>
        </form>
        <ErrorNote error={creation.error ?? change.error} />
      </div>
    </Dialog>
  );
}

type TagChoicesProps = {
  links: readonly Link[];
  changes: ReadonlyMap<string, boolean>;
  onChange(tagId: string, isAdded: boolean): void;
};

function TagChoices({ links, changes, onChange }: TagChoicesProps) {
  const texts = useTexts();
  const { data: tags, error, refetch } = useTags();
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (tags === undefined) return <Skeleton className="h-7" />;
  if (tags.length === 0) return <p className="text-muted">{texts.links.noTags}</p>;
  return (
    <ul className="grid max-h-64 gap-0.5 overflow-y-auto">
      {tags.map((tag) => (
        <TagChoice
          key={tag.id}
          tag={tag}
          share={tagShare(links, tag.id)}
          change={changes.get(tag.id)}
          onChange={(isAdded) => onChange(tag.id, isAdded)}
        />
      ))}
    </ul>
  );
}

type TagChoiceProps = {
  tag: { id: string; name: string; color: Link["tags"][number]["color"] };
  share: "all" | "some" | "none";
  change: boolean | undefined;
  onChange(isAdded: boolean): void;
};

function TagChoice({ tag, share, change, onChange }: TagChoiceProps) {
  const id = useId();
  const checked = change ?? (share === "some" ? "indeterminate" : share === "all");
  return (
    <li>
      <label
        htmlFor={id}
        className="flex items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-sunken pointer-coarse:min-h-11"
      >
        <Checkbox id={id} label={tag.name} checked={checked} onChange={onChange} />
        <TagDot color={tag.color} />
        <span className="min-w-0 truncate">{tag.name}</span>
      </label>
    </li>
  );
}

/** Moves links into a folder, or out of every folder. */
export function MoveLinksDialog({ links, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts();
  const format = useFormat();
  const change = useBulkChange();
  const refresh = useRefreshLinks();
  const { data: folders, error: foldersError, refetch } = useFolders();
  const [folder, setFolder] = useState(commonFolder(links));
  const move = useMutation({
    mutationFn: (folderId: string) =>
      change({
        links,
        read: async () => [{ links, data: { folderId: folderId === "" ? null : folderId } }],
        doneText: texts.links.bulk.moved(links.length, format.number(links.length)),
      }),
    onError: refresh,
    async onSuccess(changed) {
      onDone(changed);
      await refresh();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.links.bulk.moveTitle(links.length, format.number(links.length))}
      footer={
        <>
          <Button onClick={onClose}>{texts.words.cancel}</Button>
          <Button
            variant="primary"
            disabled={folder === undefined}
            isBusy={move.isPending}
            onClick={() => folder !== undefined && move.mutate(folder)}
          >
            {texts.links.bulk.move}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label={texts.links.filters.folder}>
          <Select
            value={folder ?? undecided}
            disabled={folders === undefined}
            onChange={(event) => setFolder(event.target.value)}
          >
            <option value={undecided} disabled hidden>
              {texts.links.bulk.chooseFolder}
            </option>
            <option value="">{texts.links.noFolder}</option>
            {folders?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <ErrorNote error={foldersError} onRetry={() => void refetch()} />
        <ErrorNote error={move.error} />
      </div>
    </Dialog>
  );
}

/** Not the id of a folder. */
const undecided = "-";

/** The folder that all links are in, "" for none; undefined when they are in different folders. */
function commonFolder(links: readonly Link[]): string | undefined {
  const folders = new Set(links.map(({ folderId }) => folderId ?? ""));
  return folders.size === 1 ? [...folders][0] : undefined;
}

/** Deletes links permanently. For several links, the person has to type their number first. */
export function DeleteLinksDialog({ links, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts();
  const format = useFormat();
  const { api } = useWorkspace();
  const notify = useNotify();
  const withoutActions = useWithoutActions();
  const refresh = useRefreshLinks();
  const [done, setDone] = useState(0);
  const { bulk } = texts.links;
  const count = format.number(links.length);
  const removal = useMutation({
    mutationFn: () =>
      withoutActions(() => deleteLinks(api, idsOf(links), (more) => setDone((before) => before + more))),
    onError: refresh,
    async onSuccess(deleted) {
      notify({ kind: "done", text: bulk.deleted(deleted, format.number(deleted)) });
      onDone(links);
      await refresh();
    },
  });
  const firstLink = links[0];
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={bulk.deleteTitle(links.length, count)}
      action={removal.isPending && done > 0 ? `${format.number(done)} / ${count}` : bulk.delete}
      textToType={links.length >= typedFrom ? String(links.length) : undefined}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
    >
      {links.length === 1 && firstLink !== undefined && (
        <p className="break-words font-medium text-ink">
          {shortLinkParts(firstLink.shortLink).host}
          {shortLinkParts(firstLink.shortLink).path}
        </p>
      )}
      <p>{bulk.deleteWarning(links.length)}</p>
    </ConfirmDialog>
  );
}

function idsOf(links: readonly Link[]): string[] {
  return links.map(({ id }) => id);
}
