import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, FolderClosed, Lock, Pencil, Trash2, X } from "lucide-react";
import { useState } from "react";
import { answerOf, type Waypost } from "../../../sdk/client.ts";
import { nameCharactersMax } from "../api/bounds.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Switch } from "../ui/switch.tsx";
import { type Folder, type Tag, useFolders, useTags } from "./links-api.ts";
import { TagDot } from "./tag-chip.tsx";

type Kind = "tags" | "folders";
/** A tag, which has a color, or a folder, which has a level of access. */
type Thing = { id: string; name: string; color?: Tag["color"]; accessLevel?: Folder["accessLevel"] };

const colors = ["red", "yellow", "green", "blue", "purple", "brown", "gray", "pink"] as const;

/** The workspace's tags or folders: made, renamed, given a color, deleted. */
export function ManageDialog({ kind, onClose }: { kind: Kind; onClose(): void }) {
  const { manage } = useTexts().links;
  const { canWrite } = useWorkspace();
  const tags = useTags();
  const folders = useFolders();
  const query = kind === "tags" ? tags : folders;
  const things: Thing[] | undefined = query.data;
  const counts = useCounts(kind);
  return (
    <Dialog isOpen onClose={onClose} title={manage[kind]} className="max-w-lg">
      <div className="grid gap-4">
        {canWrite && <NewThing kind={kind} />}
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
        {things === undefined && query.error === null && <Skeleton className="h-24" />}
        {things?.length === 0 && <p className="py-6 text-center text-muted">{manage.nothing[kind]}</p>}
        <ul className="grid max-h-96 gap-0.5 overflow-y-auto">
          {things?.map((thing) => (
            <ThingRow key={thing.id} kind={kind} thing={thing} count={counts.get(thing.id) ?? 0} />
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** How many links have each. */
function useCounts(kind: Kind): ReadonlyMap<string, number> {
  const { id, api } = useWorkspace();
  const groupBy = kind === "tags" ? "tagId" : "folderId";
  const { data } = useQuery({
    queryKey: [id, "links", "groups", groupBy],
    queryFn: () => answerOf(api.GET("/links/count", { params: { query: { groupBy, showArchived: true } } })),
  });
  if (!Array.isArray(data)) return new Map();
  return new Map(data.map((group) => [group[groupBy] ?? "", group._count]));
}

function useThingChange<Input>(
  kind: Kind,
  change: (api: Waypost, input: Input) => Promise<unknown>,
  onDone: () => void,
) {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    async onSuccess() {
      onDone();
      await Promise.all([
        queries.invalidateQueries({ queryKey: [id, kind] }),
        queries.invalidateQueries({ queryKey: [id, "links"] }),
      ]);
    },
  });
}

function NewThing({ kind }: { kind: Kind }) {
  const { links, words } = useTexts();
  const [name, setName] = useState("");
  const creation = useThingChange(
    kind,
    (api, given: string) =>
      kind === "tags"
        ? answerOf(api.POST("/tags", { body: { name: given } }))
        : answerOf(api.POST("/folders", { body: { name: given } })),
    () => setName(""),
  );
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") creation.mutate(name);
      }}
    >
      <div className="flex items-end gap-2">
        <Field label={links.manage.newOne[kind]} className="grow">
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

function ThingRow({ kind, thing, count }: { kind: Kind; thing: Thing; count: number }) {
  const { links, words } = useTexts();
  const format = useFormat();
  const { canWrite, isOwner } = useWorkspace();
  const isClosed = isForOwners(thing);
  const [mode, setMode] = useState<"shown" | "edited" | "deleted">("shown");
  const removal = useThingChange(
    kind,
    (api) => {
      const params = { path: { id: thing.id } };
      return kind === "tags"
        ? answerOf(api.DELETE("/tags/{id}", { params }))
        : answerOf(api.DELETE("/folders/{id}", { params }));
    },
    () => setMode("shown"),
  );
  if (mode === "edited") return <EditedThing kind={kind} thing={thing} onClose={() => setMode("shown")} />;
  return (
    <li className="flex items-center gap-2.5 rounded-lg py-1 pl-2 hover:bg-sunken">
      {thing.color === undefined ? (
        <FolderClosed className="size-4 shrink-0 text-faint" aria-hidden />
      ) : (
        <TagDot color={thing.color} className="size-2.5" />
      )}
      <span className="flex min-w-0 grow items-center gap-1.5">
        <span className="truncate">{thing.name}</span>
        {isClosed && (
          <span title={links.manage.forOwners}>
            <Lock className="size-3.5 text-faint" aria-label={links.manage.forOwners} role="img" />
          </span>
        )}
      </span>
      <span className="shrink-0 text-[13px] text-faint tabular">{links.list.count(count, format.number(count))}</span>
      {canWrite && (isOwner || !isClosed) && (
        <span className="flex">
          <IconButton label={`${words.edit} ${thing.name}`} onClick={() => setMode("edited")}>
            <Pencil />
          </IconButton>
          <IconButton label={`${words.delete} ${thing.name}`} onClick={() => setMode("deleted")}>
            <Trash2 />
          </IconButton>
        </span>
      )}
      <ConfirmDialog
        isOpen={mode === "deleted"}
        onClose={() => setMode("shown")}
        title={links.manage.deleteTitle(thing.name)}
        action={words.delete}
        isBusy={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate(undefined)}
      >
        <p>{links.manage.deleteHint[kind](count, format.number(count))}</p>
      </ConfirmDialog>
    </li>
  );
}

function EditedThing({ kind, thing, onClose }: { kind: Kind; thing: Thing; onClose(): void }) {
  const { links, words } = useTexts();
  const [name, setName] = useState(thing.name);
  const { isOwner } = useWorkspace();
  const [color, setColor] = useState(thing.color);
  const [isClosed, setClosed] = useState(isForOwners(thing));
  const closing =
    isClosed === isForOwners(thing) ? {} : { accessLevel: isClosed ? ("read" as const) : ("write" as const) };
  const change = useThingChange(
    kind,
    (api) => {
      const params = { path: { id: thing.id } };
      return kind === "tags"
        ? answerOf(api.PATCH("/tags/{id}", { params, body: { name, ...(color !== undefined && { color }) } }))
        : answerOf(api.PATCH("/folders/{id}", { params, body: { name, ...closing } }));
    },
    onClose,
  );
  return (
    <li className="grid gap-2 py-1">
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(undefined);
        }}
      >
        {color !== undefined && (
          <Select
            aria-label={links.manage.color}
            className="w-28"
            value={color}
            onChange={(event) => setColor(colors.find((each) => each === event.target.value))}
          >
            {colors.map((each) => (
              <option key={each} value={each}>
                {links.manage.colors[each]}
              </option>
            ))}
          </Select>
        )}
        <Input aria-label={links.manage.name} value={name} onChange={(event) => setName(event.target.value)} />
        <IconButton label={words.save} type="submit" disabled={change.isPending}>
          <Check />
        </IconButton>
        <IconButton label={words.cancel} onClick={onClose}>
          <X />
        </IconButton>
      </form>
      {kind === "folders" && isOwner && (
        <div className="px-1 pb-1">
          <Switch
            label={links.manage.forOwners}
            hint={links.manage.forOwnersHint}
            checked={isClosed}
            onChange={setClosed}
          />
        </div>
      )}
      <ErrorNote error={change.error} />
    </li>
  );
}

/** Whether owners alone change a folder and put links into it. */
function isForOwners({ accessLevel }: Thing): boolean {
  return accessLevel !== undefined && accessLevel !== "write";
}
