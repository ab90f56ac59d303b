import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/**
 * Who has proven their e-mail address, and what that protects.
 *
 * - The first user of the instance is verified: only the operator can have created that account.
 * - So are users without a password. Only the operator creates them, and to change an address takes the password.
 * - All others are not verified. They came by an invite, or may have changed their address to another person's since
 *   the operator created them: if they counted as verified, their API keys would survive when that person takes the
 *   account over. They lose nothing until their first verification.
 * - API keys that are there keep acting in all workspaces of their users, whose owners now see and can revoke them.
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
