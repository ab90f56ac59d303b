import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import type { ShareSubject } from "./share-subject.ts";

export type Share = Schemas["Share"];
export type NewShare = { name: string; password: string; expiresAt: string };

const pageSize = 100;

function useSharesKey(subject: ShareSubject) {
  const { id } = useWorkspace();
  return [id, "shares", subject.kind, subject.id];
}

function aboutOf({ kind, id }: ShareSubject) {
  return kind === "link" ? { linkId: id } : { folderId: id };
}

/** The addresses of a link or folder, the latest first. */
export function useShares(subject: ShareSubject) {
  const { api } = useWorkspace();
  return useQuery({
    queryKey: useSharesKey(subject),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/shares", { params: { query: { ...aboutOf(subject), pageSize } }, signal })),
  });
}

/** Makes an address; what is empty is left out. */
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
            ...(expiresAt !== "" && { expiresAt: new Date(expiresAt).toISOString() }),
          },
        }),
      ),
    onSuccess(share) {
      queries.setQueryData<Share[]>(key, (before) => [share, ...(before ?? [])]);
      onDone(share);
    },
  });
}

/** Ends an address; it is gone from the list at once, and back when that fails. */
export function useRevocation(subject: ShareSubject, onDone: () => void) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const key = useSharesKey(subject);
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE("/shares/{id}", { params: { path: { id } } })),
    async onMutate(id) {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData<Share[]>(key);
      queries.setQueryData<Share[]>(key, (shares) => shares?.filter((share) => share.id !== id));
      return { before };
    },
    onError: (_, __, kept) => queries.setQueryData(key, kept?.before),
    onSuccess: onDone,
  });
}
