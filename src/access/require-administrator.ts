import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import type { Actor } from "./actor.ts";

/**
 * Returns the caller as an operator. Throws "forbidden" unless they administer the instance at this moment, in a session
 * with a second factor if WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR is on.
 */
export async function requireAdministrator(
  { db, config }: { db: Db; config: Pick<Config, "WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR"> },
  { userId, hasSecondFactor }: Pick<Actor, "userId" | "hasSecondFactor">,
): Promise<{ userId: string }> {
  const user = await db
    .selectFrom("users")
    .select("id")
    .where("id", "=", userId)
    .where("isAdministrator", "=", 1)
    .where("disabledAt", "is", null)
    .executeTakeFirst();
  if (user === undefined) throw new Problem("forbidden", "Only an administrator of this service can do this.");
  if (config.WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR && hasSecondFactor !== true) {
    throw new Problem(
      "forbidden",
      "Administrators need a second factor. Set up one-time codes or a passkey in your account, or sign in again with it.",
    );
  }
  return { userId };
}
