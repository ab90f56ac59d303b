import type { Schemas } from "../../../sdk/client.ts";
import { localTime } from "../base/local-time.ts";
import type { NewShare, Share } from "./shares.ts";

/**
 * The body that changes a share: only the fields that differ. An empty password keeps the current one; without
 * `isLocked` the password is removed.
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
  // Compared as displayed, without seconds.
  if (wanted.expiresAt !== (expiresAt === null ? "" : localTime(expiresAt))) {
    change.expiresAt = wanted.expiresAt === "" ? null : new Date(wanted.expiresAt).toISOString();
  }
  return change;
}
