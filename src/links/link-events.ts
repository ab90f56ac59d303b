import type { Actor } from "../access/actor.ts";
import { sha256 } from "../base/ids.ts";
import { eventBy, type RecordedEvent } from "../database/outbox.ts";
import { type FieldName, fieldEntries } from "./fields.ts";
import { type Link, type LinkRow, toLink } from "./link.ts";

/**
 * The events of links in the outbox.
 *
 * 1. The data of every event begins with `domainId` and `foldedKey` as they are after the change; readers such as the
 *    redirects' cache find the link by them. After a rename, `before` holds the former ones.
 * 2. `after` of a created link and `before` of a deleted one hold the whole link. Both of an updated link hold the
 *    fields that changed, no others. `reverts` of an updated link is the id of the event that this one reverts.
 * 3. No event holds a password or its hash: a password that is set is recorded as passwordMask, a changed one in both.
 * 4. Events are kept as long as their workspace, so long texts are recorded as omittedPrefix and their SHA-256: see
 *    historyCharactersMax in field-kinds.ts.
 */

/** The fields whose long texts are omitted from events, and the most characters that are recorded. */
export const limitedFields = fieldEntries.flatMap(([name, field]) =>
  field.kind === "text" && field.historyCharactersMax !== undefined ? [{ name, max: field.historyCharactersMax }] : [],
);

/** Begins the recorded value of a text that was omitted. */
export function omittedPrefix(name: FieldName): string {
  return `${name}-sha256:`;
}

/** The event of a new link. */
export function linkCreated(actor: Actor, stored: LinkRow, at: number): RecordedEvent {
  const { domainId, foldedKey } = stored;
  return eventBy(actor, "link.created", stored.id, at, { domainId, foldedKey, after: recordedFields(toLink(stored)) });
}

/** The event of a changed link. */
export function linkUpdated(
  actor: Actor,
  { before, after, reverts }: { before: LinkRow; after: LinkRow; reverts?: number },
  at: number,
): RecordedEvent {
  const { domainId, foldedKey } = after;
  const reverted = reverts === undefined ? {} : { reverts };
  const data = { domainId, foldedKey, ...changedFields(before, after), ...reverted };
  return eventBy(actor, "link.updated", after.id, at, data);
}

/** The event of a deleted link. */
export function linkDeleted(actor: Actor, stored: LinkRow, at: number): RecordedEvent {
  const { domainId, foldedKey } = stored;
  return eventBy(actor, "link.deleted", stored.id, at, { domainId, foldedKey, before: recordedFields(toLink(stored)) });
}

function changedFields(before: LinkRow, after: LinkRow): { before: Partial<Link>; after: Partial<Link> } {
  const { updatedAt: _, ...former } = toLink(before);
  const { updatedAt: __, ...present } = toLink(after);
  const isChanged = (name: string, value: unknown) =>
    name === "password" ? before.passwordHash !== after.passwordHash : JSON.stringify(value) !== texts.get(name);
  const texts = new Map(Object.entries(former).map(([name, value]) => [name, JSON.stringify(value)]));
  const names = Object.entries(present).flatMap(([name, value]) => (isChanged(name, value) ? [name] : []));
  const only = (link: object) => Object.fromEntries(Object.entries(link).filter(([name]) => names.includes(name)));
  return { before: recordedFields(only(former)), after: recordedFields(only(present)) };
}

/** The fields as an event holds them: without long texts. */
export function recordedFields(link: Partial<Link>): Partial<Link> {
  const omitted = limitedFields.flatMap(({ name, max }) => {
    const value = link[name];
    return typeof value === "string" && value.length > max ? [[name, omittedPrefix(name) + sha256(value)]] : [];
  });
  return omitted.length === 0 ? link : { ...link, ...Object.fromEntries(omitted) };
}
