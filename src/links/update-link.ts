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
 * Changes a link and returns it; what the input leaves out stays. An input that changes nothing leaves updatedAt alone
 * and emits nothing. `linkId` may be `ext_` and an externalId.
 * Throws "not_found", and what createLink throws; "forbidden" for another key or domain of a root link, and as
 * requireLinkWriter.
 */
export async function updateLink(deps: LinkDeps, actor: Actor, linkId: string, input: LinkChanges): Promise<Link> {
  const known = await findLinkRow(deps.db, actor.workspaceId, linkId);
  warnOfInput(deps, input);
  changedLink(deps, known, input); // So that bad input is refused before a password is hashed.
  const passwordHash = await changedPasswordHash(deps, known, input);
  try {
    return await transact(deps.db, async (tx) => {
      // By its id, since the externalId may name another link by now.
      const before = await lockLink(tx, actor.workspaceId, known.id);
      await requireLinkWriter(tx, actor, [before]);
      const place = await changedKeyColumns(tx, actor, before, input);
      const tagsAndFolders = await findTagsAndFolders(tx, actor.workspaceId, [input]);
      const changed = {
        ...changedLink(deps, before, input),
        ...placeLink(tagsAndFolders, actor, before, input),
        ...place,
      };
      const after = passwordHash === undefined ? changed : { ...changed, passwordHash };
      const [stored = after] = await storeChanges(tx, deps, actor, [{ before, after }]);
      return toLink(stored);
    });
  } catch (error) {
    throw asConflict(error, { ...input, key: input.key ?? known.key });
  }
}

/** The link after its fields and its url were changed; place, filing and password are others' to decide. */
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

/** The new hash, null to clear it; undefined when the password stays, also where the one in force was sent again. */
async function changedPasswordHash(
  { signal }: LinkDeps,
  known: LinkRow,
  input: LinkChanges,
): Promise<string | null | undefined> {
  const password = readPassword(input.password);
  if (password === undefined || password === null) return password;
  const whom = { workspaceId: known.workspaceId, signal };
  if (known.passwordHash !== null && (await fitsPasswordHash(password, known.passwordHash, whom))) return undefined;
  return await passwordHashOf(password, whom);
}

/** Where the link is to be found after the update; the rules for new places do not judge one that stays. */
async function changedKeyColumns(
  tx: Tx,
  actor: Actor,
  before: LinkRow,
  input: LinkChanges,
): Promise<KeyColumns | undefined> {
  const movesDomain = input.domain !== undefined && normalHost(input.domain) !== before.domain;
  const movesKey = input.key !== undefined && input.key !== before.key;
  if (!movesDomain && !movesKey) return undefined;
  if (before.key === rootKey) {
    throw new Problem("forbidden", `The root link of ${before.domain} keeps its key and its domain.`);
  }
  const { domainId, domain: slug, isInstance, caseSensitive } = before;
  const domain = movesDomain
    ? await findUsableDomain(tx, actor.workspaceId, input.domain)
    : { id: domainId, slug, isInstance, caseSensitive };
  return keyColumns(domain, readKey(input.key ?? before.key, domain));
}

type Change = { before: LinkRow; after: LinkRow };

/** Whether it is to be found somewhere else. */
function hasMoved({ before, after }: Change): boolean {
  return before.domainId !== after.domainId || before.foldedKey !== after.foldedKey;
}

/**
 * Stores changed links of one workspace with their tags, moves their keys, and records each change; what stays as it is
 * is neither written nor recorded. Returns the links as they are now, in the same order. Throws as refuseLoop.
 */
export async function storeChanges(
  tx: Tx,
  deps: Omit<LinkDeps, "db">,
  actor: Actor,
  changes: readonly Change[],
): Promise<LinkRow[]> {
  const now = deps.now();
  const isChanged = ({ before, after }: Change) => textOf(before) !== textOf({ ...before, ...after });
  const changed = (await mapInSlices(changes, (change) => (isChanged(change) ? [change] : []))).flat();
  for (const change of changed) {
    await yieldIfSliceSpent();
    const { before, after } = change;
    // A link that was stored so before can be changed in all else.
    if (before.url !== after.url || hasMoved(change)) refuseLoop(after, deps.config.WAYPOST_URL);
    // Counters have a writer of their own; identity never changes; tags have their table.
    const { id, workspaceId, userId, domain, isInstance, caseSensitive, clicks, lastClicked, ...stored } = after;
    const { createdAt, tags, ...columns } = stored;
    await tx
      .updateTable("links")
      .set({ ...columns, updatedAt: now })
      .where("id", "=", id)
      .execute();
  }
  const retagged = changed.filter(({ before, after }) => textOf(before.tags) !== textOf(after.tags));
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
  // A link that was stored so before can be changed in all else.
  const redirected = changed.filter((change) => hasMoved(change) || hasOtherTargets(change.before, change.after));
  await checkTargets(
    tx,
    redirected.map(({ after }) => after),
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

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
