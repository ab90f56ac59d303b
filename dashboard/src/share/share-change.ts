import type { Schemas } from "../../../sdk/client.ts";
import { localTime } from "../base/local-time.ts";
import type { NewShare, Share } from "./shares.ts";

/**
 * What the API is asked to change of an address: the fields that are not as they were. A password that is left empty
 * stays; without `isLocked` it is taken away.
 */
export function shareChangeOf(
  { name, hasPassword, expiresAt }: Pick<Share, "name" | "hasPassword" | "expiresAt">,
  wanted: NewShare,
  isLocked: boolean,
): Schemas["ShareChange"] {
  const change: Schemas["ShareChange"] = {};
  const title = wanted.name.trim() === "" ? null : wanted.name.trim();
  if (title !== name) change.name = title;
  if (hasPassword && !isLocked) change.password = null;
  else if (wanted.password !== "") change.password = wanted.password;
  // Compared as they are shown, which is without seconds.
  if (wanted.expiresAt !== (expiresAt === null ? "" : localTime(expiresAt))) {
    change.expiresAt = wanted.expiresAt === "" ? null : new Date(wanted.expiresAt).toISOString();
  }
  return change;
}
