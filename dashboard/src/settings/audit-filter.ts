/** The kinds of audit entries, in the order of the filter. */
export const auditKinds = ["member", "invite", "apiKey", "domain", "share", "workspace", "signIn"] as const;

/** The entries that the page shows and downloads; absent fields match all. */
export type AuditFilter = {
  kind?: (typeof auditKinds)[number];
  userId?: string;
  /** ISO 8601. */
  start?: string;
};
