import type { Transaction } from "kysely";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import { auditRowsOf } from "./audit-entries.ts";
import { insertRows } from "./prepared.ts";
import type { Schema } from "./schema.ts";
import { markChange } from "./transactions-with-changes.ts";

/** A transaction: its writes become visible all at once or not at all. */
export type Tx = Transaction<Schema>;

/** TABLE of event types, one for each kind of change. */
const eventTypes = [
  "workspace.created",
  "workspace.updated",
  "workspace.deleted",
  "member.added",
  "member.updated",
  "member.removed",
  "invite.created",
  "invite.revoked",
  "apiKey.created",
  "apiKey.updated",
  "apiKey.revoked",
  "domain.created",
  "domain.updated",
  "domain.deleted",
  "domain.statusChanged",
  "link.created",
  "link.updated",
  "link.deleted",
  "link.blocked",
  "link.unblocked",
  "link.framingChecked",
  "clicks.purged",
  "tag.created",
  "tag.updated",
  "tag.deleted",
  "folder.created",
  "folder.updated",
  "folder.deleted",
  "utmTemplate.created",
  "utmTemplate.updated",
  "utmTemplate.deleted",
  "savedView.created",
  "savedView.updated",
  "savedView.deleted",
  "share.created",
  "share.updated",
  "share.deleted",
  "notification.created",
  "notification.updated",
  "notification.deleted",
] as const;
export type EventType = (typeof eventTypes)[number];

/** The noun of an event type: the kind of object that changed, such as "link". */
export type ChangedNoun = EventType extends `${infer Noun}.${string}` ? Noun : never;
/** The noun of a recorded type; undefined for a type that this version does not know. */
export const nounOf = (type: string): ChangedNoun | undefined =>
  changedNouns.find((noun) => type.startsWith(`${noun}.`));
/** Every noun of an event type. */
export const changedNouns: readonly ChangedNoun[] = [
  ...new Set(eventTypes.map((type) => type.slice(0, type.indexOf(".")) as ChangedNoun)),
];

/** A recorded change: the user, the type, the object, the time (milliseconds). */
export type RecordedEvent = {
  workspaceId: number;
  type: EventType;
  objectId: string;
  /** null when the service itself acts. */
  userId: string | null;
  /** The API key with which the user acts, for the audit log. */
  apiKeyId?: string | undefined;
  at: number;
  /** The change as JSON values; never a secret. */
  data: Record<string, unknown>;
};

/** The event of a change that a user makes in a workspace, such as an actor; with `userId` null, of the service. */
export function eventBy(
  { workspaceId, userId, apiKeyId }: Pick<RecordedEvent, "workspaceId" | "userId" | "apiKeyId">,
  type: EventType,
  objectId: string,
  at: number,
  data: RecordedEvent["data"],
): RecordedEvent {
  return { workspaceId, type, objectId, userId, apiKeyId, at, data };
}

/** Events of one statement, and the characters that end it earlier: a link's event may have 500,000. */
const batchEventsMax = 10;
const batchCharactersMax = 256 * 1024;

/**
 * Records the change of each link; audit logs do not list them. Yields to the event loop in between, since serializing large objects takes long.
 */
export async function emitAll<Item>(
  tx: Tx,
  items: readonly Item[],
  eventOf: (item: Item) => RecordedEvent,
): Promise<void> {
  markChange(tx);
  let rows: EventRow[] = [];
  let characters = 0;
  for (const item of items) {
    const row = rowOf(eventOf(item));
    rows.push(row);
    characters += row.data.length;
    if (rows.length === batchEventsMax || characters > batchCharactersMax) {
      await insertRows(tx, "events", rows);
      rows = [];
      characters = 0;
    }
    await yieldIfSliceSpent();
  }
  await insertRows(tx, "events", rows);
}

/**
 * Records changes in the transaction that makes them, so that no reader sees one without the other; and their entries
 * in the audit log.
 */
export async function emit(tx: Tx, ...events: RecordedEvent[]): Promise<void> {
  markChange(tx);
  await insertRows(tx, "events", events.map(rowOf));
  await insertRows(tx, "auditEntries", auditRowsOf(events));
}

type EventRow = Omit<RecordedEvent, "data" | "apiKeyId"> & { data: string };

function rowOf({ apiKeyId: _, ...event }: RecordedEvent): EventRow {
  return { ...event, data: JSON.stringify(event.data) };
}
