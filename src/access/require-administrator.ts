import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Actor } from "./actor.ts";

/** Returns the caller as an operator. Throws "forbidden" unless they administer the instance at this moment. */
export async function requireAdministrator(
  { db }: { db: Db },
  { userId }: Pick<Actor, "userId">,
): Promise<{ userId: string }> {
  const user = await db
    .selectFrom("users")
    .select("id")
    .where("id", "=", userId)
    .where("isAdministrator", "=", 1)
    .where("disabledAt", "is", null)
    .executeTakeFirst();
  if (user === undefined) throw new Problem("forbidden", "Only an administrator of this instance can do this.");
  return { userId };
}
