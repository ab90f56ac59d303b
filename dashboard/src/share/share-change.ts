import type { Schemas } from "../../../sdk/client.ts";
import { fieldValueOf, instantAt } from "../base/time-text.ts";
import type { NewShare, Share } from "./shares.ts";

/**
 * The body that changes a share: only the fields that differ. An empty password keeps the current one; without
 * `isLocked` the password is removed.
 */
export function shareChangeOf(
  { name, hasPassword, expiresAt }: Pick<Share, "name" | "hasPassword" | "expiresAt">,
  draft: NewShare,
  isLocked: boolean,
): Schemas["ShareChange"] {
  const change: Schemas["ShareChange"] = {};
  const title = draft.name.trim() === "" ? null : draft.name.trim();
  if (title !== name) change.name = title;
  if (hasPassword && !isLocked) change.password = null;
  else if (draft.password !== "") change.password = draft.password;
  // Compared as displayed, without seconds.
  if (draft.expiresAt !== (expiresAt === null ? "" : fieldValueOf(expiresAt, "end"))) {
    change.expiresAt = draft.expiresAt === "" ? null : (instantAt(draft.expiresAt, "end") ?? draft.expiresAt);
  }
  return change;
}
