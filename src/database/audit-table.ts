/** The kinds of entries of an audit log, by which people filter it: the part of the type before the dot. */
export const auditKinds = ["workspace", "member", "invite", "apiKey", "domain", "share", "signIn"] as const;
export type AuditKind = (typeof auditKinds)[number];

/** TABLE of the types of audit entries: the recorded changes that owners review, and sign-ins. */
export const auditTypes = [
  "workspace.created",
  "workspace.updated",
  "member.added",
  "member.updated",
  "member.removed",
  "member.codesRemoved",
  "member.identityConnected",
  "member.identityDisconnected",
  "member.passkeyAdded",
  "member.passkeyRemoved",
  "invite.created",
  "invite.revoked",
  "apiKey.created",
  "apiKey.updated",
  "apiKey.revoked",
  "domain.created",
  "domain.updated",
  "domain.deleted",
  "domain.statusChanged",
  "share.created",
  "share.updated",
  "share.deleted",
  "signIn.succeeded",
  "signIn.passkeyRefused",
] as const;
export type AuditType = (typeof auditTypes)[number];

/** Entries of the workspaces' audit logs, kept for WAYPOST_AUDIT_LOG_DAYS; see audit-entries.ts. */
export type AuditEntriesTable = {
  id: string;
  workspaceId: number;
  kind: AuditKind;
  type: AuditType;
  objectId: string;
  /** The name of the object at that time, such as a slug; null for objects without one. */
  objectName: string | null;
  /** The user who acted; null for the service and its operator. */
  userId: string | null;
  /** The API key with which the user acted; null for a session. */
  apiKeyId: string | null;
  at: number;
  /** JSON objects of the fields before and after the change; null for a creation or a deletion. */
  before: string | null;
  after: string | null;
};
