/** A statement with its data, its settings, and its parameters as texts of a URL. */
export type Statement = {
  sql: string;
  database: string;
  settings: readonly (readonly [string, string])[];
  parameters: Readonly<Record<string, string>>;
};

/** ClickHouse without its server. Settings and parameters of a statement do not reach another one. */
export type Engine = {
  /** The bytes that answer a statement. Throws an error with ClickHouse's message, "Code: …". */
  run(statement: Statement): Promise<Uint8Array<ArrayBuffer>>;
};

/** SQL that selects a statement's database and sets its settings, before its SQL. */
export function preamble({ database, settings }: Pick<Statement, "database" | "settings">): string {
  const set = settings.map(([name, value]) => `SET ${name} = ${quoted(value)}; `);
  return `USE \`${database.replaceAll("`", "")}\`; ${set.join("")}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
