import type { ColumnType, Generated } from "kysely";
import type { AuditEntriesTable } from "./audit-table.ts";
import type { AvatarsTable, UserAvatarsTable } from "./avatar-tables.ts";
import type { BlocksTable } from "./blocks-table.ts";
import type { AcmeAccountsTable, CertificatesTable } from "./certificate-tables.ts";
import type {
  ClickStoreLossesTable,
  ClickStoresTable,
  CounterCursorsTable,
  DaySaltsTable,
  ReleasesTable,
} from "./click-tables.ts";
import type { DomainChecksTable } from "./domain-tables.ts";
import type { ExamplesTable } from "./examples-table.ts";
import type { IdempotentCallsTable } from "./idempotent-calls-table.ts";
import type { DestinationIconsTable, FramingChecksTable, LinkUsesTable, ReleasedKeysTable } from "./link-tables.ts";
import type { NodeTables } from "./node-tables.ts";
import type { DomainAlertsTable, NotificationsTable } from "./notification-tables.ts";
import type { SignInTables } from "./sign-in-tables.ts";

/**
 * TABLE of tables: one schema for SQLite and PostgreSQL.
 *
 * - Column names are the field names of the JSON, so that one word serves everywhere.
 * - Instants are milliseconds since the epoch; flags are 0 or 1; structured values are JSON text. SQLite has neither
 *   booleans nor timestamps, and one form for both engines means one query text and one row type.
 * - Ids are texts made by newId, except the workspace's, which the specification makes an integer.
 */
export type Schema = SignInTables &
  NodeTables & {
    users: UsersTable;
    workspaces: WorkspacesTable;
    members: MembersTable;
    apiKeys: ApiKeysTable;
    invites: InvitesTable;
    avatars: AvatarsTable;
    userAvatars: UserAvatarsTable;
    erasures: ErasuresTable;
    purges: PurgesTable;
    domains: DomainsTable;
    domainChecks: DomainChecksTable;
    acmeAccounts: AcmeAccountsTable;
    certificates: CertificatesTable;
    links: LinksTable;
    tags: TagsTable;
    linkTags: LinkTagsTable;
    framingChecks: FramingChecksTable;
    destinationIcons: DestinationIconsTable;
    linkUses: LinkUsesTable;
    folders: FoldersTable;
    utmTemplates: UtmTemplatesTable;
    savedViews: SavedViewsTable;
    shares: SharesTable;
    notifications: NotificationsTable;
    domainAlerts: DomainAlertsTable;
    releasedKeys: ReleasedKeysTable;
    events: EventsTable;
    auditEntries: AuditEntriesTable;
    counterCursors: CounterCursorsTable;
    releases: ReleasesTable;
    clickStores: ClickStoresTable;
    clickStoreLosses: ClickStoreLossesTable;
    daySalts: DaySaltsTable;
    settings: SettingsTable;
    idempotentCalls: IdempotentCallsTable;
    blocks: BlocksTable;
    examples: ExamplesTable;
  };

/** A boolean as both engines store it. */
export type Flag = 0 | 1;
/** Reading and writing an instant never changes its type; the alias only names the unit. */
type Instant = number;

/** People, and other owners of API keys. */
type UsersTable = {
  id: string;
  /** Lower case; null until the user has set one. Unique. */
  email: string | null;
  name: string;
  /** argon2id; null until set. */
  passwordHash: string | null;
  /** The time the e-mail address was verified; null before. See access/verify-email.ts. */
  verifiedAt: ColumnType<Instant | null, Instant | null | undefined, Instant | null>;
  /** The time the operator disabled the account, or it was deleted; null while it is in use. */
  disabledAt: ColumnType<Instant | null, Instant | null | undefined, Instant | null>;
  /** The time of the deletion, which left no personal data in this row; see access/delete-user.ts. */
  deletedAt: ColumnType<Instant | null, Instant | null | undefined, Instant | null>;
  /** 1 for a person who administers the whole instance. */
  isAdministrator: ColumnType<Flag, Flag | undefined, Flag>;
  /** The language of the page on which the user last signed in, such as "de"; null before. */
  language: ColumnType<string | null, string | null | undefined, string | null>;
  createdAt: Instant;
};

/** Workspaces: links, domains and clicks belong to one. */
type WorkspacesTable = {
  id: Generated<number>;
  name: string;
  /** The file of the uploaded avatar; null while the generated one is shown. */
  avatarFile: string | null;
  /** Days that individual clicks are kept; null means forever. */
  clickRetentionDays: ColumnType<number | null, number | null | undefined, number | null>;
  /** The instant up to which the click store last expired clicks; null if it never did. */
  clicksExpiredTo: ColumnType<Instant | null, undefined, Instant | null>;
  /** JSON of a SavedQrStyle; null until a member saves one. */
  qrStyle: ColumnType<string | null, undefined, string | null>;
  /** JSON of the workspace's own limits; null without any. See access/workspace-limits.ts. */
  limits: ColumnType<string | null, undefined, string | null>;
  /** The number of links, without root links; null while no limit needs it. See access/link-count.ts. */
  linkCount: ColumnType<number | null, undefined, number | null>;
  /** The links created since a count of the links began, minus those deleted; null while none runs. */
  linkCountChange: ColumnType<number | null, undefined, number | null>;
  /** 1 while sessions need a second factor. */
  requiresSecondFactor: ColumnType<Flag, undefined, Flag>;
  createdAt: Instant;
};

/** The rights of a member in a workspace: everything, read and write, or read. */
export type Role = "owner" | "member" | "viewer";

/** The members of workspaces. */
type MembersTable = {
  workspaceId: number;
  userId: string;
  role: Role;
  /** 0 from the first verification of the user's address until the user keeps the membership. */
  isConfirmed: ColumnType<Flag, Flag | undefined, Flag>;
  /** 1 once the owner was subscribed to the default alerts; see notifications/subscribe-owners.ts. */
  hasDefaultAlerts: ColumnType<Flag, Flag | undefined, Flag>;
  /** 1 for a membership that follows the groups of the identity provider; see access/mapped-members.ts. */
  isMapped: ColumnType<Flag, Flag | undefined, Flag>;
  createdAt: Instant;
};

/** API keys, without the keys themselves. */
export type ApiKeysTable = {
  id: string;
  userId: string;
  /** The workspace in which the key acts when a call names none. */
  workspaceId: number;
  /** 1 for a key that acts in every workspace of its user that a call names. */
  isForAllWorkspaces: Flag;
  name: string;
  /** SHA-256 of the key, which is stored nowhere. */
  hash: string;
  /** The first characters, by which people recognize a key in a list. */
  prefix: string;
  /** JSON array of scopes; null means all. */
  scopes: string | null;
  expiresAt: Instant | null;
  /** Written at most once a minute. */
  lastUsedAt: Instant | null;
  createdAt: Instant;
};

/** Open invites to workspaces; used, revoked and expired ones have no row. */
type InvitesTable = {
  id: string;
  workspaceId: number;
  /** The user who invited. */
  userId: string | null;
  /** The only address that may accept; null admits anyone with the link. */
  email: string | null;
  role: Role;
  /** SHA-256 of the token of the link that the owner saw. */
  hash: string;
  /** The address of the latest mailed link, and the SHA-256 of that link's token, which only the mail contains. */
  mailedTo: ColumnType<string | null, string | undefined, string>;
  mailedHash: ColumnType<string | null, string | undefined, string>;
  /** Attempts at passwords of existing users by this link. */
  attempts: ColumnType<number, number | undefined, number>;
  expiresAt: Instant;
  createdAt: Instant;
};

/** Deleted workspaces that still have rows or clicks. Lookups of links and domains skip theirs. */
type ErasuresTable = {
  workspaceId: number;
  requestedAt: Instant;
  /** The last event recorded before the deletion; later ones stay. */
  eventsTo: number;
  /** The last event that was scanned. */
  eventsScanned: ColumnType<number, number | undefined, number>;
  /**
   * JSON of [spool id, position] pairs, set when the rows are deleted: the clicks can be erased once the store has
   * passed these positions.
   */
  spoolEnds: ColumnType<string | null, string | undefined, string>;
};

/** Purges of links' clicks before an instant; see links/purge-clicks.ts. */
type PurgesTable = {
  /** The link may be deleted. */
  linkId: string;
  workspaceId: number;
  before: Instant;
  /** 1 once the store has erased its clicks. */
  isErased: Flag;
  /** JSON of [spool id, position] pairs: the ends of the spools once they held every click before the instant. */
  spoolEnds: string | null;
};

/** The domains of each workspace; several rows may share a slug, but only one of them can be verified. */
export type DomainsTable = {
  id: string;
  workspaceId: number;
  /**
   * Lower-case punycode. Unique in its workspace; at most one row of a slug is verified or failing. The id itself once
   * the domain is deleted, until its links are gone.
   */
  slug: string;
  status: "pending" | "verified" | "failing";
  failingSince: Instant | null;
  checkedAt: Instant | null;
  /** The time of the next check; see domains/check-schedule.ts. */
  nextCheckAt: Instant;
  /** Checks in a row that no DNS server answered. */
  unansweredChecks: number;
  /** The token that the TXT record must contain. */
  token: string;
  /** 1 for the host of WAYPOST_URL, which every workspace can use. At most one row. */
  isInstance: Flag;
  primary: Flag;
  archived: Flag;
  caseSensitive: Flag;
  honorDoNotTrack: Flag;
  /** 1 to send visitors over HTTP to HTTPS. */
  httpsRedirect: Flag;
  /** The max-age of the domain's HSTS field; null for no field. */
  hstsMaxAgeSeconds: number | null;
  placeholder: string | null;
  expiredUrl: string | null;
  notFoundUrl: string | null;
  logo: string | null;
  assetLinks: string | null;
  appleAppSiteAssociation: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Links. An unset column is null, an unset flag 0. The fields that callers write are in links/fields.ts. */
export type LinksTable = {
  id: string;
  workspaceId: number;
  userId: string | null;
  domainId: string;
  /** As its creator wrote it; "_root" for the root link. */
  key: string;
  /** The folded form for comparison; unique per domain. See foldKey. */
  foldedKey: string;
  url: string;
  /** A hash that finds a link by its URL, which is too long for an index; see urlHashOf. null for an empty URL. */
  urlHash: ColumnType<number | null, number | null | undefined, number | null>;
  /** Unique in its workspace. */
  externalId: string | null;
  tenantId: string | null;
  programId: string | null;
  partnerId: string | null;
  folderId: string | null;
  comments: string | null;
  title: string | null;
  description: string | null;
  image: string | null;
  video: string | null;
  passwordHash: string | null;
  startsAt: Instant | null;
  expiresAt: Instant | null;
  expiredUrl: string | null;
  disabledAt: Instant | null;
  /** Clicks after which the link is used up. */
  maxClicks: number | null;
  redirectStatus: number | null;
  forwardPath: Generated<Flag>;
  /** JSON array of {when, url}. */
  rules: string | null;
  ios: string | null;
  android: string | null;
  /** JSON object of country code to URL. */
  geo: string | null;
  /** JSON array of {url, percentage}. */
  testVariants: string | null;
  testStartedAt: Instant | null;
  testCompletedAt: Instant | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  archived: Generated<Flag>;
  proxy: Generated<Flag>;
  rewrite: Generated<Flag>;
  /** Whether the destination may be framed; null while that is unknown. Only checked for links with `rewrite`. */
  framing: ColumnType<
    "allowed" | "refused" | null,
    "allowed" | "refused" | null | undefined,
    "allowed" | "refused" | null
  >;
  doIndex: Generated<Flag>;
  publicStats: Generated<Flag>;
  trackConversion: Generated<Flag>;
  /** Human clicks, which only the counters update. */
  clicks: ColumnType<number, number | undefined, number>;
  lastClicked: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** The colors of tags. */
export const tagColors = ["red", "yellow", "green", "blue", "purple", "brown", "gray", "pink"] as const;
export type TagColor = (typeof tagColors)[number];

/** Tags, by which a workspace sorts its links. */
export type TagsTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** The folded form for comparison; unique in its workspace. */
  foldedName: string;
  color: TagColor;
  createdAt: Instant;
};

/** The tags of links. */
type LinkTagsTable = {
  linkId: string;
  tagId: string;
  /** The order in which the tags were assigned, from 0. */
  position: number;
};

/** The rights in a folder of members who are not owners. */
export type FolderAccess = "write" | "read";

/** Folders of links; a link is in at most one. */
export type FoldersTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** The folded form for comparison; unique in its workspace. */
  foldedName: string;
  description: string | null;
  accessLevel: FolderAccess | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Utm templates: named utm parameters that people fill into links. */
export type UtmTemplatesTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** The folded form for comparison; unique in its workspace. */
  foldedName: string;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Saved views: named filters of the list of links. */
export type SavedViewsTable = {
  id: string;
  workspaceId: number;
  /** The creator; also the only user who sees a view that is not shared. */
  userId: string;
  isShared: Flag;
  name: string;
  /** The query of the dashboard's page of links, such as `folder=fold_…&order=mostClicked`. */
  query: string;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Shares: analytics of a link or a folder, for anyone with the URL. */
export type SharesTable = {
  id: string;
  workspaceId: number;
  /** The unguessable part of the URL, unhashed, since members see the URL again. */
  token: string;
  name: string | null;
  /** Either this or folderId is set; the share is deleted with it. */
  linkId: string | null;
  folderId: string | null;
  passwordHash: string | null;
  expiresAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** The outbox: one row per mutation, written in its transaction. */
type EventsTable = {
  id: Generated<number>;
  workspaceId: number;
  type: string;
  objectId: string;
  /** The user who made the change; null for the service itself. */
  userId: string | null;
  at: Instant;
  /** JSON object. */
  data: string;
};

/** Settings of the whole instance, by name. */
type SettingsTable = {
  name: string;
  value: string;
};
