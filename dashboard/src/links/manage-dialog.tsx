import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, Pencil, Trash2, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { answerOf, type Waypost } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Skeleton } from "../ui/states.tsx";

/** The parts that the dialogs of tags and of folders share. */

type Noun = "tags" | "folders";
type Item = { id: string; name: string };

type ManageDialogProps<Listed> = {
  noun: Noun;
  query: { data: readonly Listed[] | undefined; error: unknown; refetch(): Promise<unknown> };
  create(api: Waypost, name: string): Promise<unknown>;
  onClose(): void;
  /** One item as an `li` with a key. */
  children(item: Listed): ReactNode;
};

/** A dialog with a list of tags or folders, and a form for a new one above it. */
export function ManageDialog<Listed>({ noun, query, create, onClose, children }: ManageDialogProps<Listed>) {
  const { manage } = useTexts().links;
  const { canWrite } = useWorkspace();
  const { data: items, error, refetch } = query;
  return (
    <Dialog isOpen onClose={onClose} title={manage[noun]} className="max-w-lg">
      <div className="grid grid-cols-1 gap-4">
        {canWrite && <NewItemForm noun={noun} create={create} />}
        <ErrorNote error={error} onRetry={() => void refetch()} />
        {items === undefined && error === null && <Skeleton className="h-24" />}
        {items?.length === 0 && <p className="py-6 text-center text-muted">{manage.nothing[noun]}</p>}
        <ul className="grid max-h-96 grid-cols-1 gap-0.5 overflow-y-auto overflow-x-hidden">{items?.map(children)}</ul>
      </div>
    </Dialog>
  );
}

function NewItemForm({ noun, create }: Pick<ManageDialogProps<never>, "noun" | "create">) {
  const { links, words } = useTexts();
  const [name, setName] = useState("");
  const creation = useItemChange(
    noun,
    (api) => create(api, name),
    () => setName(""),
  );
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") creation.mutate();
      }}
    >
      <div className="flex items-end gap-2">
        <Field label={links.manage.newOne[noun]} className="grow">
          <Input
            value={name}
            maxLength={nameCharactersMax}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" disabled={name.trim() === ""} isBusy={creation.isPending}>
          {words.add}
        </Button>
      </div>
      <ErrorNote error={creation.error} />
    </form>
  );
}

type ManagedItemProps = {
  noun: Noun;
  item: Item;
  icon: ReactNode;
  /** Shown after the name. */
  mark?: ReactNode;
  linksCount: number;
  isEditable: boolean;
  remove(api: Waypost): Promise<unknown>;
  /** The form that replaces the row while the item is edited, as an `li`. */
  editForm(onClose: () => void): ReactNode;
};

/** A tag or folder in its dialog: the row with its name and actions, or the form in which it is edited. */
export function ManagedItem(props: ManagedItemProps) {
  const { noun, item, icon, mark, linksCount, isEditable, remove, editForm } = props;
  const { links, words } = useTexts();
  const format = useFormat();
  const [mode, setMode] = useState<"shown" | "edited" | "deleted">("shown");
  const show = () => setMode("shown");
  const removal = useItemChange(noun, remove, show);
  if (mode === "edited") return editForm(show);
  return (
    <li className="flex items-center gap-2.5 rounded-lg py-1 pl-2 hover:bg-sunken pointer-coarse:py-1.5">
      {icon}
      <span className="flex min-w-0 grow items-center gap-1.5">
        <span dir="auto" className="truncate">
          {item.name}
        </span>
        {mark}
      </span>
      <span className="shrink-0 text-[13px] text-faint tabular">
        {links.list.count(linksCount, format.number(linksCount))}
      </span>
      {isEditable && (
        <span className="flex shrink-0">
          <IconButton label={`${words.edit} ${item.name}`} onClick={() => setMode("edited")}>
            <Pencil />
          </IconButton>
          <IconButton label={`${words.delete} ${item.name}`} onClick={() => setMode("deleted")}>
            <Trash2 />
          </IconButton>
        </span>
      )}
      <ConfirmDialog
        isOpen={mode === "deleted"}
        onClose={show}
        title={links.manage.deleteTitle(item.name)}
        action={words.delete}
        isBusy={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
      >
        <p>{links.manage.deleteHint[noun](linksCount, format.number(linksCount))}</p>
      </ConfirmDialog>
    </li>
  );
}

type ItemFormProps = {
  noun: Noun;
  name: string;
  onName(name: string): void;
  /** A control in front of the name. */
  before?: ReactNode;
  /** A control below the name. */
  below?: ReactNode;
  save(api: Waypost): Promise<unknown>;
  onClose(): void;
};

/** The form in which a tag or folder is edited. */
export function ItemForm({ noun, name, onName, before, below, save, onClose }: ItemFormProps) {
  const { links, words } = useTexts();
  const change = useItemChange(noun, save, onClose);
  return (
    <li className="grid gap-2 py-1">
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        {before}
        <Input aria-label={links.manage.name} value={name} onChange={(event) => onName(event.target.value)} />
        <IconButton label={words.save} type="submit" disabled={change.isPending}>
          <Check />
        </IconButton>
        <IconButton label={words.cancel} onClick={onClose}>
          <X />
        </IconButton>
      </form>
      {below}
      <ErrorNote error={change.error} />
    </li>
  );
}

/** The number of links by the id of their tag or folder. */
export function useLinkCounts(groupBy: "tagId" | "folderId"): ReadonlyMap<string, number> {
  const { id, api } = useWorkspace();
  const { data } = useQuery({
    queryKey: [id, "links", "groups", groupBy],
    queryFn: () =>
      answerOf(api.GET("/links/count", { params: { query: { groupBy, root: false, showArchived: true } } })),
  });
  if (!Array.isArray(data)) return new Map();
  return new Map(data.map((group) => [group[groupBy] ?? "", group._count]));
}

/** Changes a tag or folder, then refetches all of them and all links. */
function useItemChange(noun: Noun, change: (api: Waypost) => Promise<unknown>, onDone: () => void) {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => change(api),
    async onSuccess() {
      onDone();
      await Promise.all([
        queries.invalidateQueries({ queryKey: [id, noun] }),
        queries.invalidateQueries({ queryKey: [id, "links"] }),
      ]);
    },
  });
}
