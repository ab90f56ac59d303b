/** TABLE of unique indexes that a caller's input can violate, by their names in each engine. */
const uniqueIndexes = {
  userEmail: { columns: "users.email", constraint: "users_email_key" },
  domainInWorkspace: { columns: "domains.workspaceId, domains.slug", constraint: "domainsBySlugInWorkspace" },
  provenDomain: { columns: "domains.slug", constraint: "domainsByProvenSlug" },
  linkKey: { columns: "links.domainId, links.foldedKey", constraint: "linksByKey" },
  linkExternalId: { columns: "links.workspaceId, links.externalId", constraint: "linksByExternalId" },
  tagName: { columns: "tags.workspaceId, tags.foldedName", constraint: "tagsByName" },
  folderName: { columns: "folders.workspaceId, folders.foldedName", constraint: "foldersByName" },
  utmTemplateName: {
    columns: "utmTemplates.workspaceId, utmTemplates.foldedName",
    constraint: "utmTemplatesByName",
  },
  notification: {
    columns: "notifications.workspaceId, notifications.userId, notifications.kind, notifications.subject",
    constraint: "notificationsBySubject",
  },
  passkeyCredential: { columns: "passkeys.credentialId", constraint: "passkeysByCredential" },
  apiKeyHash: { columns: "apiKeys.hash", constraint: "apiKeys_hash_key" },
} as const;

/** The code's name of a unique index. */
type UniqueIndex = keyof typeof uniqueIndexes;

const sqlitePrefix = "UNIQUE constraint failed: ";
const postgresUniqueViolation = "23505";

/** The unique index that a failed write violated; undefined for another error. */
export function violatedIndex(error: unknown): UniqueIndex | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const index of keysOf(uniqueIndexes)) {
    const { columns, constraint } = uniqueIndexes[index];
    if (error.message === sqlitePrefix + columns) return index;
    if ("code" in error && error.code === postgresUniqueViolation) {
      if ("constraint" in error && error.constraint === constraint) return index;
    }
  }
  return undefined;
}

function keysOf<Row extends object>(table: Row): (keyof Row)[] {
  return Object.keys(table) as (keyof Row)[];
}
