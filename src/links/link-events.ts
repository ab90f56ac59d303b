import type { Actor } from "../access/actor.ts";
import { sha256 } from "../base/ids.ts";
import type { RecordedEvent } from "../database/outbox.ts";
import { type Link, type LinkRow, toLink } from "./link.ts";

/**
 * What the outbox says about links.
 *
 * 1. `domainId` and `foldedKey` stand at the top of every event's data, as the link has them after the change; readers
 *    such as the redirect cache find the link by them. After a rename the former ones are in `before`.
 * 2. created: `after` is the whole link. deleted: `before` is. updated: both hold the fields that changed, no others.
 * 3. No event holds a password or its hash: a set one is "********", a changed one is so in both.
 * 4. Events are kept for as long as their workspace, so an image above recordedImageCharactersMax is not copied into them:
 *    omittedImagePrefix stands in its place.
 */

/** Room for any web address; a longer image is a picture itself, as a data url. */
export const recordedImageCharactersMax = 2_048;
/** What the text begins with that stands for an image too long to be kept; its SHA-256 follows. */
export const omittedImagePrefix = "image-sha256:";

type LinkEventData = {
  domainId: string;
  foldedKey: string;
  before?: Partial<Link>;
  after?: Partial<Link>;
};

/** The event of a new link. */
export function linkCreated(actor: Actor, stored: LinkRow, at: number): RecordedEvent {
  const { domainId, foldedKey } = stored;
  return linkEvent("link.created", actor, stored.id, at, { domainId, foldedKey, after: recorded(toLink(stored)) });
}

/** The event of a changed link. */
export function linkUpdated(
  actor: Actor,
  { before, after }: { before: LinkRow; after: LinkRow },
  at: number,
): RecordedEvent {
  const { domainId, foldedKey } = after;
  return linkEvent("link.updated", actor, after.id, at, { domainId, foldedKey, ...changedFields(before, after) });
}

/** The event of a deleted link. */
export function linkDeleted(actor: Actor, stored: LinkRow, at: number): RecordedEvent {
  const { domainId, foldedKey } = stored;
  return linkEvent("link.deleted", actor, stored.id, at, { domainId, foldedKey, before: recorded(toLink(stored)) });
}

function linkEvent(
  type: "link.created" | "link.updated" | "link.deleted",
  { workspaceId, userId }: Actor,
  objectId: string,
  at: number,
  data: LinkEventData,
): RecordedEvent {
  return { workspaceId, type, objectId, userId, at, data };
}

function changedFields(before: LinkRow, after: LinkRow): Pick<LinkEventData, "before" | "after"> {
  const { updatedAt: _, ...former } = toLink(before);
  const { updatedAt: __, ...present } = toLink(after);
  const isChanged = (name: string, value: unknown) =>
    name === "password" ? before.passwordHash !== after.passwordHash : JSON.stringify(value) !== texts.get(name);
  const texts = new Map(Object.entries(former).map(([name, value]) => [name, JSON.stringify(value)]));
  const names = Object.entries(present).flatMap(([name, value]) => (isChanged(name, value) ? [name] : []));
  const only = (link: object) => Object.fromEntries(Object.entries(link).filter(([name]) => names.includes(name)));
  return { before: recorded(only(former)), after: recorded(only(present)) };
}

function recorded(link: Partial<Link>): Partial<Link> {
  const { image } = link;
  if (typeof image !== "string" || image.length <= recordedImageCharactersMax) return link;
  return { ...link, image: omittedImagePrefix + sha256(image) };
}
