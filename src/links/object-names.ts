/** The names of tags, folders and UTM templates: unique in a workspace, regardless of case. */
import { Problem } from "../base/problem.ts";
import { containsText } from "../database/contains-text.ts";
import type { Db } from "../database/database.ts";
import { engineOf } from "../database/engine.ts";
import { violatedIndex } from "../database/unique.ts";
import { foldKey } from "./key.ts";

/** The folded form by which names are compared. */
export function foldName(name: string): string {
  return foldKey(name, false);
}

/** The condition that foldedName contains the text, in any case. */
export function nameContains(db: Db, search: string) {
  return containsText(engineOf(db), `"foldedName"`, foldName(search));
}

/** TABLE of the unique indexes of names, and what an object with such a name is called. */
const nounByIndex = { tagName: "tag", folderName: "folder", utmTemplateName: "UTM template" } as const;

/** Writes an object's name. Throws "conflict" for a name in use; only a write with a name can violate the index. */
export async function writeName<Result>(
  index: keyof typeof nounByIndex,
  name: string | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) !== index) throw error;
    throw new Problem("conflict", `name: the ${nounByIndex[index]} ${name} already exists in this workspace.`, {
      cause: error,
    });
  }
}
