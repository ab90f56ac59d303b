import type { Kysely } from "kysely";
import { Problem } from "../base/problem.ts";
import type { Schema } from "./schema.ts";
import { readSetting, storeSetting } from "./settings.ts";
import { progressTable } from "./table-rows.ts";

/** The setting of a database whose rows were moved to another engine; its value is the engine's name. */
export const movedSetting = "movedTo";

/** The setting of such a database with the id of the copy; see complete of table-rows.ts. */
export const movedCopySetting = "movedCopy";

/** The error of a change to a database that was moved while its service ran. */
export const movedText = "The data was moved to another database.";

/** Marks a database as moved into a copy, so that no Waypost uses it by mistake. */
export async function markMoved(db: Kysely<Schema>, to: string, copyId: string): Promise<void> {
  await storeSetting(db, movedCopySetting, copyId);
  await storeSetting(db, movedSetting, to);
}

/** Where the rows of a database were moved; undefined for one in use. */
export async function movedTo(db: Kysely<Schema>): Promise<string | undefined> {
  return await readSetting(db, movedSetting);
}

/** Tells the operator how to use data that was moved to an engine, or the old data. */
export function movedAdvice(to: string): string {
  const [use, left] =
    to === "SQLite"
      ? ["remove WAYPOST_DATABASE_URL", "the PostgreSQL database"]
      : ["set WAYPOST_DATABASE_URL to that database", "waypost.sqlite"];
  return `The data was moved to ${to}: ${use}. To use the old data anyway, delete the row "${movedSetting}" of the table "settings" in ${left}.`;
}

/** Throws "conflict" for a database that is the target of an unfinished copy, or that was moved. */
export async function refuseMoved(db: Kysely<Schema>): Promise<void> {
  const names = new Set((await db.introspection.getTables()).map(({ name }) => name));
  const has = (name: string) => names.has(name);
  if (has(progressTable)) {
    throw new Problem(
      "conflict",
      "The database holds an unfinished copy of another one. Run waypost migrate again with the same options.",
    );
  }
  const to = has("settings") ? await movedTo(db) : undefined;
  if (to !== undefined) throw new Problem("conflict", movedAdvice(to));
}
