import type { Actor } from "../access/actor.ts";
import { notFound, Problem } from "../base/problem.ts";
import { mapInSlices } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { hasOtherTargets, refuseBlockedHosts } from "./check-targets.ts";
import { bytesOfLinks, lockLinks } from "./find-links.ts";
import { type Link, type LinkChanges, type LinkRow, toLink } from "./link.ts";
import { requireLinkWriter } from "./link-access.ts";
import { recordedFields } from "./link-events.ts";
import { type LinkChange, newestChangesBytes, newestLinkChange, revertingInput } from "./link-history.ts";
import { findTagsAndFolders, placeLink } from "./link-placement.ts";
import { asConflict, type LinkDeps } from "./new-links.ts";
import { changedKeyColumns, changedLink, storeChanges } from "./update-link.ts";
import { changedBytesMax } from "./update-links.ts";

/**
 * Undo: the reverse of changes that the actor just made, as long as nothing has changed the links since.
 *
 * 1. A link's `updatedAt` names the change that set it. Only the newest change of a link can be undone, by the user who
 *    made it, and only while each field still has the value that the change gave it. So an undo overwrites nobody's
 *    work; not even that of a deleted folder or tag, which changes links without a recorded change.
 * 2. All links of a call are locked, checked and written in one transaction. An undo is an update, with its own record.
 * 3. A repeated undo finds its own record as the newest change, and refuses.
 */

/** The bytes of the recorded changes that one call may undo: each holds a link's fields before and after. */
const recordedBytesMax = 2 * changedBytesMax;

/** A link, and the `updatedAt` that the change to undo gave it, in milliseconds since the epoch. */
type UndoneChange = { linkId: string; updatedAt: number };

/** The links as they are after the undo, and the links that were left alone, each with the reason. */
type UndoneLinks = { links: Link[]; refusals: { linkId: string; problem: Problem }[] };

/** `reverts` is the id of the undone change. */
type Undo = { before: LinkRow; input: LinkChanges; reverts: number };

/**
 * Undoes the newest change of each link, if it is the one that gave the link this `updatedAt`; each link succeeds or is
 * refused independently. The caller bounds the list; links are named by their ids.
 * Refusals: "not_found" for an unknown or deleted link, "precondition_failed" for one that has changed since,
 * "unprocessable_entity" for a change that revertLinkChange cannot revert and for a target on a host that is blocked by
 * now, and what placeLink throws.
 * Throws "forbidden" like requireLinkWriter, "unprocessable_entity" for a loop, "conflict" for a key or externalId that
 * is taken by now, and "payload_too_large" beyond changedBytesMax and recordedBytesMax; then nothing is undone.
 */
export async function undoLinkChanges(
  deps: LinkDeps,
  actor: Actor,
  changes: readonly UndoneChange[],
): Promise<UndoneLinks> {
  const times = new Map(changes.map(({ linkId, updatedAt }) => [linkId, updatedAt]));
  await requireBounded(deps.db, actor, [...times.keys()]);
  let undos: Undo[] = [];
  try {
    return await transact(deps.db, async (tx) => {
      const locked = await lockLinks(tx, actor.workspaceId, [...times.keys()]);
      const byId = new Map(locked.map((link) => [link.id, link]));
      const found = await eachOrProblem(times, ([linkId, updatedAt]) =>
        undoOf(tx, actor, byId.get(linkId), { linkId, updatedAt }),
      );
      undos = found.done;
      await requireLinkWriter(
        tx,
        actor,
        undos.map(({ before }) => before),
      );
      const tagsAndFolders = await findTagsAndFolders(
        tx,
        actor.workspaceId,
        undos.map(({ input }) => input),
      );
      const drafted = await eachOrProblem(
        new Map(undos.map((undo) => [undo.before.id, undo])),
        async ([, { before, input, reverts }]) => {
          const after = {
            ...changedLink(deps, before, input),
            ...placeLink(tagsAndFolders, actor, before, input),
            ...(await changedKeyColumns(tx, actor, before, input)),
            // The only value that an undo can give a password back: the history stores none.
            ...(input.password === null ? { passwordHash: null } : {}),
          };
          if (hasOtherTargets(before, after)) await refuseBlockedHosts(tx, [after]);
          return { before, after, reverts };
        },
      );
      const stored = await storeChanges(tx, deps, actor, drafted.done);
      return { links: await mapInSlices(stored, toLink), refusals: [...found.refusals, ...drafted.refusals] };
    });
  } catch (error) {
    const inputs = undos.map(({ input }) => input);
    throw asConflict(error, {
      key: inputs.flatMap(({ key }) => key ?? []).join(", "),
      externalId: inputs.flatMap(({ externalId }) => externalId ?? []).join(", "),
    });
  }
}

/** Bounds what the call reads before it reads any of it. */
async function requireBounded(db: Db, actor: Actor, ids: readonly string[]): Promise<void> {
  const linkBytes = await bytesOfLinks(db, actor.workspaceId, ids);
  const recordedBytes = await newestChangesBytes(db, actor, ids);
  if (linkBytes <= changedBytesMax && recordedBytes <= recordedBytesMax) return;
  throw new Problem(
    "payload_too_large",
    `These changes have ${linkBytes + recordedBytes} bytes, too many to undo at once; list fewer links.`,
  );
}

/** The input that undoes the link's newest change. Throws the reason why the link is left alone. */
async function undoOf(tx: Tx, actor: Actor, before: LinkRow | undefined, undone: UndoneChange): Promise<Undo> {
  if (before === undefined) throw notFound("link");
  const change = await newestLinkChange(tx, actor, before.id);
  if (change === undefined || !isUnchangedSince(before, change, actor, undone.updatedAt)) {
    throw new Problem("precondition_failed", "The link has changed since; get it again.");
  }
  return { before, input: await revertingInput(tx, actor, change), reverts: change.id };
}

function isUnchangedSince(row: LinkRow, change: LinkChange, { userId }: Actor, updatedAt: number): boolean {
  if (row.updatedAt !== updatedAt || change.at !== updatedAt || change.user?.id !== userId) return false;
  const present = new Map<string, unknown>(Object.entries(recordedFields(toLink(row))));
  return Object.entries(change.after ?? {}).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(present.get(name)),
  );
}

/** Runs the step for each entry; the problems that it throws are returned by the link's id. */
async function eachOrProblem<Value, Result>(
  entries: ReadonlyMap<string, Value>,
  step: (entry: [string, Value]) => Promise<Result>,
): Promise<{ done: Result[]; refusals: UndoneLinks["refusals"] }> {
  const refusals: UndoneLinks["refusals"] = [];
  const results = await mapInSlices(entries, async (entry) => {
    try {
      return [await step(entry)];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refusals.push({ linkId: entry[0], problem: error });
      return [];
    }
  });
  return { done: results.flat(), refusals };
}
