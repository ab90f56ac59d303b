import { type Migration, sql } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes } from "./0001-foundation.ts";

/**
 * Who has proven their e-mail address, and what that protects.
 *
 * - Users whom the operator has made are verified: by the first start or the command line, which record a workspace or
 *   a membership at the very moment of the user's making. Users who came by an invite are not, whoever had its link;
 *   they lose nothing until their first verification.
 * - API keys that are there keep acting in all workspaces of their users, whose owners now see and can revoke them.
 */
export function verifiedEmails(engine: Engine): Migration {
  const { text, instant } = columnTypes(engine);
  return {
    async up(db) {
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
          ("id", "createdAt") in (select "userId", "at" from "events" where "type" = 'workspace.created' and "userId" is not null)
          or ("id", "createdAt") in (select "objectId", "at" from "events" where "type" = 'member.added' and "userId" is null)
        )`.execute(db);
    },
  };
}
