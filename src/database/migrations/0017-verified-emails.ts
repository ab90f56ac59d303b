import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/**
 * Records which users have proven that they own their e-mail address. Existing rows get these values:
 *
 * - The first user of the instance is verified: only the operator can have created that account.
 * - Users without a password are verified. Only the operator creates them, and changing an address requires a password.
 * - All other users are not verified. They joined by an invite, or may have changed their address to another person's
 *   since the operator created them. If they counted as verified, their API keys would stay valid after that person
 *   takes over the account. They lose nothing until their first verification.
 * - Existing API keys stay valid in all workspaces of their users. The owners of these workspaces can now see and
 *   revoke them.
 */
export async function verifiedEmails(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("users").addColumn("verifiedAt", instant).execute();
  await db.schema.alterTable("signInLinks").addColumn("email", text).execute();
  await db.schema
    .alterTable("members")
    .addColumn("isConfirmed", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .alterTable("apiKeys")
    .addColumn("isForAllWorkspaces", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable("invites").addColumn("mailedTo", text).execute();
  await db.schema.alterTable("invites").addColumn("mailedHash", text).execute();
  await db.schema.createIndex("inviteMailedHash").unique().on("invites").column("mailedHash").execute();
  await sql`
    update "users" set "verifiedAt" = "createdAt"
    where "email" is not null and (
      "passwordHash" is null
      or "id" = (select "id" from "users" order by "createdAt", "id" limit 1)
    )`.execute(db);
}
