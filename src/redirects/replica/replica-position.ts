import { z } from "zod";
import { sha256 } from "../../base/ids.ts";
import type { SqliteReader } from "../../database/sqlite-reader.ts";
import { copiedTableNames, replicaSchema } from "./replica-tables.ts";

/** The setting of the replica that holds its position. */
export const positionSetting = "position";

/** Identifies the replica's tables; a file with other tables is written again. */
export const replicaLayout = sha256(replicaSchema);

const Position = z.object({
  layout: z.literal(replicaLayout),
  /** Identifies the PostgreSQL server and the database. */
  database: z.string(),
  /** The server's timeline; snapshots can be compared only within one. */
  timeline: z.string(),
  /** The snapshot, as text, whose changes the replica has; while it is filled, the one from before the copy. */
  snapshot: z.string(),
  /** What remains to be copied: the rows of this table after this key, and the tables after it; null for nothing. */
  filling: z.object({ table: z.enum(copiedTableNames), after: z.array(z.string()).nullable() }).nullable(),
  /** True when the replica has been filled: lookups use it, also while it is filled again. */
  isUsable: z.boolean(),
  /** True when links and deleted keys may be missing, since all of them exceed the limit; domains and blocks never are. */
  isPartial: z.boolean(),
});

/** How far a replica has followed its database. */
export type ReplicaPosition = z.infer<typeof Position>;

/** What remains to be copied. */
export type Filling = NonNullable<ReplicaPosition["filling"]>;

/** A position without the layout of its file. */
export type PositionInDatabase = Omit<ReplicaPosition, "layout">;

/** The position that a replica's file holds; undefined for none, and for a file with other tables. */
export function readPosition(file: SqliteReader): ReplicaPosition | undefined {
  const row = file.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?").get(positionSetting);
  return row === null ? undefined : Position.safeParse(JSON.parse(row.value)).data;
}
