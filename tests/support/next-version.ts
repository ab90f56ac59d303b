import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** The version of the next program. */
export const nextVersion = "999.0.0";

/** Tables that get another column. */
const grownTables = [
  "links",
  "domains",
  "workspaces",
  "users",
  "members",
  "apiKeys",
  "sessions",
  "events",
  "nodes",
  "nodeSpools",
];

/** A copy of the program as a later version, whose migration adds a column to the busiest tables, and a table. */
export function copyAsNextVersion(): { command(...args: string[]): string[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "waypost-next-"));
  cpSync(join(root, "src"), join(folder, "src"), { recursive: true });
  for (const name of ["node_modules", "dashboard", "sdk", "tsconfig.json", "CHANGELOG.md", "docs"]) {
    symlinkSync(join(root, name), join(folder, name));
  }
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, version: nextVersion }));
  addMigration(join(folder, "src/database/migrations"));
  return {
    command: (...args) => [process.execPath, "--no-orphans", join(folder, "src/main.ts"), ...args],
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function addMigration(folder: string): void {
  const columns = grownTables.map(
    (table) => `  await db.schema.alterTable("${table}").addColumn("addedLater", "text").execute();\n`,
  );
  writeFileSync(
    join(folder, "9999-next.ts"),
    `import type { Kysely } from "kysely";
export async function next(db: Kysely<unknown>): Promise<void> {
${columns.join("")}  await db.schema.createTable("addedLater").addColumn("id", "text", (column) => column.primaryKey()).execute();
}
`,
  );
  const path = join(folder, "migrations.ts");
  const list = readFileSync(path, "utf8");
  const grown = list
    .replace("\n};\n\n/** The migrations of an engine", '\n  "9999-next": next,\n};\n\n/** The migrations of an engine')
    .replace("\nimport ", '\nimport { next } from "./9999-next.ts";\nimport ');
  if (!grown.includes('"9999-next": next') || !grown.includes("./9999-next.ts"))
    throw new Error(`${path} has changed.`);
  writeFileSync(path, grown);
}
