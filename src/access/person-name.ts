import { invalid } from "../base/problem.ts";
import { workspaceNameMax } from "./workspaces.ts";

/** A person's name as it is stored: trimmed. Throws "unprocessable_entity" for an empty, too long or unstorable one. */
export function requirePersonName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > workspaceNameMax || name.includes("\0") || !name.isWellFormed()) {
    throw invalid("name", `must have 1 to ${workspaceNameMax} characters.`);
  }
  return name;
}

/** The default name of a person: the part of the e-mail address before the @. */
export function nameFromEmail(email: string): string {
  return email.split("@")[0] ?? email;
}
