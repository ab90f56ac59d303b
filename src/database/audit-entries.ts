import type { Insertable } from "kysely";
import { newId } from "../base/ids.ts";
import { type AuditEntriesTable, type AuditType, auditKinds, auditTypes } from "./audit-table.ts";

/**
 * The entries of audit logs, from the events of the outbox.
 *
 * 1. `emit` writes them in the transaction of the change, so that no change is missing and none is listed that failed.
 * 2. They contain what events contain: never a secret. Long values are cut to valueCharactersMax.
 * 3. Unlike events, they are deleted after WAYPOST_AUDIT_LOG_DAYS.
 */

/** A recorded event, as outbox.ts defines it; `type` may be any. */
type AuditedEvent = {
  workspaceId: number;
  type: string;
  objectId: string;
  userId: string | null;
  apiKeyId?: string | undefined;
  at: number;
  data: Record<string, unknown>;
};

type AuditRow = Insertable<AuditEntriesTable>;

/** Characters of a value in an entry; longer ones are cut. */
const valueCharactersMax = 500;

/** The audit entries of these events; events of other types have none. */
export function auditRowsOf(events: readonly AuditedEvent[]): AuditRow[] {
  return events.flatMap((event) => {
    const type = auditTypes.find((known) => known === event.type);
    return type === undefined ? [] : [auditRow(type, event)];
  });
}

/** An audit entry of this type. */
export function auditRow(type: AuditType, event: Omit<AuditedEvent, "type">): AuditRow {
  const { workspaceId, objectId, userId, apiKeyId, at, data } = event;
  const { before, after } = fieldsOf(type, data);
  return {
    id: newId("audit", at),
    workspaceId,
    kind: kindOf(type),
    type,
    objectId,
    objectName: nameOf(data, after, before),
    userId,
    apiKeyId: apiKeyId ?? null,
    at,
    before: before === null ? null : cutJson(before),
    after: after === null ? null : cutJson(after),
  };
}

function kindOf(type: AuditType): AuditRow["kind"] {
  const kind = auditKinds.find((one) => type.startsWith(`${one}.`));
  if (kind === undefined) throw new Error(`The audit type ${type} has no kind.`);
  return kind;
}

type Fields = Record<string, unknown>;

/** Events hold `before` and `after`, or only the fields of a created or deleted object. */
function fieldsOf(type: AuditType, data: Fields): { before: Fields | null; after: Fields | null } {
  const { before, after, ...rest } = data;
  if (isFields(before) || isFields(after)) {
    return { before: isFields(before) ? before : null, after: isFields(after) ? after : null };
  }
  const isEnd = type.endsWith(".deleted") || type.endsWith(".removed") || type.endsWith(".revoked");
  return isEnd ? { before: rest, after: null } : { before: null, after: rest };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(...places: (Fields | null)[]): string | null {
  const names = places.flatMap((place) => [place?.slug, place?.email, place?.name, place?.prefix]);
  const name = names.find((one) => typeof one === "string");
  return typeof name === "string" ? cut(name) : null;
}

function cutJson(fields: Fields): string {
  return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutValue(value)])));
}

function cutValue(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  const text = JSON.stringify(value) ?? "";
  return text.length > valueCharactersMax ? cut(text) : value;
}

function cut(text: string): string {
  return text.length <= valueCharactersMax ? text : `${text.slice(0, valueCharactersMax)}…`;
}
