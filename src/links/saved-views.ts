import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { applyPatch, type PatchOf } from "../base/apply-patch.ts";
import { newId } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { SavedViewsTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

/**
 * Saved views: named filters of the list of links. A private view is visible to its creator only; a shared one to every
 * member, and members change and delete it, as they do tags and folders. The query is stored as the
 * dashboard writes it, since only the dashboard opens it: a view made by a newer version, or with a folder that is
 * gone, opens without the parts that no longer apply.
 */

export const savedViewNameCharactersMax = 190;
export const savedViewQueryCharactersMax = 4_000;
/** Shared views of a workspace, and private views of each user in it; a list returns all that the user sees. */
export const savedViewsMax = 100;

/** A view; instants are milliseconds since the epoch. */
export type SavedView = Omit<Selectable<SavedViewsTable>, "workspaceId" | "isShared"> & { isShared: boolean };

/** The fields of a view that a caller writes. */
type SavedViewFields = Pick<SavedView, "name" | "query" | "isShared">;

/** Changes of a view; undefined leaves a field alone. */
type SavedViewChanges = PatchOf<SavedViewFields>;

type Deps = { db: Db; now: Clock };

/** Creates a view of the actor. Throws "conflict" beyond savedViewsMax. */
export async function createSavedView({ db, now }: Deps, actor: Actor, fields: SavedViewFields): Promise<SavedView> {
  return await transact(db, async (tx) => {
    await requireRoom(tx, actor, fields.isShared);
    const at = now();
    const { workspaceId, userId } = actor;
    const view: SavedView = { id: newId("view", at), userId, ...fields, createdAt: at, updatedAt: at };
    await tx
      .insertInto("savedViews")
      .values({ ...view, workspaceId, isShared: fields.isShared ? 1 : 0 })
      .execute();
    await emit(tx, eventBy(actor, "savedView.created", view.id, at, { after: recorded(fields) }));
    return view;
  });
}

/** The views that the actor sees, by name. */
export async function listSavedViews({ db }: Pick<Deps, "db">, actor: Actor): Promise<SavedView[]> {
  const rows = await visibleViews(db, actor).orderBy("name").orderBy("id").execute();
  return rows.map(toView);
}

/** The view with this id. Throws "not_found", also for another user's private view. */
export async function findSavedView({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<SavedView> {
  const row = await visibleViews(db, actor).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("saved view");
  return toView(row);
}

/**
 * Changes a view and returns it; omitted fields stay as they are, and a call without a change records nothing.
 * Throws "not_found"; "forbidden" for making another user's view private; "conflict" beyond savedViewsMax.
 */
export async function updateSavedView(
  { db, now }: Deps,
  actor: Actor,
  id: string,
  input: SavedViewChanges,
): Promise<SavedView> {
  return await transact(db, async (tx) => {
    const view = await lockView(tx, actor, id);
    const before = fieldsOf(view);
    const after = applyPatch(before, input);
    if (JSON.stringify(after) === JSON.stringify(before)) return view;
    if (before.isShared && !after.isShared && view.userId !== actor.userId) {
      throw new Problem("forbidden", "shared: only the creator of this view can make it private.");
    }
    if (after.isShared !== before.isShared) await requireRoom(tx, actor, after.isShared);
    const at = now();
    await tx
      .updateTable("savedViews")
      .set({ ...after, isShared: after.isShared ? 1 : 0, updatedAt: at })
      .where("id", "=", id)
      .execute();
    await emit(tx, eventBy(actor, "savedView.updated", id, at, { before: recorded(before), after: recorded(after) }));
    return { ...view, ...after, updatedAt: at };
  });
}

/** Deletes a view. Throws "not_found". */
export async function deleteSavedView({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(db, async (tx) => {
    const before = fieldsOf(await lockView(tx, actor, id));
    await tx.deleteFrom("savedViews").where("id", "=", id).execute();
    await emit(tx, eventBy(actor, "savedView.deleted", id, now(), { before: recorded(before) }));
    return { id };
  });
}

async function lockView(tx: Tx, actor: Actor, id: string): Promise<SavedView> {
  await lockWorkspace(tx, actor.workspaceId);
  return await findSavedView({ db: tx }, actor, id);
}

/** The lock keeps two simultaneous calls from exceeding the bound. */
async function requireRoom(tx: Tx, actor: Actor, isShared: boolean): Promise<void> {
  await lockWorkspace(tx, actor.workspaceId);
  const views = await listSavedViews({ db: tx }, actor);
  if (views.filter((view) => view.isShared === isShared).length < savedViewsMax) return;
  const message = isShared
    ? `This workspace has ${savedViewsMax} shared views, which is the limit; delete one first.`
    : `You have ${savedViewsMax} private views in this workspace, which is the limit; delete one first.`;
  throw new Problem("conflict", message);
}

function visibleViews(db: Db, { workspaceId, userId }: Actor) {
  return db
    .selectFrom("savedViews")
    .selectAll()
    .where("workspaceId", "=", workspaceId)
    .where((view) => view.or([view("isShared", "=", 1), view("userId", "=", userId)]));
}

function toView({ workspaceId: _, isShared, ...view }: Selectable<SavedViewsTable>): SavedView {
  return { ...view, isShared: isShared === 1 };
}

function fieldsOf({ name, query, isShared }: SavedView): SavedViewFields {
  return { name, query, isShared };
}

/** What an event says: nothing about the contents of a private view. */
function recorded(fields: SavedViewFields): Partial<SavedViewFields> {
  return fields.isShared ? fields : { isShared: false };
}
