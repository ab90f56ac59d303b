import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes the click store's files from the data folder of a stopped server, as an operator's mistake may. */
export function removeStore({ data }: { data: string }): void {
  for (const name of readdirSync(data).filter((name) => name.startsWith("clicks.duckdb"))) rmSync(join(data, name));
}
