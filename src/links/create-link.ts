import type { Actor } from "../access/actor.ts";
import { passwordHashOf } from "../access/password-hash.ts";
import { newId } from "../base/ids.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { emit, type Tx } from "../database/outbox.ts";
import { insertRows } from "../database/prepared.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { type DomainRow, findUsableDomain } from "../domains/domains.ts";
import { foldKey, keyLengthDefault, randomKey, randomKeyAttemptsMax, readKey } from "./key.ts";
import {
  applyFields,
  type FieldColumns,
  type Link,
  type NewLink,
  newDestination,
  readPassword,
  type StoredLink,
  shownPassword,
  toLink,
  unsetFields,
} from "./link.ts";
import { linkCreated } from "./link-events.ts";
import { KeyHeld, takeKey } from "./released-keys.ts";

/** What the verbs on links work with. */
export type LinkDeps = { db: Db; now: Clock; config: Pick<Config, "WAYPOST_APP_SCHEMES"> };

/**
 * Makes a link in the actor's workspace and returns it.
 * Without a key it gets a random one; one that is taken is replaced by another, at last by longer ones.
 * Throws "unprocessable_entity" or "bad_request" for bad input, "forbidden" for a domain the workspace has not or a
 * reserved key, "conflict" for a key or externalId in use, "not_found" for a folder.
 */
export async function createLink(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const schemes = deps.config.WAYPOST_APP_SCHEMES;
  const fields = { ...applyFields(unsetFields, input, schemes), ...newDestination(input, schemes) };
  const passwordHash = await newPasswordHash(input);
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(deps.db, async (tx) => {
        const domain = await findUsableDomain(tx, actor.workspaceId, input.domain);
        const link = newRow(
          actor,
          { domain, key: chooseKey(input, domain, attempt), fields, passwordHash },
          deps.now(),
        );
        return toLink(await insertLink(tx, actor, link));
      });
    } catch (error) {
      const isRandom = writtenKey(input) === undefined;
      // The whole transaction is repeated, because PostgreSQL ends it at the first violation.
      if (isRandom && isKeyTaken(error) && attempt < randomKeyAttemptsMax) continue;
      throw asConflict(error, input);
    }
  }
}

/** Whether a write failed because another link has the key, or another workspace still holds it. */
function isKeyTaken(error: unknown): boolean {
  return error instanceof KeyHeld || violatedIndex(error) === "linkKey";
}

/** The problem a failed write of a link stands for; other errors as they are. */
export function asConflict(error: unknown, { key, externalId }: Pick<NewLink, "key" | "externalId">): unknown {
  if (isKeyTaken(error)) {
    // One text for both reasons: who gave a key up, and when, is not the caller's business.
    const text =
      key === undefined || key === ""
        ? "no free key was found; ask for a longer one"
        : `${key} is taken on this domain`;
    return new Problem("conflict", `key: ${text}.`, { cause: error });
  }
  if (violatedIndex(error) === "linkExternalId") {
    return new Problem("conflict", `externalId: ${externalId ?? ""} belongs to another link of this workspace.`, {
      cause: error,
    });
  }
  return error;
}

async function newPasswordHash(input: NewLink): Promise<string | null> {
  if (input.password === shownPassword) {
    throw invalid("password", `${shownPassword} stands for a password that is not shown; give the password itself.`);
  }
  const password = readPassword(input.password);
  return typeof password === "string" ? await passwordHashOf(password) : null;
}

/** The key a caller chose; forms send "" where none was. */
function writtenKey({ key }: NewLink): string | undefined {
  return key === "" ? undefined : key;
}

function chooseKey(input: NewLink, domain: DomainRow, attempt: number): string {
  const written = writtenKey(input);
  if (written !== undefined) return readKey(written, domain);
  return randomKey({ length: input.keyLength ?? keyLengthDefault, prefix: input.prefix }, domain, attempt);
}

function newRow(
  actor: Actor,
  place: { domain: DomainRow; key: string; fields: FieldColumns; passwordHash: string | null },
  now: number,
): StoredLink {
  const { domain, key, fields, passwordHash } = place;
  return {
    ...fields,
    id: newId("link", now),
    workspaceId: actor.workspaceId,
    userId: actor.userId,
    domainId: domain.id,
    domain: domain.slug,
    isInstance: domain.isInstance,
    caseSensitive: domain.caseSensitive,
    key,
    foldedKey: foldKey(key, domain.caseSensitive === 1),
    passwordHash,
    disabledAt: null,
    clicks: 0,
    lastClicked: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function insertLink(tx: Tx, actor: Actor, stored: StoredLink): Promise<StoredLink> {
  const { domain: _, isInstance: __, caseSensitive: ___, ...row } = stored;
  await insertRows(tx, "links", [row]);
  await takeKey(tx, stored, stored.createdAt);
  await emit(tx, linkCreated(actor, stored, stored.createdAt));
  return stored;
}
