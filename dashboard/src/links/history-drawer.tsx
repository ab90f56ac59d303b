import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { History, RotateCcw } from "lucide-react";
import { useId } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Drawer } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { LinkAbout } from "./link-about.tsx";
import { fieldLabel } from "./link-fields.ts";
import { useFolders, useRefreshLinks } from "./links-api.ts";
import { type RevertState, revertStates } from "./reverts.ts";
import { shownValue } from "./shown-value.ts";
import { useCreators } from "./use-creators.ts";

type Change = Schemas["LinkChange"];
const pageSize = 50;

/** The history of a link: who changed what and when, with a way to revert each change. */
export function HistoryDrawer({ linkId, onClose }: { linkId: string; onClose(): void }) {
  const { links } = useTexts();
  const { id, api } = useWorkspace();
  const history = useInfiniteQuery({
    queryKey: [id, "links", "history", linkId],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET("/links/{linkId}/history", {
          params: { path: { linkId }, query: { page: pageParam, pageSize } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (page, all) => (page.length < pageSize ? undefined : all.length + 1),
  });
  const changes = history.data?.pages.flat();
  const states = revertStates(changes ?? []);
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={links.history.title}
      about={<LinkAbout linkId={linkId}>{links.history.about}</LinkAbout>}
    >
      <ErrorNote error={history.error} onRetry={() => void history.refetch()} />
      {changes === undefined && history.error === null && <Skeleton className="h-40" />}
      {changes?.length === 0 && <Empty icon={History} title={links.history.nothing} />}
      <ol className="grid gap-4">
        {changes?.map((change) => (
          <ChangeCard key={change.id} change={change} state={states.get(change.id)} linkId={linkId} />
        ))}
      </ol>
      {history.hasNextPage && (
        <Button className="mt-4" isBusy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          {links.history.older}
        </Button>
      )}
    </Drawer>
  );
}

type ChangeCardProps = { change: Change; state: RevertState | undefined; linkId: string };

function ChangeCard({ change, state, linkId }: ChangeCardProps) {
  const texts = useTexts();
  const { links, words } = texts;
  const format = useFormat();
  const creators = useCreators();
  const folders = useFolders().data ?? [];
  const folderNames = new Map(folders.map(({ id, name }) => [id, name]));
  const shown = (name: string, value: unknown) => shownValue(name, value, { texts, format, folderNames }) || words.none;
  const headId = useId();
  const { history } = links;
  const who = change.user === null ? history.service : (change.user.name ?? change.user.email ?? history.goneUser);
  const before = change.before ?? {};
  const after = change.after ?? {};
  const names = change.type === "link.updated" ? Object.keys(before).filter((name) => name !== "updatedAt") : [];
  return (
    <li className="overflow-hidden rounded-xl border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 bg-canvas px-4 py-2.5">
        <p id={headId} className="min-w-0 flex-1">
          {change.user !== null && (
            <span className="mr-2 inline-block align-middle">
              <Avatar name={who} url={creators.get(change.user.id)?.avatarUrl} className="size-5 text-[9px]" />
            </span>
          )}
          <span className="font-medium">
            <ChangeTitle change={change} state={state} />
          </span>{" "}
          <span className="text-muted">
            {who}
            <span className="max-sm:hidden"> · </span>
            <time dateTime={change.at} className="whitespace-nowrap max-sm:block">
              {format.instant(change.at)}
            </time>
          </span>
        </p>
        <Reverting change={change} state={state} linkId={linkId} describedBy={headId} />
      </div>
      {names.length > 0 && (
        <dl className="grid gap-3 px-4 py-3">
          {names.map((name) => (
            <div key={name} className="grid gap-1">
              <dt className="text-[13px] font-medium text-faint">{fieldLabel(name, links) ?? name}</dt>
              <dd className="grid gap-1 whitespace-pre-line text-[13px] [overflow-wrap:anywhere]">
                <del className="rounded bg-danger-soft px-2 py-1 text-danger no-underline">
                  <span className="sr-only">{history.before}: </span>
                  {shown(name, before[name])}
                </del>
                <ins className="rounded bg-success-soft px-2 py-1 text-success no-underline">
                  <span className="sr-only">{history.after}: </span>
                  {shown(name, after[name])}
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** What happened: for a revert, which change it reverted. */
function ChangeTitle({ change, state }: Pick<ChangeCardProps, "change" | "state">) {
  const { history } = useTexts().links;
  const format = useFormat();
  if (change.reverts === null) return history.types[change.type];
  return state?.reverted === undefined
    ? history.revertsEarlier
    : history.revertsChangeOf(format.instant(state.reverted.at));
}

type RevertingProps = ChangeCardProps & {
  /** The id of the element that tells this change from the others. */
  describedBy: string;
};

/** The button that reverts a change, or that it was reverted; nothing where a revert would change nothing. */
function Reverting({ state, ...button }: RevertingProps) {
  const { history } = useTexts().links;
  const { canWrite } = useWorkspace();
  if (button.change.type !== "link.updated") return null;
  if (state?.isReverted) return <Badge>{history.isReverted}</Badge>;
  return canWrite && !state?.isUndone && <RevertButton {...button} />;
}

function RevertButton({ change, linkId, describedBy }: Omit<RevertingProps, "state">) {
  const { links } = useTexts();
  const { api } = useWorkspace();
  const notify = useNotify();
  const queries = useQueryClient();
  const { id } = useWorkspace();
  const refresh = useRefreshLinks();
  const revert = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST("/links/{linkId}/history/{changeId}/revert", { params: { path: { linkId, changeId: change.id } } }),
      ),
    async onSuccess() {
      notify({ kind: "done", text: links.history.reverted });
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: [id, "links", "history", linkId] })]);
    },
  });
  return (
    <>
      <Button size="small" aria-describedby={describedBy} isBusy={revert.isPending} onClick={() => revert.mutate()}>
        <RotateCcw />
        {links.history.revert}
      </Button>
      {revert.error !== null && (
        <div className="basis-full">
          <ErrorNote error={revert.error} />
        </div>
      )}
    </>
  );
}
