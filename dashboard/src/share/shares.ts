import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { allPages } from "../api/all-pages.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { instantAt } from "../base/time-text.ts";
import { useNotifyFailure } from "../ui/toasts.tsx";
import type { ShareSubject } from "./share-subject.ts";

/** A share as members see it, without its password. */
export type Share = Schemas["Share"];
/** The form of a share: "" for unset fields; the end is a day or local time. */
export type NewShare = { name: string; password: string; expiresAt: string };

const pageSize = 100;

/** The URL of a share on the current host, which WAYPOST_URL may not name. */
export function shareUrl({ url }: Share): string {
  return new URL(new URL(url).pathname, location.origin).href;
}

function useSharesKey(subject: ShareSubject) {
  const { id } = useWorkspace();
  return [id, "shares", subject.kind, subject.id];
}

function aboutOf({ kind, id }: ShareSubject) {
  return kind === "link" ? { linkId: id } : { folderId: id };
}

/** Reads the shares of a link or folder, the newest first. */
export function useShares(subject: ShareSubject) {
  const { api } = useWorkspace();
  return useQuery({
    queryKey: useSharesKey(subject),
    queryFn: ({ signal }) =>
      allPages<Share>(pageSize, (page) =>
        answerOf(api.GET("/shares", { params: { query: { ...aboutOf(subject), ...page } }, signal })),
      ),
  });
}

/** Creates a share; empty fields are left out. */
export function useNewShare(subject: ShareSubject, onDone: (share: Share) => void) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const key = useSharesKey(subject);
  return useMutation({
    mutationFn: ({ name, password, expiresAt }: NewShare) =>
      answerOf(
        api.POST("/shares", {
          body: {
            ...aboutOf(subject),
            ...(name.trim() !== "" && { name: name.trim() }),
            ...(password !== "" && { password }),
            ...(expiresAt !== "" && { expiresAt: instantAt(expiresAt, "end") ?? expiresAt }),
          },
        }),
      ),
    onSuccess(share) {
      queries.setQueryData<Share[]>(key, (before) => [share, ...(before ?? [])]);
      onDone(share);
    },
  });
}

/** Changes a share. */
export function useShareChange(subject: ShareSubject, onDone: () => void) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const key = useSharesKey(subject);
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: Schemas["ShareChange"] }) =>
      answerOf(api.PATCH("/shares/{id}", { params: { path: { id } }, body })),
    onSuccess(changed) {
      queries.setQueryData<Share[]>(key, (shares) => shares?.map((each) => (each.id === changed.id ? changed : each)));
      onDone();
    },
  });
}

/** Revokes a share. It disappears from the list at once, and returns if the call fails. */
export function useRevocation(subject: ShareSubject, onDone: () => void) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const key = useSharesKey(subject);
  const mutationKey = [...key, "revocation"];
  // Failures are shown as messages, since a mutation only keeps the state of its last call.
  const notifyFailure = useNotifyFailure();
  return useMutation({
    mutationKey,
    mutationFn: (id: string) => answerOf(api.DELETE("/shares/{id}", { params: { path: { id } } })),
    async onMutate(id) {
      await queries.cancelQueries({ queryKey: key });
      const share = queries.getQueryData<Share[]>(key)?.find((each) => each.id === id);
      queries.setQueryData<Share[]>(key, (shares) => shares?.filter((share) => share.id !== id));
      return { share };
    },
    onError(error, _, before) {
      notifyFailure(error);
      queries.setQueryData<Share[]>(key, (shares) => shares && withShare(shares, before?.share));
    },
    onSuccess: onDone,
    // A refetch during other revocations would bring their shares back.
    onSettled: () =>
      queries.isMutating({ mutationKey }) === 1 ? queries.invalidateQueries({ queryKey: key }) : undefined,
  });
}

/** Adds a share to the list, the newest first. */
function withShare(shares: readonly Share[], share: Share | undefined): Share[] {
  const others = shares.filter(({ id }) => id !== share?.id);
  return [...others, ...(share ? [share] : [])].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
