import { sql } from "kysely";
import type { Actor } from "../access/actor.ts";
import { notFound, Problem } from "../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import { readUtm } from "./destination-url.ts";
import { externalIdOf } from "./external-id.ts";
import { findLinkRow, linksOf } from "./find-links.ts";
import type { Link, LinkChanges, ReadOnlyField } from "./link.ts";
import { limitedFields, omittedPrefix } from "./link-events.ts";
import { passwordMask } from "./link-password.ts";
import type { LinkDeps } from "./new-links.ts";
import { updateLink } from "./update-link.ts";

/**
 * The history of a link: its events in the outbox, for people to read.
 *
 * It is kept as long as the workspace. The link's id still finds it after the link was deleted.
 */

export const historyPageMax = 1_000;
export const historyPageSizeMax = 100;

/** The types of changes in a history. */
export const linkChangeTypes = [
  "link.created",
  "link.updated",
  "link.deleted",
  "link.blocked",
  "link.unblocked",
] as const;
type LinkChangeType = (typeof linkChangeTypes)[number];

/** Fields of a link as an event holds them. */
export type RecordedFields = Partial<Link>;

/** A recorded change of a link. */
export type LinkChange = {
  id: number;
  type: LinkChangeType;
  /** Milliseconds since the epoch. */
  at: number;
  /** The user who made the change: null for the service itself. Name and e-mail are null for a deleted user. */
  user: { id: string; name: string | null; email: string | null } | null;
  /** The changed fields before the change; null for a creation. */
  before: RecordedFields | null;
  /** The same fields after the change; null for a deletion. */
  after: RecordedFields | null;
  /** The id of the earlier change that this one reverts or undoes; null for any other change. */
  reverts: number | null;
};

/** The page of a history. */
type HistoryPage = { page: number; pageSize: number };

/**
 * The changes of a link, newest first. Calls `onBytes` with the bytes of the page, as they are stored, before they are read.
 * Throws "not_found" for a link the workspace never had, and what `onBytes` throws.
 */
export async function listLinkChanges(
  { db }: { db: Db },
  actor: Actor,
  linkId: string,
  page: HistoryPage,
  onBytes: (bytes: number) => void = () => {},
): Promise<LinkChange[]> {
  const id = await knownLinkId(db, actor, linkId);
  const changes = changesOf(db, actor, id)
    .orderBy("events.id", "desc")
    .limit(page.pageSize)
    .offset((page.page - 1) * page.pageSize);
  const sizes = changes.clearSelect().select(eventBytes.as("bytes"));
  const { bytes } = await db
    .selectFrom(sizes.as("page"))
    .select((sum) => sum.fn.sum<number | string | null>("bytes").as("bytes"))
    .executeTakeFirstOrThrow();
  onBytes(Number(bytes ?? 0));
  return await mapInSlices(await changes.execute(), toChange);
}

/** SQL for the bytes of an event, which the engines know without reading it. */
const eventBytes = sql<number>`octet_length(${sql.ref("events.data")})`;

/**
 * Restores the values that a link's fields had before a change, and returns the link. Later changes of the same fields
 * are overwritten; other fields stay. The call is an update like any other: it is recorded and follows the same rules.
 * Throws "not_found" for an unknown link or change; "unprocessable_entity" for a deleted link, for a creation, and for
 * a change of a password or a large image, which are not recorded; and what updateLink throws, such as "conflict" for a
 * key that is taken by now.
 */
export async function revertLinkChange(
  deps: LinkDeps,
  actor: Actor,
  { linkId, changeId }: { linkId: string; changeId: number },
): Promise<Link> {
  const id = await knownLinkId(deps.db, actor, linkId);
  const row = await changesOf(deps.db, actor, id).where("events.id", "=", changeId).executeTakeFirst();
  if (row === undefined) throw notFound("change");
  if (!(await linkExists(deps.db, actor, id))) {
    throw new Problem(
      "unprocessable_entity",
      "This link was deleted, and a deletion is permanent, so its changes cannot be reverted. Create a new link instead.",
    );
  }
  const input = await revertingInput(deps.db, actor, toChange(row));
  return await updateLink(deps, actor, id, input, { reverts: changeId });
}

/**
 * The input of an update that restores the values before a change. Throws "unprocessable_entity" like revertLinkChange.
 */
export async function revertingInput(db: Db, actor: Actor, { type, before }: LinkChange): Promise<LinkChanges> {
  if (type === "link.blocked" || type === "link.unblocked") {
    throw new Problem("unprocessable_entity", "Only the operator of this service can block or unblock a link.");
  }
  if (before === null) {
    throw new Problem("unprocessable_entity", "The creation of a link cannot be reverted; delete the link instead.");
  }
  const domain = before.domainId === undefined ? undefined : await currentSlug(db, actor, before.domainId);
  return { ...revertingChanges(before), ...(domain === undefined ? {} : { domain }) };
}

/** The newest change of a link. */
export async function newestLinkChange(db: Db, actor: Actor, linkId: string): Promise<LinkChange | undefined> {
  const row = await changesOf(db, actor, linkId).orderBy("events.id", "desc").limit(1).executeTakeFirst();
  return row === undefined ? undefined : toChange(row);
}

/** The bytes of the newest change of each link together, as they are stored. The caller bounds the list. */
export async function newestChangesBytes(db: Db, actor: Actor, linkIds: readonly string[]): Promise<number> {
  const sizes = await mapInSlices(linkIds, async (linkId) => {
    const row = await changesOf(db, actor, linkId)
      .clearSelect()
      .select(eventBytes.as("bytes"))
      .orderBy("events.id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.bytes ?? 0;
  });
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function linkExists(db: Db, { workspaceId }: Actor, id: string): Promise<boolean> {
  const row = await linksOf(db, workspaceId)
    .clearSelect()
    .select("links.id")
    .where("links.id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** The current slug of a domain that the actor can use. */
async function currentSlug(db: Db, { workspaceId }: Actor, domainId: string): Promise<string | undefined> {
  const domain = await db
    .selectFrom("domains")
    .select("slug")
    .where("id", "=", domainId)
    .whereRef("slug", "<>", "id")
    .where((where) => where.or([where("workspaceId", "=", workspaceId), where("isInstance", "=", 1)]))
    .executeTakeFirst();
  return domain?.slug;
}

/** The input of an update that restores these values. */
function revertingChanges(before: RecordedFields): LinkChanges {
  if (before.password === passwordMask) {
    throw new Problem(
      "unprocessable_entity",
      "password: a password that was changed or removed cannot be restored, because it is not stored; set a new one.",
    );
  }
  for (const { name, max } of limitedFields) {
    const value = before[name];
    if (typeof value !== "string" || !value.startsWith(omittedPrefix(name))) continue;
    throw new Problem(
      "unprocessable_entity",
      `${name}: a value of more than ${max} characters cannot be restored, because the history does not store it.`,
    );
  }
  const { id, workspaceId, userId, domainId, foldedKey, isOnInstanceDomain, ...rest } = before;
  const { clicks, lastClicked, createdAt, updatedAt, url, tags, ...written } = rest;
  // Does not compile when a caller cannot write a field of a link: reverting would lose it.
  const fields: Pick<LinkChanges, Exclude<keyof Link, ReadOnlyField | "url" | "tags">> = written;
  return {
    ...fields,
    // The URL holds the utm fields. Naming them all removes those that were added since.
    ...(url === undefined ? {} : { url, ...readUtm(url) }),
    ...(tags === undefined ? {} : { tagIds: tags.map((tag) => tag.id) }),
  };
}

/** The id of an existing or deleted link. Throws "not_found". */
export async function knownLinkId(db: Db, actor: Actor, linkId: string): Promise<string> {
  if (externalIdOf(linkId) === undefined) {
    const change = await changesOf(db, actor, linkId).limit(1).executeTakeFirst();
    if (change !== undefined) return linkId;
  }
  return (await findLinkRow(db, actor.workspaceId, linkId)).id;
}

/** Changes read to find one of a field, one by one: an event may have hundreds of kilobytes. */
const searchedChangesMax = 100;

/**
 * The last folder of a deleted link, from its recorded changes; null for none. The event of its deletion names it,
 * unless the link was deleted with its domain.
 */
export async function lastFolderId(db: Db, actor: Actor, linkId: string): Promise<string | null> {
  for await (const { before, after } of newestChanges(db, actor, linkId)) {
    const folderId = (after ?? before)?.folderId;
    if (folderId !== undefined) return folderId;
  }
  return null;
}

/** An A/B test goes on if its variants are restored within this time. Visitors of the pause hardly change its results. */
export const testPauseMsMax = 600_000;

/**
 * The time since which the A/B test of a link has its present variants: that of their last change, or of the link's
 * creation. Changes that were undone within testPauseMsMax do not count. undefined if that change is not among the
 * newest searchedChangesMax.
 */
export async function variantsSince(
  db: Db,
  actor: Actor,
  { id, testVariants }: Pick<Link, "id" | "testVariants">,
): Promise<number | undefined> {
  const present = JSON.stringify(testVariants);
  let since: number | undefined;
  for await (const { type, at, before } of newestChanges(db, actor, id)) {
    const isCreation = type === "link.created";
    if (!isCreation && before?.testVariants === undefined) continue;
    const hadPresent = !isCreation && JSON.stringify(before?.testVariants) === present;
    if (since === undefined) since = at;
    else if (since - at > testPauseMsMax) return since;
    else if (hadPresent) since = undefined;
    if (isCreation) return since;
  }
  return since;
}

/** The changes of a link, newest first, at most searchedChangesMax. */
async function* newestChanges(db: Db, actor: Actor, linkId: string): AsyncGenerator<LinkChange> {
  let changes = changesOf(db, actor, linkId).orderBy("events.id", "desc").limit(1);
  for (let read = 0; read < searchedChangesMax; read++) {
    await yieldIfSliceSpent();
    const row = await changes.executeTakeFirst();
    if (row === undefined) return;
    yield toChange(row);
    changes = changesOf(db, actor, linkId).where("events.id", "<", row.id).orderBy("events.id", "desc").limit(1);
  }
}

/**
 * The ids among these that name an existing or deleted link of the workspace, links of deleted domains included. The
 * caller bounds the list.
 */
export async function knownLinkIds(db: Db, workspaceId: number, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const stored = await db
    .selectFrom("links")
    .select("id")
    .where("workspaceId", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
  const recorded = await db
    .selectFrom("events")
    .select("objectId as id")
    .distinct()
    .where("objectId", "in", ids)
    .where("workspaceId", "=", workspaceId)
    .where("type", "in", linkChangeTypes)
    .execute();
  return new Set([...stored, ...recorded].map(({ id }) => id));
}

function changesOf(db: Db, actor: Actor, linkId: string) {
  return db
    .selectFrom("events")
    .leftJoin("users", (join) => join.onRef("users.id", "=", "events.userId").on("users.deletedAt", "is", null))
    .select(["events.id", "events.type", "events.at", "events.userId", "events.data", "users.name", "users.email"])
    .where("events.objectId", "=", linkId)
    .where("events.workspaceId", "=", actor.workspaceId)
    .where("events.type", "in", linkChangeTypes);
}

type ChangeRow = {
  id: number;
  type: string;
  at: number;
  userId: string | null;
  data: string;
  name: string | null;
  email: string | null;
};

function toChange({ id, type, at, userId, data, name, email }: ChangeRow): LinkChange {
  // The query selects these types only, and link-events.ts wrote the data in this shape.
  const { before, after, reverts } = JSON.parse(data) as {
    before?: RecordedFields;
    after?: RecordedFields;
    reverts?: number;
  };
  return {
    id,
    type: type as LinkChangeType,
    at,
    user: userId === null ? null : { id: userId, name, email },
    before: before ?? null,
    after: after ?? null,
    reverts: reverts ?? null,
  };
}
