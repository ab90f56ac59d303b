import type { ColumnType, Generated } from "kysely";
import type { BlocksTable } from "./blocks-table.ts";
import type {
  ClickStoreLossesTable,
  ClickStoresTable,
  CounterCursorsTable,
  DaySaltsTable,
  ReleasesTable,
} from "./click-tables.ts";
import type { FramingChecksTable, LinkUsesTable, ReleasedKeysTable } from "./link-tables.ts";
import type { AccessTokensTable, SessionsTable, SignInLinksTable } from "./sign-in-tables.ts";

/**
 * TABLE of tables: one schema for SQLite and PostgreSQL.
 *
 * - Column names are the field names of the JSON, so that one word serves everywhere.
 * - Instants are milliseconds since the epoch; flags are 0 or 1; structured values are JSON text. SQLite has neither
 *   booleans nor timestamps, and one form for both engines means one query text and one row type.
 * - Identifiers are texts made by newId, but for the workspace's, which the specification makes an integer.
 */
export type Schema = {
  users: UsersTable;
  workspaces: WorkspacesTable;
  members: MembersTable;
  apiKeys: ApiKeysTable;
  signInLinks: SignInLinksTable;
  sessions: SessionsTable;
  accessTokens: AccessTokensTable;
  invites: InvitesTable;
  inviteMails: InviteMailsTable;
  avatars: AvatarsTable;
  erasures: ErasuresTable;
  purges: PurgesTable;
  domains: DomainsTable;
  links: LinksTable;
  tags: TagsTable;
  linkTags: LinkTagsTable;
  framingChecks: FramingChecksTable;
  linkUses: LinkUsesTable;
  folders: FoldersTable;
  utmTemplates: UtmTemplatesTable;
  shares: SharesTable;
  releasedKeys: ReleasedKeysTable;
  events: EventsTable;
  counterCursors: CounterCursorsTable;
  releases: ReleasesTable;
  clickStores: ClickStoresTable;
  clickStoreLosses: ClickStoreLossesTable;
  daySalts: DaySaltsTable;
  settings: SettingsTable;
  idempotentCalls: IdempotentCallsTable;
  blocks: BlocksTable;
};

/** A boolean as both engines store it. */
export type Flag = 0 | 1;
/** Instants never change type between writing and reading; the alias only says the unit. */
export type Instant = number;

/** A person, or whoever else holds API keys. */
export type UsersTable = {
  id: string;
  /** Lower case; null until the owner has set one. Unique. */
  email: string | null;
  name: string;
  /** argon2id; null until set. */
  passwordHash: string | null;
  /** When the e-mail address was verified; null while it is not. See access/verify-email.ts. */
  verifiedAt: ColumnType<Instant | null, Instant | null | undefined, Instant | null>;
  createdAt: Instant;
};

/** What links, domains and clicks belong to. */
export type WorkspacesTable = {
  id: Generated<number>;
  name: string;
  /** The file of the uploaded avatar; null while the generated one serves. */
  avatarFile: string | null;
  /** For how many days single clicks are kept; null for ever. */
  clickRetentionDays: ColumnType<number | null, number | null | undefined, number | null>;
  /** The moment before which the click store was last made to expire clicks; null when it never was. */
  clicksExpiredTo: ColumnType<Instant | null, undefined, Instant | null>;
  createdAt: Instant;
};

/** What a member may do in a workspace: everything, read and write, or read. */
export type Role = "owner" | "member" | "viewer";

/** Who belongs to which workspace. */
export type MembersTable = {
  workspaceId: number;
  userId: string;
  role: Role;
  /** 0 from the first verification of the user's address until the user keeps the membership. */
  isConfirmed: ColumnType<Flag, Flag | undefined, Flag>;
  createdAt: Instant;
};

/** API keys, without the keys themselves. */
export type ApiKeysTable = {
  id: string;
  userId: string;
  /** The workspace the key acts in when a call names none. */
  workspaceId: number;
  /** 1 for a key that acts in every workspace of its user that a call names. */
  isForAllWorkspaces: Flag;
  name: string;
  /** SHA-256 of the key; the key itself is nowhere. */
  hash: string;
  /** The first characters, so that people recognise a key in a list. */
  prefix: string;
  /** JSON array of scopes; null means all. */
  scopes: string | null;
  expiresAt: Instant | null;
  /** Written at most once a minute. */
  lastUsedAt: Instant | null;
  createdAt: Instant;
};

/** Open offers to become member of a workspace; a used, revoked or expired one is no row. */
export type InvitesTable = {
  id: string;
  workspaceId: number;
  /** Who invited. */
  userId: string | null;
  /** The only address that may accept; null means whoever has the link. */
  email: string | null;
  role: Role;
  /** SHA-256 of the token of the link that the owner was told. */
  hash: string;
  /** The address that the latest link was mailed to, and the SHA-256 of that link's token, which nobody else is told. */
  mailedTo: ColumnType<string | null, string | undefined, string>;
  mailedHash: ColumnType<string | null, string | undefined, string>;
  /** Passwords of existing users tried by this link. */
  attempts: ColumnType<number, number | undefined, number>;
  expiresAt: Instant;
  createdAt: Instant;
};

/** How many invites a workspace has mailed on the last day that it mailed any. */
export type InviteMailsTable = {
  workspaceId: number;
  /** In UTC, such as 2026-11-20. */
  day: string;
  mails: number;
};

/** Uploaded avatars, one per workspace at most. */
export type AvatarsTable = {
  /** As workspaces.avatarFile; a new image has a new name. */
  file: string;
  workspaceId: number;
  /** The media type found by looking at the image. */
  type: string;
  /** Base 64. */
  image: string;
};

/** Deleted workspaces of which rows or clicks are still there. Whoever looks up links or domains passes over theirs. */
export type ErasuresTable = {
  workspaceId: number;
  requestedAt: Instant;
  /** The last event recorded before the deletion; later ones stay. */
  eventsTo: number;
  /** Events up to this one were looked at. */
  eventsScanned: ColumnType<number, number | undefined, number>;
  /**
   * JSON of [spool id, position] pairs, set when the rows are gone: the clicks may be erased once the store has passed
   * these positions.
   */
  spoolEnds: ColumnType<string | null, string | undefined, string>;
};

/** Links whose clicks of before a moment are being removed; see links/purge-clicks.ts. */
export type PurgesTable = {
  /** Perhaps of a link that was deleted. */
  linkId: string;
  workspaceId: number;
  before: Instant;
  /** Whether the clicks were erased that the store had. */
  isErased: Flag;
  /** JSON of [spool id, position] pairs: where the spools ended when every click from before was in them. */
  spoolEnds: string | null;
};

/** Domains as each workspace holds them; a slug may have several rows, of which one can be proven. */
export type DomainsTable = {
  id: string;
  workspaceId: number;
  /**
   * Lower-case punycode. Unique in its workspace; at most one row of a slug is verified or failing. The id itself once
   * the domain was deleted, until its links are gone.
   */
  slug: string;
  status: "pending" | "verified" | "failing";
  failingSince: Instant | null;
  checkedAt: Instant | null;
  /** What the TXT record must say. */
  token: string;
  /** 1 for the host of WAYPOST_URL, usable by every workspace. At most one row. */
  isInstance: Flag;
  primary: Flag;
  archived: Flag;
  caseSensitive: Flag;
  honorDoNotTrack: Flag;
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
  /** As written by its maker; "_root" for the root link. */
  key: string;
  /** What the key is compared by; unique per domain. See foldKey. */
  foldedKey: string;
  url: string;
  /** What a link is found by from its url, which is too long for an index; see urlHashOf. null for an empty url. */
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
  /** Clicks after which it is used up. */
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
  /** Whether the url lets itself be framed; null while nobody knows. Asked of links with `rewrite` alone. */
  framing: ColumnType<
    "allowed" | "refused" | null,
    "allowed" | "refused" | null | undefined,
    "allowed" | "refused" | null
  >;
  doIndex: Generated<Flag>;
  publicStats: Generated<Flag>;
  trackConversion: Generated<Flag>;
  /** Human clicks, kept by the counters reader alone. */
  clicks: ColumnType<number, number | undefined, number>;
  lastClicked: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** What a tag can be shown in. */
export const tagColors = ["red", "yellow", "green", "blue", "purple", "brown", "gray", "pink"] as const;
export type TagColor = (typeof tagColors)[number];

/** Words by which a workspace sorts its links. */
export type TagsTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** What the name is compared by; unique in its workspace. */
  foldedName: string;
  color: TagColor;
  createdAt: Instant;
};

/** Which link has which tag. */
export type LinkTagsTable = {
  linkId: string;
  tagId: string;
  /** The order in which the tags were assigned, from 0. */
  position: number;
};

/** What those members may do with a folder who are no owners of its workspace. */
export type FolderAccess = "write" | "read";

/** Folders of links; a link is in one at most. */
export type FoldersTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** What the name is compared by; unique in its workspace. */
  foldedName: string;
  description: string | null;
  accessLevel: FolderAccess | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Utm parameters under a name, to be filled into links. */
export type UtmTemplatesTable = {
  id: string;
  workspaceId: number;
  name: string;
  /** What the name is compared by; unique in its workspace. */
  foldedName: string;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Analytics of a link or a folder, shown to whoever has the address. */
export type SharesTable = {
  id: string;
  workspaceId: number;
  /** The unguessable part of the address, in clear, since members see the address again. */
  token: string;
  name: string | null;
  /** Either this or folderId is set; the share goes with what it is about. */
  linkId: string | null;
  folderId: string | null;
  passwordHash: string | null;
  expiresAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** The outbox: one row per mutation, written in its transaction. */
export type EventsTable = {
  id: Generated<number>;
  workspaceId: number;
  type: string;
  objectId: string;
  /** The user who did it; null for the service itself. */
  userId: string | null;
  at: Instant;
  /** JSON object. */
  data: string;
};

/** What the instance as a whole remembers, by name. */
export type SettingsTable = {
  name: string;
  value: string;
};

/** POSTs that carried an Idempotency-Key and were carried out or refused; kept for idempotencyMs. */
export type IdempotentCallsTable = {
  /** SHA-256 of user, workspace, path and key. */
  id: string;
  workspaceId: number;
  /** SHA-256 of query and body. */
  contents: string;
  /** "done": carried out, the answer not (yet) stored; "secret", "tooLarge": done, the answer is not kept. */
  state: "done" | "answered" | "secret" | "tooLarge";
  /** The answer, of "answered" alone; its body is JSON text. */
  status: number | null;
  body: string | null;
  /** Of the body; 0 without one. */
  bytes: number;
  at: Instant;
};
