import type { Actor } from "../access/actor.ts";
import { newId } from "../base/ids.ts";
import { invalid, Problem } from "../base/problem.ts";
import { type Clock, isoTime } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { emitAll, type Tx } from "../database/outbox.ts";
import { insertRows } from "../database/prepared.ts";
import { violatedIndex } from "../database/unique.ts";
import { type DomainRow, findDefaultDomain, findUsableDomain } from "../domains/domains.ts";
import { applyFields, readDisabled, warnOfInput } from "./apply-fields.ts";
import { scheduleFramingChecks } from "./check-framing.ts";
import { urlHashOf } from "./destination-url.ts";
import { type FieldColumns, unsetColumns } from "./fields.ts";
import { keyLengthDefault, randomKey, readKey } from "./key.ts";
import { keyColumns, type LinkRow, type NewLink } from "./link.ts";
import { newDestination } from "./link-destination.ts";
import { linkCreated } from "./link-events.ts";
import { passwordMask, readPassword } from "./link-password.ts";
import { type LinkPlacement, storeTags } from "./link-placement.ts";
import { KeyHeld, takeKeys } from "./released-keys.ts";
import { refuseLoop } from "./short-link.ts";

/**
 * The steps that creating one link and creating many share: the draft is validated before the transaction, gets its key
 * and placement inside it, and is stored with its tags and its event.
 */

/** Dependencies of the verbs on links. */
export type LinkDeps = {
  db: Db;
  now: Clock;
  config: Pick<Config, "WAYPOST_APP_SCHEMES" | "WAYPOST_UNVERIFIED_REDIRECTS" | "WAYPOST_URL">;
  /** The request's signal, so that no password is hashed for a client that has disconnected. */
  signal?: AbortSignal;
  /** Receives warnings about a change that succeeds; absent when no response carries them. */
  warn?: Warn | undefined;
};

/** A new link as far as the input decides it. */
export type LinkDraft = { input: NewLink; fields: FieldColumns & { url: string }; passwordHash: string | null };

/** The domain, key and placement of a new link. */
export type KeyAndPlacement = { domain: DomainRow; key: string; placement: LinkPlacement };

/** Validates the input of a new link. Throws "unprocessable_entity" or "bad_request" for bad input. */
export async function draftLink(
  { config, now, warn }: Pick<LinkDeps, "config" | "now" | "warn">,
  input: NewLink,
  hashOf: (password: string) => Promise<string>,
): Promise<LinkDraft> {
  const schemes = config.WAYPOST_APP_SCHEMES;
  const fields = {
    ...applyFields(unsetColumns, readDisabled(unsetColumns, input, now), schemes),
    ...newDestination(input, schemes),
  };
  if (input.password === passwordMask) {
    throw invalid("password", `${passwordMask} stands for a hidden password; send the password itself.`);
  }
  warnOfInput({ warn, now }, input);
  const password = readPassword(input.password);
  return { input, fields, passwordHash: typeof password === "string" ? await hashOf(password) : null };
}

/** The domain of a new link. Throws what findUsableDomain and findDefaultDomain throw. */
export async function chooseDomain(
  tx: Tx,
  deps: Pick<LinkDeps, "config" | "warn">,
  actor: Actor,
  slug: NewLink["domain"],
): Promise<DomainRow> {
  if (slug === undefined) return await findDefaultDomain(tx, actor.workspaceId, deps);
  return await findUsableDomain(tx, actor.workspaceId, slug);
}

/** The key that a caller chose; undefined for "", which forms send for none. */
export function writtenKey({ key }: NewLink): string | undefined {
  return key === "" ? undefined : key;
}

/** The key of a draft on a domain: the written one, or a random one for this attempt. Throws what readKey throws. */
export function chooseKey(input: NewLink, domain: DomainRow, attempt: number): string {
  const written = writtenKey(input);
  if (written !== undefined) return readKey(written, domain);
  return randomKey({ length: input.keyLength ?? keyLengthDefault, prefix: input.prefix }, domain, attempt);
}

/** The row of a draft with this domain, key and placement. Throws what refuseLoop throws. */
export function newLink(
  { config }: Pick<LinkDeps, "config">,
  actor: Actor,
  { fields, passwordHash }: LinkDraft,
  { domain, key, placement }: KeyAndPlacement,
  now: number,
): LinkRow {
  const columns = keyColumns(domain, key);
  refuseLoop({ ...columns, url: fields.url }, config.WAYPOST_URL);
  return {
    ...fields,
    ...placement,
    id: newId("link", now),
    workspaceId: actor.workspaceId,
    userId: actor.userId,
    ...columns,
    urlHash: urlHashOf(fields.url),
    passwordHash,
    framing: null,
    clicks: 0,
    lastClicked: null,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Stores new links with their tags, takes their keys and records their creation. Returns the links whose key belonged
 * to a deleted link. Throws the database's error for a key or externalId in use, and KeyHeld.
 */
export async function insertLinks(tx: Tx, actor: Actor, links: readonly LinkRow[], now: number): Promise<LinkRow[]> {
  if (links.length === 0) return [];
  const rows = links.map(({ domain: _, isInstance: __, caseSensitive: ___, tags: ____, ...row }) => row);
  await insertRows(tx, "links", rows);
  const reusing = await takeKeys(tx, links, now);
  await storeTags(tx, links);
  await scheduleFramingChecks(tx, links, now);
  await emitAll(tx, links, (link) => linkCreated(actor, link, now));
  return reusing;
}

/** True when a write failed because another link has the key, or another workspace holds it. */
export function isKeyTaken(error: unknown): boolean {
  return error instanceof KeyHeld || violatedIndex(error) === "linkKey";
}

/** The problem that a failed write of a link means; other errors unchanged. */
export function asConflict(error: unknown, { key, externalId }: Pick<NewLink, "key" | "externalId">): unknown {
  if (isKeyTaken(error)) return keyConflict(key, error);
  if (violatedIndex(error) === "linkExternalId") return externalIdConflict(externalId, error);
  return error;
}

/** True for the problem of an externalId in use. */
export function isExternalIdTaken({ cause }: Problem): boolean {
  return violatedIndex(cause) === "linkExternalId";
}

/** The problem of a taken key; without a key, of a domain on which no free key was found. */
export function keyConflict(key: string | undefined, cause?: unknown): Problem {
  if (key === undefined || key === "") {
    return new Problem("conflict", "key: no unused key was found; request a longer one.", { cause });
  }
  if (!(cause instanceof KeyHeld)) return new Problem("conflict", `key: "${key}" is taken on this domain.`, { cause });
  const until = isoTime(cause.until);
  return new Problem("conflict", `key: "${key}" is reserved until ${until} for the workspace that used it before.`, {
    cause,
  });
}

/** The problem of an externalId that another link has. */
export function externalIdConflict(externalId: string | null | undefined, cause?: unknown): Problem {
  return new Problem("conflict", `externalId: ${externalId ?? ""} belongs to another link of this workspace.`, {
    cause,
  });
}
