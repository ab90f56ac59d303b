import type { Actor } from "../access/actor.ts";
import { fitsPasswordHash, passwordHashOf } from "../access/password-hash.ts";
import { Problem } from "../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent } from "../base/time-slices.ts";
import { emitAll, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { rootKey } from "../domains/domain.ts";
import { findUsableDomain, normalHost } from "../domains/domains.ts";
import { applyFields, readDisabled, warnOfInput } from "./apply-fields.ts";
import { needsFramingCheck, scheduleFramingChecks } from "./check-framing.ts";
import { checkTargets, hasOtherTargets } from "./check-targets.ts";
import { deleteUses } from "./click-limit.ts";
import { urlHashOf } from "./destination-url.ts";
import { findLinkRow, lockLink } from "./find-links.ts";
import { readKey } from "./key.ts";
import { type KeyColumns, keyColumns, type Link, type LinkChanges, type LinkRow, toLink } from "./link.ts";
import { requireLinkWriter } from "./link-access.ts";
import { changedDestination } from "./link-destination.ts";
import { linkUpdated } from "./link-events.ts";
import { readPassword } from "./link-password.ts";
import { findTagsAndFolders, placeLink, replaceTags } from "./link-placement.ts";
import { asConflict, type LinkDeps } from "./new-links.ts";
import { releaseKeys, takeKeys, warnOfReuse } from "./released-keys.ts";
import { refuseLoop } from "./short-link.ts";

/**
 * Changes a link and returns it; fields that the input omits keep their values. An input without a change keeps
 * updatedAt and emits no event. `linkId` may be `ext_` followed by an externalId.
 * Throws "not_found", and what createLink and requireLinkWriter throw; "forbidden" for a new key or domain of a root
 * link.
 */
export async function updateLink(
  deps: LinkDeps,
  actor: Actor,
  linkId: string,
  input: LinkChanges,
  record: Pick<Change, "reverts"> = {},
): Promise<Link> {
  const known = await findLinkRow(deps.db, actor.workspaceId, linkId);
  warnOfInput(deps, input);
  changedLink(deps, known, input); // Refuses bad input before a password is hashed.
  const passwordHash = await changedPasswordHash(deps, known, input);
  try {
    return await transact(deps.db, async (tx) => {
      // By its id: the externalId may name another link by now.
      const before = await lockLink(tx, actor.workspaceId, known.id);
      await requireLinkWriter(tx, actor, [before]);
      const newKeyColumns = await changedKeyColumns(tx, actor, before, input);
      const tagsAndFolders = await findTagsAndFolders(tx, actor.workspaceId, [input]);
      const changed = {
        ...changedLink(deps, before, input),
        ...placeLink(tagsAndFolders, actor, before, input),
        ...newKeyColumns,
      };
      const after = passwordHash === undefined ? changed : { ...changed, passwordHash };
      const [stored = after] = await storeChanges(tx, deps, actor, [{ before, after, ...record }]);
      return toLink(stored);
    });
  } catch (error) {
    throw asConflict(error, { ...input, key: input.key ?? known.key });
  }
}

/** The row after the input's fields and URL were applied; key, placement and password are decided elsewhere. */
export function changedLink(
  { config, now }: Pick<LinkDeps, "config" | "now">,
  before: LinkRow,
  input: LinkChanges,
): LinkRow {
  const schemes = config.WAYPOST_APP_SCHEMES;
  const { url, ...destination } = changedDestination(before, input, schemes);
  const framing = url === before.url ? before.framing : null;
  return {
    ...before,
    ...applyFields(before, readDisabled(before, input, now), schemes),
    ...destination,
    url,
    urlHash: urlHashOf(url),
    framing,
  };
}

/** The new hash; null clears the password, undefined keeps it, which is also the result for the current password. */
async function changedPasswordHash(
  { signal }: LinkDeps,
  known: LinkRow,
  input: LinkChanges,
): Promise<string | null | undefined> {
  const password = readPassword(input.password);
  if (password === undefined || password === null) return password;
  const hashFor = { workspaceId: known.workspaceId, signal };
  if (known.passwordHash !== null && (await fitsPasswordHash(password, known.passwordHash, hashFor))) return undefined;
  return await passwordHashOf(password, hashFor);
}

/**
 * The key columns after the update; undefined when domain and key stay, since the rules for new keys do not apply to a
 * stored one. Throws what createLink throws for a key or a domain; "forbidden" for a root link.
 */
export async function changedKeyColumns(
  tx: Tx,
  actor: Actor,
  before: LinkRow,
  input: LinkChanges,
): Promise<KeyColumns | undefined> {
  const newSlug = input.domain !== undefined && normalHost(input.domain) !== before.domain ? input.domain : undefined;
  const movesKey = input.key !== undefined && input.key !== before.key;
  if (newSlug === undefined && !movesKey) return undefined;
  if (before.key === rootKey) {
    throw new Problem("forbidden", `The root link of ${before.domain} keeps its key and its domain.`);
  }
  const { domainId, domain: slug, isInstance, caseSensitive } = before;
  const domain =
    newSlug === undefined
      ? { id: domainId, slug, isInstance, caseSensitive }
      : await findUsableDomain(tx, actor.workspaceId, newSlug);
  return keyColumns(domain, readKey(input.key ?? before.key, domain));
}

/** `reverts` is the id of the earlier change that this one reverts. */
type Change = { before: LinkRow; after: LinkRow; reverts?: number };

/** True when the change moves the link to another domain or key. */
function hasMoved({ before, after }: Change): boolean {
  return before.domainId !== after.domainId || before.foldedKey !== after.foldedKey;
}

/**
 * Stores changed links of one workspace with their tags, moves their keys, and records each change; unchanged links are
 * neither written nor recorded. Returns the stored rows in the order of `changes`. Throws what refuseLoop throws.
 */
export async function storeChanges(
  tx: Tx,
  deps: Omit<LinkDeps, "db">,
  actor: Actor,
  changes: readonly Change[],
): Promise<LinkRow[]> {
  const now = deps.now();
  const isChanged = ({ before, after }: Change) => jsonOf(before) !== jsonOf({ ...before, ...after });
  const changed = (await mapInSlices(changes, (change) => (isChanged(change) ? [change] : []))).flat();
  for (const change of changed) {
    await yieldIfSliceSpent();
    const { before, after } = change;
    // A link that was stored with a loop may still change in its other fields.
    if (before.url !== after.url || hasMoved(change)) refuseLoop(after, deps.config.WAYPOST_URL);
    // Only the counters write clicks; the identity never changes; tags and the domain's columns are in other tables.
    const { id, workspaceId, userId, domain, isInstance, caseSensitive, clicks, lastClicked, ...stored } = after;
    const { createdAt, tags, ...columns } = stored;
    await tx
      .updateTable("links")
      .set({ ...columns, updatedAt: now })
      .where("id", "=", id)
      .execute();
  }
  const retagged = changed.filter(({ before, after }) => jsonOf(before.tags) !== jsonOf(after.tags));
  await replaceTags(
    tx,
    retagged.map(({ after }) => after),
  );
  const moved = changed.filter(hasMoved);
  await deleteUses(
    tx,
    changed.flatMap(({ before, after }) => (before.maxClicks === null && after.maxClicks !== null ? [after.id] : [])),
  );
  await releaseKeys(
    tx,
    moved.map(({ before }) => before),
    { reason: "renamed", now },
  );
  const reusing = await takeKeys(
    tx,
    moved.map(({ after }) => after),
    now,
  );
  warnOfReuse(deps.warn, reusing);
  // As above: a link that was stored with a loop may still change in its other fields.
  const retargeted = changed.filter((change) => hasMoved(change) || hasOtherTargets(change.before, change.after));
  await checkTargets(
    tx,
    retargeted.map(({ after }) => after),
    deps.config.WAYPOST_URL,
  );
  await scheduleFramingChecks(
    tx,
    changed.filter(needsFramingCheck).map(({ after }) => after),
    now,
  );
  await emitAll(tx, changed, (change) => linkUpdated(actor, change, now));
  return changes.map((change) => (changed.includes(change) ? { ...change.after, updatedAt: now } : change.before));
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value);
}
