import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tryLock } from "../base/hold.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { Refusal } from "./refusal.ts";

/** The data folder, held by this process alone until it is released. */
export type HeldFolder = { release(): void };

/**
 * Makes the data folder where there is none, and holds it; undefined while another process does.
 * Throws Refusal with one line for a folder that cannot be used.
 */
export function holdDataFolder(config: Config): HeldFolder | undefined {
  const { data, lock } = dataPaths(config);
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(
      `WAYPOST_DATA: the folder ${data} cannot be made or entered (${messageOf(error)}). Give the path of a folder.`,
    );
  }
  try {
    const held = tryLock(lock);
    if (held === undefined) return undefined;
    writeFileSync(holderFile(lock), String(process.pid));
    return {
      release() {
        rmSync(holderFile(lock), { force: true });
        held.release();
      },
    };
  } catch (error) {
    throw new Refusal(
      `WAYPOST_DATA: the folder ${data} cannot be written to (${messageOf(error)}). ` +
        "Give its ownership to the user that runs Waypost.",
    );
  }
}

/** Refuses to use a folder that another process holds. */
export function folderInUse(config: Config): Refusal {
  const { data, lock } = dataPaths(config);
  return new Refusal(
    `The data folder ${data} is in use by another Waypost${holderOf(lock)}. Stop that one, or set WAYPOST_DATA to another folder.`,
  );
}

function holderOf(lock: string): string {
  try {
    return ` (process ${readFileSync(holderFile(lock), "utf8")})`;
  } catch {
    // Only a courtesy: the other one may be just starting.
    return "";
  }
}

function holderFile(lock: string): string {
  return `${lock}.pid`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
