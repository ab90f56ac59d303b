import { Problem } from "../base/problem.ts";
import { storeSchemaVersion } from "../clicks/stores/schema-version.ts";
import { migrations } from "../database/migrations/migrations.ts";
import type { Manifest } from "./archive-format.ts";

/** Throws "conflict" for a backup that a newer version of Waypost made, which this one cannot open. */
export function requireReadable({ version, database, store }: Manifest): void {
  const isKnown = Object.hasOwn(migrations(database.engine), database.lastMigration);
  if (isKnown && store.schemaVersion <= storeSchemaVersion) return;
  throw new Problem("conflict", `Waypost ${version} made the backup, which is newer than this one. Use that version.`);
}
