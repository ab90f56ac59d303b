import { type ColumnBuilderCallback, type CreateTableBuilder, sql } from "kysely";
import type { Engine } from "../engine.ts";

type DataType = Parameters<CreateTableBuilder<string>["addColumn"]>[1];
/** The column types of an engine. */
export type ColumnTypes = {
  id: DataType;
  text: DataType;
  instant: DataType;
  /** True on an engine that numbers rows; its search index refers to rows by these numbers. */
  hasRowids: boolean;
  /** Makes a column the primary key; the engine assigns increasing numbers. */
  autoIncrement: ColumnBuilderCallback;
};

/** Returns the column types of an engine. */
export function columnTypes(engine: Engine): ColumnTypes {
  if (engine === "sqlite") {
    // AUTOINCREMENT never hands out an identifier twice, not even after a deletion.
    return {
      id: "integer",
      text: "text",
      instant: "integer",
      hasRowids: true,
      autoIncrement: (column) => column.primaryKey().autoIncrement(),
    };
  }
  // Collates by bytes, as SQLite does: identifiers sort by creation, and both engines return the same pages.
  return {
    id: "integer",
    text: sql`text collate "C"`,
    instant: "bigint",
    hasRowids: false,
    autoIncrement: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  };
}
