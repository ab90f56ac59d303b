import type { ColumnType } from "kysely";

/** The kinds of notifications: two reports and three alerts. */
export const notificationKinds = ["weeklyReport", "monthlyReport", "spike", "drop", "failingDomain"] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** The languages of notifications: those of the dashboard. */
export const notificationLanguages = ["en", "de", "zh"] as const;
export type NotificationLanguage = (typeof notificationLanguages)[number];

/**
 * Reports and alerts that members receive by e-mail. A row is deleted with the membership, and with the folder or share
 * that it is about.
 */
export type NotificationsTable = {
  id: string;
  workspaceId: number;
  userId: string;
  kind: NotificationKind;
  /** At most one of the two is set; neither means the workspace. */
  folderId: string | null;
  shareId: string | null;
  /** folderId or shareId, else "". Unique by member and kind, which nulls would not be. */
  subject: string;
  /** An IANA name. */
  timeZone: string;
  language: NotificationLanguage;
  /** The time of the next mail or check. */
  nextAt: number;
  /**
   * The local date on which the last sent period began: of a report its week or month, of an alert its day. null before
   * the first mail.
   */
  sentPeriod: string | null;
  /** Failed attempts at the current mail. */
  attempts: ColumnType<number, number | undefined, number>;
  lastSentAt: number | null;
  createdAt: number;
};

/** The failing domains that a notification has announced; one row for each of them. */
export type DomainAlertsTable = {
  notificationId: string;
  domainId: string;
  /** The domain's failingSince; a domain that fails again has another. */
  failingSince: number;
  stage: "began" | "endsSoon";
};
