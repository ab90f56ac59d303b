import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes the click store's file from the data folder of a stopped server, as a mistaken clean-up does. */
export function removeStore({ data }: { data: string }): void {
  for (const name of readdirSync(data).filter((name) => name.startsWith("clicks.duckdb"))) rmSync(join(data, name));
}
