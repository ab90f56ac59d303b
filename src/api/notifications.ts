import { z } from "@hono/zod-openapi";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import { notificationKinds, notificationLanguages } from "../database/notification-tables.ts";
import {
  createNotification,
  deleteNotification,
  deliveryTo,
  findNotification,
  listNotifications,
  notificationsPerMemberMax,
  type Notification as StoredNotification,
} from "../notifications/notifications.ts";
import { sendTestNotification } from "../notifications/send-test.ts";
import { updateNotification } from "../notifications/update-notification.ts";
import { oneOf } from "./analytics-schemas.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({
  tag: "Notifications",
  uses: ["attempts", "config", "db", "mailer", "now", "pipeline"],
});

/** Characters of the longest name of a time zone, and more. */
const timeZoneCharactersMax = 64;

const Notification = z
  .object({
    id: z.string(),
    kind: z.enum(notificationKinds).openapi({
      description:
        "A weekly or monthly report; an alert about a day with unusually many or few clicks, compared with the same weekday of four weeks; or an alert about domains whose ownership record is missing.",
    }),
    folderId: z.string().nullable(),
    shareId: z.string().nullable().openapi({ description: "Without a folder and a share, it is about the workspace." }),
    timeZone: z.string(),
    language: z.enum(notificationLanguages),
    nextAt: timestamp.openapi({ description: "The time of the next report, or of the next check of an alert." }),
    lastSentAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .openapi("Notification");

const example: z.input<typeof Notification> = {
  ...{ id: "ntf_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", kind: "weeklyReport", folderId: null, shareId: null },
  ...{ timeZone: "Europe/Berlin", language: "en" },
  ...{ nextAt: "2026-11-23T07:00:00.000Z", lastSentAt: null, createdAt: "2026-11-20T09:30:00.000Z" },
};

const kind = z.enum(notificationKinds, oneOf(notificationKinds));
const folderId = z.string().openapi({ description: "Only the clicks of this folder's links." });
const shareId = z.string().openapi({ description: "Only what this share shows." });
const timeZone = z
  .string()
  .max(timeZoneCharactersMax, `must have at most ${timeZoneCharactersMax} characters`)
  .openapi({ description: "The IANA time zone of days, weeks and months.", example: "Europe/Berlin" });
const language = z.enum(notificationLanguages, oneOf(notificationLanguages));

const NotificationBody = z
  .object({
    kind,
    folderId: folderId.optional(),
    shareId: shareId.optional(),
    timeZone: timeZone.default("UTC"),
    language: language.default("en"),
  })
  .openapi("NotificationFields");

const NotificationChange = z
  .object({
    kind: kind.optional(),
    folderId: folderId.nullable().optional(),
    shareId: shareId.nullable().optional(),
    timeZone: timeZone.optional(),
    language: language.optional(),
  })
  .openapi("NotificationChange");

const NotificationList = z
  .object({
    delivery: z.enum(["ready", "noMailServer", "unverifiedEmail"]).openapi({
      description:
        "Whether mail can reach you: `noMailServer` if the operator has configured none, `unverifiedEmail` until you verify your address.",
    }),
    notifications: z.array(Notification),
  })
  .openapi("NotificationList");

const shared = { scope: "user", isAboutUser: true } as const;
const notificationPath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on the caller's own notifications in a workspace. */
export const notificationEndpoints = [
  endpoint({
    ...shared,
    method: "post",
    path: "/notifications",
    operationId: "createNotification",
    summary: "Subscribe to a report or an alert",
    description: `Waypost mails it to your verified address. Reports arrive at 8:00 in your time zone, on Mondays or on the first of the month. Every mail has a link that unsubscribes you. It ends when you leave the workspace, and with its folder or share. You can have ${notificationsPerMemberMax} in a workspace.`,
    bodySchema: NotificationBody,
    bodyExample: { kind: "weeklyReport", timeZone: "Europe/Berlin" },
    status: 201,
    responseSchema: Notification,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const { folderId = null, shareId = null, ...fields } = body;
      return serialize(await createNotification(deps, actor, { ...fields, folderId, shareId }));
    },
  }),
  endpoint({
    ...shared,
    method: "get",
    path: "/notifications",
    operationId: "listNotifications",
    summary: "List your notifications",
    description: "Those in this workspace, oldest first.",
    responseSchema: NotificationList,
    responseExample: { delivery: "ready", notifications: [example] },
    async handle({ deps, actor }) {
      const notifications = (await listNotifications(deps, actor)).map(serialize);
      return { delivery: await deliveryTo(deps, actor), notifications };
    },
  }),
  endpoint({
    ...shared,
    method: "get",
    path: "/notifications/{id}",
    operationId: "getNotification",
    summary: "Retrieve a notification",
    pathSchema: notificationPath,
    responseSchema: Notification,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(await findNotification(deps, actor, path.id)),
  }),
  endpoint({
    ...shared,
    method: "patch",
    path: "/notifications/{id}",
    operationId: "updateNotification",
    summary: "Update a notification",
    description:
      "Omitted fields stay unchanged. `folderId` replaces a share, `shareId` a folder, and null for the one that is set makes the notification about the workspace. With another kind or subject, the notification starts again, as if it were new.",
    pathSchema: notificationPath,
    bodySchema: NotificationChange,
    bodyExample: { kind: "monthlyReport", timeZone: "Europe/Berlin" },
    responseSchema: Notification,
    responseExample: { ...example, kind: "monthlyReport", nextAt: "2026-12-01T07:00:00.000Z" },
    problems: ["conflict"],
    handle: async ({ deps, actor, path, body }) => serialize(await updateNotification(deps, actor, path.id, body)),
  }),
  endpoint({
    ...shared,
    method: "post",
    path: "/notifications/{id}/test",
    operationId: "testNotification",
    summary: "Mail a notification as a test",
    description:
      "Mails it to your verified address at once: the report of the last period, or a sample of the alert. The regular mails stay as they are. You can send 10 tests an hour.",
    pathSchema: notificationPath,
    responseSchema: z.object({ to: z.string().openapi({ description: "The address that the mail was sent to." }) }),
    responseExample: { to: "ann@example.com" },
    problems: ["conflict", "rate_limit_exceeded"],
    handle: ({ deps, actor, path }) =>
      sendTestNotification({ ...deps, appUrl: deps.config.WAYPOST_URL }, actor, path.id),
  }),
  endpoint({
    ...shared,
    method: "delete",
    path: "/notifications/{id}",
    operationId: "deleteNotification",
    summary: "Unsubscribe from a notification",
    pathSchema: notificationPath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteNotification(deps, actor, path.id),
  }),
];

function serialize({ nextAt, lastSentAt, createdAt, ...rest }: StoredNotification): z.input<typeof Notification> {
  return { ...rest, nextAt: isoTime(nextAt), lastSentAt: isoTimeOrNull(lastSentAt), createdAt: isoTime(createdAt) };
}
