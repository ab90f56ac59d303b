/** The number of rows of each table. */
export type TableCounts = Record<string, number>;

/** A copy of the relational database for a backup: the name of its last migration, and its rows. */
export type DatabaseCopy = { lastMigration: string; rows: TableCounts };
