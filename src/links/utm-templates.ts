import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { applyPatch, type PatchOf } from "../base/apply-patch.ts";
import { newId } from "../base/ids.ts";
import { notFound, Problem } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import type { UtmTemplatesTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { foldName, writeName } from "./object-names.ts";

/**
 * Utm templates: named sets of utm parameters that people fill into links. Names are unique in a workspace, regardless
 * of case. A link does not remember its template.
 */

export const utmTemplateNameCharactersMax = 190;
/** Templates that one workspace may have; a list returns all. */
export const utmTemplatesPerWorkspaceMax = 500;

/** A template; instants are milliseconds since the epoch. */
export type UtmTemplate = Omit<Selectable<UtmTemplatesTable>, "workspaceId" | "foldedName">;

/** The fields of a template that a caller writes; null is a parameter that it leaves alone. */
type UtmTemplateFields = Omit<UtmTemplate, "id" | "createdAt" | "updatedAt">;

/** Changes of a template; undefined leaves a field alone. */
type UtmTemplateChanges = PatchOf<UtmTemplateFields>;

type Deps = { db: Db; now: Clock };

/** Creates a template in the actor's workspace. Throws "conflict" for a name in use, and beyond utmTemplatesPerWorkspaceMax. */
export async function createUtmTemplate(
  { db, now }: Deps,
  actor: Actor,
  fields: UtmTemplateFields,
): Promise<UtmTemplate> {
  return await writeName("utmTemplateName", fields.name, () =>
    transact(db, async (tx) => {
      const { workspaceId } = actor;
      await lockWorkspace(tx, workspaceId); // The lock keeps two simultaneous calls from exceeding the bound.
      if ((await listUtmTemplates({ db: tx }, actor)).length >= utmTemplatesPerWorkspaceMax) {
        throw new Problem(
          "conflict",
          `This workspace has ${utmTemplatesPerWorkspaceMax} UTM templates, which is the limit; delete one first.`,
        );
      }
      const at = now();
      const template: UtmTemplate = { id: newId("utm", at), ...fields, createdAt: at, updatedAt: at };
      const row = { ...template, workspaceId, foldedName: foldName(fields.name) };
      await tx.insertInto("utmTemplates").values(row).execute();
      await emit(tx, eventBy(actor, "utmTemplate.created", template.id, at, { after: fields }));
      return template;
    }),
  );
}

/** The templates of the actor's workspace by name. */
export async function listUtmTemplates({ db }: Pick<Deps, "db">, actor: Actor): Promise<UtmTemplate[]> {
  const rows = await templatesOf(db, actor.workspaceId).orderBy("foldedName").execute();
  return rows.map(toTemplate);
}

/** The actor's template with this id. Throws "not_found". */
export async function findUtmTemplate({ db }: Pick<Deps, "db">, actor: Actor, id: string): Promise<UtmTemplate> {
  const row = await templatesOf(db, actor.workspaceId).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("UTM template");
  return toTemplate(row);
}

/**
 * Changes a template and returns it; omitted fields stay as they are, and a call without a change records nothing.
 * Throws "not_found"; "conflict" for a name in use.
 */
export async function updateUtmTemplate(
  { db, now }: Deps,
  actor: Actor,
  id: string,
  input: UtmTemplateChanges,
): Promise<UtmTemplate> {
  return await writeName("utmTemplateName", input.name, () =>
    transact(db, async (tx) => {
      const template = await lockTemplate(tx, actor, id);
      const before = decided(template);
      const after = applyPatch(before, input);
      if (JSON.stringify(after) === JSON.stringify(before)) return template;
      const at = now();
      await tx
        .updateTable("utmTemplates")
        .set({ ...after, foldedName: foldName(after.name), updatedAt: at })
        .where("id", "=", id)
        .execute();
      await emit(tx, eventBy(actor, "utmTemplate.updated", id, at, { before, after }));
      return { ...template, ...after, updatedAt: at };
    }),
  );
}

/** Deletes a template; links stay as they are. Throws "not_found". */
export async function deleteUtmTemplate({ db, now }: Deps, actor: Actor, id: string): Promise<{ id: string }> {
  return await transact(db, async (tx) => {
    const before = decided(await lockTemplate(tx, actor, id));
    await tx.deleteFrom("utmTemplates").where("id", "=", id).execute();
    await emit(tx, eventBy(actor, "utmTemplate.deleted", id, now(), { before }));
    return { id };
  });
}

async function lockTemplate(tx: Tx, actor: Actor, id: string): Promise<UtmTemplate> {
  await lockWorkspace(tx, actor.workspaceId);
  return await findUtmTemplate({ db: tx }, actor, id);
}

function templatesOf(db: Db, workspaceId: number) {
  return db.selectFrom("utmTemplates").selectAll().where("workspaceId", "=", workspaceId);
}

function toTemplate({ workspaceId: _, foldedName: __, ...template }: Selectable<UtmTemplatesTable>): UtmTemplate {
  return template;
}

function decided({ id: _, createdAt: __, updatedAt: ___, ...fields }: UtmTemplate): UtmTemplateFields {
  return fields;
}
