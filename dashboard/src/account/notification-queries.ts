import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { allPages } from "../api/all-pages.ts";
import { useWorkspace } from "../api/workspace.tsx";

/** A report or alert that the person receives. */
export type Notification = Schemas["Notification"];
/** A kind of notification. */
export type NotificationKind = Notification["kind"];
/** A new notification; the subject is "" for the workspace, else the id of a folder or a share. */
type NewNotification = Pick<Notification, "kind" | "timeZone" | "language"> & { subject: string };

const pageSize = 50;

function notificationsKey(workspaceId: number) {
  return [workspaceId, "notifications"] as const;
}

/** Reads the person's notifications in the workspace, and whether mail can reach them. */
export function useNotifications() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: notificationsKey(id), queryFn: () => answerOf(api.GET("/notifications")) });
}

/** Reads the folders and shares that a notification can be about. */
export function useSubjects() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [...notificationsKey(id), "subjects"],
    async queryFn() {
      const [folders, shares] = await Promise.all([
        allPages(pageSize, (query) => answerOf(api.GET("/folders", { params: { query } }))),
        allPages(pageSize, (query) => answerOf(api.GET("/shares", { params: { query } }))),
      ]);
      return { folders, shares };
    },
  });
}

/** Subscribes the person to a notification. */
export function useNewNotification(onDone: () => void) {
  const { api } = useWorkspace();
  const read = useReadAgain();
  return useMutation({
    mutationFn: ({ subject, ...fields }: NewNotification) => {
      const about = subject.startsWith("share_") ? { shareId: subject } : { folderId: subject };
      return answerOf(api.POST("/notifications", { body: { ...fields, ...(subject !== "" && about) } }));
    },
    async onSuccess() {
      onDone();
      await read();
    },
  });
}

/** Unsubscribes the person from a notification. */
export function useUnsubscription(onDone: () => void) {
  const { api } = useWorkspace();
  const read = useReadAgain();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE("/notifications/{id}", { params: { path: { id } } })),
    async onSuccess() {
      onDone();
      await read();
    },
  });
}

function useReadAgain() {
  const { id } = useWorkspace();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: notificationsKey(id), exact: true });
}
