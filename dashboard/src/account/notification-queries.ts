import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { allPages } from "../api/all-pages.ts";
import { useWorkspace } from "../api/workspace.tsx";

/** A report or alert that the person receives. */
export type Notification = Schemas["Notification"];
/** A kind of notification. */
export type NotificationKind = Notification["kind"];
/** The fields that a person sets; the subject is "" for the workspace, else the id of a folder or a share. */
type NotificationFields = Pick<Notification, "kind" | "timeZone" | "language"> & { subject: string };

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

/** Changes a notification; undefined subscribes the person to a new one. */
export function useNotificationSave(notification: Notification | undefined, onDone: () => void) {
  const { api } = useWorkspace();
  const refetch = useRefetchNotifications();
  return useMutation({
    mutationFn({ subject, kind, timeZone, language }: NotificationFields) {
      const isShare = subject.startsWith("share_");
      const folderId = subject === "" || isShare ? null : subject;
      const shareId = isShare ? subject : null;
      const fields = { kind, timeZone, language };
      if (notification !== undefined) {
        const params = { path: { id: notification.id } };
        return answerOf(api.PATCH("/notifications/{id}", { params, body: { ...fields, folderId, shareId } }));
      }
      const about = { ...(folderId !== null && { folderId }), ...(shareId !== null && { shareId }) };
      return answerOf(api.POST("/notifications", { body: { ...fields, ...about } }));
    },
    async onSuccess() {
      onDone();
      await refetch();
    },
  });
}

/** Unsubscribes the person from a notification. */
export function useUnsubscription(onDone: () => void) {
  const { api } = useWorkspace();
  const refetch = useRefetchNotifications();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE("/notifications/{id}", { params: { path: { id } } })),
    async onSuccess() {
      onDone();
      await refetch();
    },
  });
}

/** Mails a notification to the person as a test. */
export function useNotificationTest(onSent: (address: string) => void) {
  const { api } = useWorkspace();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.POST("/notifications/{id}/test", { params: { path: { id } } })),
    onSuccess: ({ to }) => onSent(to),
  });
}

function useRefetchNotifications() {
  const { id } = useWorkspace();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: notificationsKey(id), exact: true });
}
