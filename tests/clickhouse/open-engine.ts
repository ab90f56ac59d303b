import { openNpmEngine } from "./npm-engine.ts";
import { openPypiEngine } from "./pypi-engine.ts";
import type { Engine } from "./statement.ts";

/** Opens the engine on a folder: that of the Python in CHDB_PYTHON, otherwise that of the npm package. */
export async function openEngine(folder: string): Promise<Engine> {
  const python = process.env["CHDB_PYTHON"];
  return python === undefined ? await openNpmEngine(folder) : await openPypiEngine(python, folder);
}
